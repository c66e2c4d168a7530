"""Reads users from the record, many at once, while the cycle goes on. Whoever was read enters the cycle as a
command, ahead of what waits for it (docs/users.md, 2.1 and 2.2)."""

import asyncio
from collections import deque
from collections.abc import Callable

from engine import refusals
from engine.user_commands import HydrateUser, Row
from engine.words import MOVING
from fixgw.codec.times import SECOND
from fixgw.cycle.operating import Operate
from fixgw.cycle.recorder import Recorder
from fixgw.record.record import RecordError, Stored
from fixgw.residents.contact import LONG_PAUSE, PAUSE, Contact

READS = 100
"""users that are read at once: about a millisecond of work"""
GATHER = 0.005
"""seconds for which users are gathered, so that many are read at once; whoever comes first while nothing is
read does not wait"""
LOOK_AGAIN = 0.1
"""seconds until those are looked at again for whom there was no place"""
REMEMBERED = 100_000
"""users whom the record did not know"""
NOT_READ = Stored(0, Row("", ()))
"""stands for the row of a user who was in memory when it was to be read"""


class Reader:
    def __init__(
        self,
        contact: Contact,
        recorder: Recorder,
        operate: Operate,
        arrived: Callable[[str, int], None],
        is_needed: Callable[[str], bool],
        unknown_seconds: Callable[[], int],
    ) -> None:
        """`arrived` is told, in a turn, that a user is in memory, or that the record does not know it;
        `is_needed`: whether somebody still waits for a user who could not be read."""
        self._contact = contact
        self._venue = recorder.venue
        self._operate = operate
        self._arrived = arrived
        self._is_needed = is_needed
        self._unknown_seconds = unknown_seconds
        self._unknown: dict[str, int] = {}
        """until when, in logged time, the record is taken not to know a user"""
        self._to_read: deque[str] = deque()
        self._reading: dict[str, None] = {}
        """who is to be read, is read, or has been and is not in memory yet"""
        self._reads_on = False
        self._read: list[tuple[str, Stored | RecordError | None]] = []
        self._outdated: set[str] = set()
        """those of them who were written meanwhile: what was read may be from before"""
        self._full: dict[str, dict[str, Stored]] = {}
        """by shard, who found no place there, and what the record has of it"""
        self._moving: dict[str, None] = {}
        """who found itself on its way to another shard"""
        self._looks_again = False
        self._brought: dict[str, list[asyncio.Future[bool]]] = {}
        self.reads = 0
        """users that the record was asked for since the start"""

    def begin(self) -> None:
        """Who was wanted when the venue stopped is read."""
        for user in self._venue.unheard:
            self.want(user)
        self._read_more()

    def is_written(self, user: str) -> None:
        """What the record has of it, or has said of it, is about to change."""
        self._unknown.pop(user, None)
        if user in self._reading:
            self._outdated.add(user)

    def look_for_places(self) -> None:
        """Somebody has left."""
        if self._full:
            self._operate(self._let_in)

    def is_unknown(self, user: str, time: int) -> bool:
        """The record did not know it a moment ago (docs/users.md, 2.2)."""
        until = self._unknown.get(user, 0)
        if until and until <= time:
            del self._unknown[user]
        return until > time

    def want(self, user: str) -> None:
        """However often it is asked for: it is read once."""
        if user not in self._reading:
            self._reading[user] = None
            self._read_again(user)

    async def bring(self, user: str) -> bool:
        """Waits until the user is in memory; False if the record does not know it. Raises RecordError if what
        it has of the user is damaged."""
        if user in self._venue.users:
            return True
        future = asyncio.get_running_loop().create_future()
        self._brought.setdefault(user, []).append(future)
        self.want(user)
        return bool(await future)

    def _read_again(self, user: str) -> None:
        self._to_read.append(user)
        self._read_more()

    def _read_more(self) -> None:
        """Before the venue begins nothing is read."""
        if self._to_read and not self._reads_on and self._contact.begun:
            self._reads_on = True
            self._contact.start(self._read_all())

    async def _read_all(self) -> None:
        try:
            while self._to_read:
                await self._read_batch(
                    [self._to_read.popleft() for _ in range(min(READS, len(self._to_read)))]
                )
                if len(self._to_read) < READS:
                    await asyncio.sleep(GATHER)
        finally:
            self._reads_on = False

    async def _read_batch(self, users: list[str]) -> None:
        wanted = []
        for user in users:
            if user in self._venue.users:  # what the record has of it is older, or about to be
                self._deliver(user, NOT_READ)
            else:
                wanted.append(user)
        if not wanted:
            return
        self.reads += len(wanted)
        try:
            await self._contact.meet()
            found = await self._contact.record.read_all(wanted)
        except RecordError as problem:
            self._contact.complain(problem)
            await asyncio.sleep(PAUSE)
            for user in wanted:
                if self._is_wanted(user):
                    self._to_read.append(user)
                else:
                    self._forget(user)
            return
        self._contact.praise()
        for user in wanted:
            self._deliver(user, found.get(user))

    def _is_wanted(self, user: str) -> bool:
        return self._is_needed(user) or user in self._brought or user in self._venue.unheard

    def _forget(self, user: str) -> None:
        """Nothing is under way for it any more."""
        del self._reading[user]
        self._outdated.discard(user)

    def _deliver(self, user: str, stored: Stored | RecordError | None) -> None:
        if not self._read:
            self._operate(self._enter)
        self._read.append((user, stored))

    def _enter(self, recorder: Recorder, time: int) -> None:
        """In a turn: who was read comes into memory, ahead of what waits for it."""
        read, self._read = self._read, []
        for user, stored in read:
            self._come(recorder, time, user, stored)

    def _come(self, recorder: Recorder, time: int, user: str, stored: Stored | RecordError | None) -> None:
        resident = self._venue.users.get(user)
        if resident is not None:
            if resident.state == MOVING:
                self._wait_for_move(user)
                return
        elif isinstance(stored, RecordError):
            self._suffer(user, stored)
            return
        elif stored is NOT_READ or (stored is None and user in self._outdated):
            self._outdated.discard(user)
            self._read_again(user)  # it has come and gone since
            return
        elif stored is None:
            self._remember_unknown(user, time)
        elif not self._hydrate(recorder, time, user, stored):
            return
        self._forget(user)
        self._contact.damaged.pop(user, None)
        self._arrived(user, time)
        for future in self._brought.pop(user, ()):
            if not future.done():
                future.set_result(user in self._venue.users)

    def _hydrate(self, recorder: Recorder, time: int, user: str, stored: Stored) -> bool:
        """False if there is no place for it now."""
        command = HydrateUser(time, user, stored.version, stored.row)
        refusal = self._venue.refusal(command)
        if refusal is None:
            recorder.accept(command)
        elif refusal.reason == refusals.SHARD_FULL:
            self._full.setdefault(self._venue.router.owner(user), {})[user] = stored
            self._look_again()
        elif refusal.reason == refusals.ON_THE_MOVE:
            self._wait_for_move(user)
        else:
            assert refusal.reason == refusals.SUPPLY, refusal
            problem = f"user {user} cannot come into memory: its balance of {refusal.unit} is too large"
            self._suffer(user, RecordError(problem, passing=False))
        return refusal is None

    def _suffer(self, user: str, problem: RecordError) -> None:
        """It cannot come into memory. Its orders wait as long as they may; others do not notice."""
        self._contact.tell_damage(user, problem)
        self._forget(user)
        for future in self._brought.pop(user, ()):
            if not future.done():
                future.set_exception(problem)
        if user in self._venue.unheard:
            asyncio.get_running_loop().call_later(LONG_PAUSE, self.want, user)

    def _remember_unknown(self, user: str, time: int) -> None:
        if len(self._unknown) >= REMEMBERED:
            del self._unknown[next(iter(self._unknown))]
        self._unknown[user] = time + self._unknown_seconds() * SECOND

    # -- who finds no place --------------------------------------------------------------------------

    def _wait_for_move(self, user: str) -> None:
        self._moving[user] = None
        self._look_again()

    def _look_again(self) -> None:
        if not self._looks_again:
            self._looks_again = True
            self._contact.start(self._go_on_looking())

    async def _go_on_looking(self) -> None:
        """When someone has left, they are looked at as well; this is for all else that can make room."""
        while self._full or self._moving:
            await asyncio.sleep(LOOK_AGAIN)
            await self._operate(self._let_in)
        self._looks_again = False

    def _let_in(self, recorder: Recorder, time: int) -> None:
        """In a turn: whoever has a place now comes into memory, with what was read before; who has moved is
        read for its new shard."""
        for name in list(self._full):
            waiting = self._full.pop(name)
            while waiting:
                shard = self._venue.shards.get(name)
                if shard is not None and len(shard.users) >= self._venue.resident:
                    break
                user = next(iter(waiting))
                self._come_if_wanted(recorder, time, user, waiting.pop(user))
            for user in [user for user in waiting if not self._is_wanted(user)]:
                del waiting[user]
                self._forget(user)
            if waiting:
                self._full[name] = waiting | self._full.get(name, {})
        for user in list(self._moving):
            resident = self._venue.users.get(user)
            moves = user in self._venue.moving or (resident is not None and resident.state == MOVING)
            if not moves or not self._is_wanted(user):
                del self._moving[user]
                self._come_if_wanted(recorder, time, user, NOT_READ)

    def _come_if_wanted(self, recorder: Recorder, time: int, user: str, stored: Stored) -> None:
        if self._is_wanted(user):
            self._come(recorder, time, user, stored)
        else:
            self._forget(user)
