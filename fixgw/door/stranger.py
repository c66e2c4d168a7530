"""Who has not logged on yet: read up to one Logon, of bounded size and by a deadline, and led through the
gate."""

import asyncio
import time
from collections.abc import Callable

from fixgw.codec.frame import Garbled, first_message
from fixgw.door.gate import Entry, Gate
from fixgw.door.hashing import Hashing
from fixgw.door.peer import Peer
from fixgw.door.visit import Compute, Soon, Stay, Visit
from fixgw.settings import Door as DoorSettings

DECISION = 30
"""seconds a Logon may wait: for hashes of passwords, or for the last bytes of the connection before"""
AGAIN = 0.005
"""seconds after which it is asked whether those have been read"""


class Stranger:
    def __init__(
        self,
        settings: DoorSettings,
        gate: Gate,
        hashing: Hashing,
        peer: Peer,
        admit: Callable[[Visit, Entry], None],
        turn_away: Callable[[str, bool], None],
    ) -> None:
        """One of `admit` and `turn_away` is called once, unless it is told to `stop` before; the second with
        why, and whether that counts as a failed Logon."""
        self.received = bytearray()
        self._settings = settings
        self._gate = gate
        self._hashing = hashing
        self.peer = peer
        self._admit = admit
        self._turn_away = turn_away
        self._visit: Visit | None = None
        self._over = False
        self._deadline = asyncio.get_running_loop().call_later(
            settings.logon_deadline_seconds, self._has_no_logon
        )

    def receive(self, data: bytes) -> None:
        self.received += data
        if self._visit is None and not self._over:
            self._look_for_logon()

    @property
    def full(self) -> bool:
        """Has sent as much behind its Logon as is kept while that is decided."""
        return (
            self._visit is not None and len(self.received) - self._visit.length > self._settings.logon_bytes
        )

    def stop(self) -> None:
        self._over = True
        self._deadline.cancel()
        self._hashing.withdraw(self)

    def _look_for_logon(self) -> None:
        limit = self._settings.logon_bytes
        try:
            found = first_message(bytes(self.received[: limit + 1]), limit)
        except Garbled as problem:
            self._refuse(str(problem), counts=True)
            return
        if found is not None:
            self._deadline.cancel()  # that was for the client's part
            self._deadline = asyncio.get_running_loop().call_later(DECISION, self._waits_too_long)
            self._visit = Visit(found.fields, self.peer, time.time_ns(), found.length)
            self._decide(self._visit)

    def _decide(self, visit: Visit) -> None:
        if self._over:
            return
        try:
            entry = self._gate.session_for(visit)
        except Stay as problem:
            self._refuse(str(problem), problem.counts)
        except Soon:
            asyncio.get_running_loop().call_later(AGAIN, self._decide, visit)
        except Compute as needed:
            self._compute(visit, needed)
        else:
            self.stop()
            self._admit(visit, entry)

    def _compute(self, visit: Visit, needed: Compute) -> None:
        def done(well: bool) -> None:
            if well:
                self._decide(visit)
            elif not self._over:
                self._refuse("its password cannot be hashed", counts=False)

        if not self._hashing.submit(self, needed.work, done):
            self._refuse("too many passwords wait to be hashed", counts=False)

    def _has_no_logon(self) -> None:
        """Who has sent nothing at all, as a probe does, has not failed."""
        seconds = self._settings.logon_deadline_seconds
        self._refuse(f"no Logon within {seconds} s", counts=bool(self.received))

    def _waits_too_long(self) -> None:
        self._refuse(f"its Logon could not be decided within {DECISION} s", counts=False)

    def _refuse(self, why: str, counts: bool) -> None:
        self.stop()
        self._turn_away(why, counts)
