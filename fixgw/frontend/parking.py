"""Orders of users who are not in memory wait here until they are, and what the same client says about such an
order waits behind it (docs/users.md, 2.1 and 2.3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.commands import NewOrder
from fixgw.codec.fields import fields
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
    found: dict[str, str]
    """its fields"""
    command: NewOrder | None
    """that it stands for; None if that is not known yet"""
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
        self._named: dict[Name, list[Waiting]] = {}
        """the oldest first"""
        self.last = 0
        """number that was given last"""

    def __len__(self) -> int:
        return len(self._waiting)

    def load(self, client_of: Callable[[str], str], time: int) -> None:
        """What waited when the venue stopped. `client_of`: whose a session is, "" if it is no one's."""
        for number, each in parked.all_parked(self._store):
            found = fields(each.text)
            name = client_of(each.session), found.get("11", "")
            self._add(Waiting(number, each.session, each.user, each.text, found, None, name, time))

    def named(self, client: str, cl_ord_id: str) -> Sequence[Waiting]:
        """What waits under this ClOrdID, the oldest first."""
        return self._named.get((client, cl_ord_id), ())

    def line(self, client: str, name: str) -> list[Waiting]:
        """What waits under this ClOrdID, after what it would replace, the oldest first."""
        line: list[list[Waiting]] = []
        seen: set[str] = set()
        while name not in seen and (named := list(self.named(client, name))):
            line.append(named)
            seen.add(name)
            name = named[0].found.get("41", "")
        return [waiting for named in reversed(line) for waiting in named]

    def behind(self, client: str, found: Mapping[str, str], after: int = 0) -> str | None:
        """The user for whom a message waits that this one is about; `after`: one with a number above that."""
        waiting = self._named.get((client, found["41"])) if "41" in found else None
        if waiting is None or waiting[-1].number <= after:
            waiting = self._named.get((client, found.get("11", "")))
        return None if waiting is None or waiting[-1].number <= after else waiting[0].user

    def park(
        self,
        transaction: Transaction,
        session: str,
        client: str,
        user: str,
        text: str,
        found: dict[str, str],
        command: NewOrder | None,
        time: int,
    ) -> None:
        name = client, found.get("11", "")
        waiting = Waiting(self.last + 1, session, user, text, found, command, name, time)
        parked.put(self._store, transaction, waiting.number, Parked(session, user, text))
        self._add(waiting)

    def _add(self, waiting: Waiting) -> None:
        self.last = waiting.number
        self._waiting[waiting.number] = waiting
        self._of_user.setdefault(waiting.user, {})[waiting.number] = waiting
        self._named.setdefault(waiting.name, []).append(waiting)
        self._want(waiting.user)

    def take(self, transaction: Transaction, waiting: Waiting) -> None:
        """It waits no more."""
        del self._waiting[waiting.number]
        own = self._of_user[waiting.user]
        del own[waiting.number]
        if not own:
            del self._of_user[waiting.user]
        named = self._named[waiting.name]
        named.remove(waiting)
        if not named:
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
