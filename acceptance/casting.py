"""Who plays a role: sessions and symbols are lent to one script at a time, so scripts run side by side."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations

from acceptance.profile import Profile


class Cast:
    """All sessions and symbols of a target."""

    def __init__(self, profile: Profile) -> None:
        self._free = threading.Condition()
        self._symbols = list(profile.symbols)
        self._taken: set[str] = set()
        self._sessions: dict[str, dict[str, list[str]]] = {}
        """of each version and client"""
        for name, member in profile.sessions.items():
            clients = self._sessions.setdefault(member.begin_string, {})
            clients.setdefault(member.client or name, []).append(name)

    def lacks(self, roles: list[str], version: str) -> str:
        """Why these roles can never be played, in words; "" if they can."""
        if self._choose(roles, version, set()) is not None:
            return ""
        wanted = {
            client: [role for role in roles if role[0] == client]
            for client in dict.fromkeys(r[0] for r in roles)
        }
        most = max(map(len, wanted.values()))
        clients = f"{len(wanted)} clients" if len(wanted) > 1 else "a client"
        sessions = f"{most} sessions" if most > 1 else "a session"
        return f"it needs {clients} with {sessions} of {version}, and the profile has fewer"

    @contextmanager
    def lend(self, roles: list[str], version: str) -> Iterator[tuple[dict[str, str], str]]:
        """Roles to sessions, and a symbol; waits until they are free. Only for roles that can be played."""
        with self._free:
            while (chosen := self._choose(roles, version, self._taken)) is None or not self._symbols:
                self._free.wait()
            self._taken |= set(chosen.values())
            symbol = self._symbols.pop(0)
        try:
            yield chosen, symbol
        finally:
            with self._free:
                self._taken -= set(chosen.values())
                self._symbols.append(symbol)
                self._free.notify_all()

    def _choose(self, roles: list[str], version: str, taken: set[str]) -> dict[str, str] | None:
        """A client for each letter, a session of it for each role."""
        letters = list(dict.fromkeys(role[0] for role in roles))
        free = {
            client: [name for name in names if name not in taken]
            for client, names in self._sessions.get(version, {}).items()
        }
        for clients in permutations(free, len(letters)):
            rest = {letter: list(free[client]) for letter, client in zip(letters, clients, strict=True)}
            if all(len(rest[letter]) >= sum(role[0] == letter for role in roles) for letter in letters):
                return {role: rest[role[0]].pop(0) for role in roles}
        return None
