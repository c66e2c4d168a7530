"""Orders of users who are not in memory wait here until they are, and whatever the same client says about
such an order waits behind it (docs/users.md, 2.1 and 2.3)."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from fixgw.store import parked
from fixgw.store.parked import Parked
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

Name = tuple[str, str]
"""client and ClOrdID"""


class Waiting(NamedTuple):
    number: int
    session: str
    user: str
    text: str
    name: Name
    since: int
    """logged time; after a restart that of the start"""


class Parking:
    def __init__(self, store: Store, want: Callable[[str], None]) -> None:
        """`want`: has a user read."""
        self._store = store
        self._want = want
        self._waiting: dict[int, Waiting] = {}
        """by number, the oldest first"""
        self._of_user: dict[str, dict[int, Waiting]] = {}
        self._named: dict[Name, Waiting] = {}
        self._last = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def load(self, name: Callable[[Parked], Name], time: int) -> None:
        """What waited when the venue stopped."""
        for number, each in parked.all_parked(self._store):
            self._add(Waiting(number, each.session, each.user, each.text, name(each), time))

    def behind(self, client: str, names: tuple[str, ...]) -> str | None:
        """The user for whom a message waits that has one of these ClOrdIDs."""
        for name in names:
            waiting = self._named.get((client, name))
            if waiting is not None:
                return waiting.user
        return None

    def park(
        self, transaction: Transaction, session: str, user: str, text: str, name: Name, time: int
    ) -> None:
        waiting = Waiting(self._last + 1, session, user, text, name, time)
        parked.put(self._store, transaction, waiting.number, Parked(session, user, text))
        self._add(waiting)

    def _add(self, waiting: Waiting) -> None:
        self._last = waiting.number
        self._waiting[waiting.number] = waiting
        self._of_user.setdefault(waiting.user, {})[waiting.number] = waiting
        self._named.setdefault(waiting.name, waiting)
        self._want(waiting.user)

    def take(self, transaction: Transaction, waiting: Waiting) -> None:
        """It waits no more."""
        del self._waiting[waiting.number]
        own = self._of_user[waiting.user]
        del own[waiting.number]
        if not own:
            del self._of_user[waiting.user]
        if self._named.get(waiting.name) is waiting:
            del self._named[waiting.name]
        parked.remove(self._store, transaction, waiting.number)

    def of_user(self, user: str) -> list[Waiting]:
        return list(self._of_user.get(user, {}).values())

    def of_session(self, session: str) -> list[Waiting]:
        return [waiting for waiting in self._waiting.values() if waiting.session == session]

    def of_client(self, client: str) -> list[Waiting]:
        """Of all if it is ""."""
        return [waiting for waiting in self._waiting.values() if client in ("", waiting.name[0])]

    def overdue(self, since: int) -> Iterator[Waiting]:
        """Those who wait since then or longer."""
        while self._waiting:
            oldest = next(iter(self._waiting.values()))
            if oldest.since > since:
                return
            yield oldest
            assert oldest.number not in self._waiting, "whoever takes this looks at each once"

    def awaits(self, user: str) -> bool:
        return user in self._of_user
