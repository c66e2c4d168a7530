"""Messages as scripts write them to tags and values as they are sent."""

from __future__ import annotations

from acceptance.profile import Member, Profile
from acceptance.script import Values
from acceptance.standard import Standard
from acceptance.values import Variables

WITH_SYMBOL = frozenset("DGFHq")
WITH_TIME = frozenset("DGFq")
WITH_ACCOUNT = frozenset("DG")


class Drafting:
    """Of one session. Fields a script does not name get what its venue cannot do without."""

    def __init__(
        self, names: Standard, variables: Variables, profile: Profile, member: Member, symbol: str
    ) -> None:
        self._names = names
        self._variables = variables
        self._profile = profile
        self._member = member
        self._symbol = symbol

    def fields(self, msg_type: str, said: Values, numbers: dict[str, int]) -> list[tuple[int, str]]:
        """Raises Unknown."""
        given = self._flat(said, numbers)
        named = {tag for tag, _ in given}
        defaults = [(tag, value) for tag, value in self._defaults(msg_type) if tag not in named]
        return [*defaults, *given]

    def _flat(self, said: Values, numbers: dict[str, int]) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        for name, value in said.items():
            tag = self._names.tag(name)
            assert tag is not None, "checked when the script was read"
            if isinstance(value, list):
                found.append((tag, str(len(value))))
                for entry in value:
                    found += self._flat(entry, numbers)
            elif isinstance(value, dict) and "text" in value:
                found.append((tag, str(value["text"])))
            else:
                found.append((tag, self._names.value(tag, self._variables.fill(str(value), numbers))))
        return found

    def _defaults(self, msg_type: str) -> list[tuple[int, str]]:
        if msg_type == "A":
            return self._logon()
        found = []
        if msg_type in WITH_ACCOUNT and self._member.account:
            found.append((1, self._member.account))
        if msg_type in WITH_SYMBOL:
            found.append((55, self._symbol))
        if msg_type in WITH_TIME:
            found.append((60, self._variables.fill("$now")))
        return found

    def _logon(self) -> list[tuple[int, str]]:
        found = [(98, "0"), (108, self._profile.heartbeat)]
        if self._member.begin_string == "FIXT.1.1":
            found.append((1137, "9"))
        if self._member.username:
            found.append((553, self._member.username))
        if self._member.password:
            found.append((554, self._member.password))
        return found
