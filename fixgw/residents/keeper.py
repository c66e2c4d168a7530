"""What is done about users from time to time: who was quiet leaves, shards that come and go get their share,
holds are compared with orders, and who has waited too long for the record is told (docs/users.md)."""

from collections.abc import Callable

from engine.user_commands import MoveWave, Reconcile, SetShard, SweepUsers
from engine.words import ACTIVE, RECEIVING
from fixgw.codec.times import SECOND
from fixgw.cycle.recorder import Recorder
from fixgw.settings import Users

LOOK = SECOND // 10
"""nanoseconds from one look to the next"""


class Keeper:
    def __init__(
        self, recorder: Recorder, settings: Callable[[], Users], give_up: Callable[[int, int], None]
    ) -> None:
        """`give_up`: refuses, at a time, what has waited for the record since another or longer."""
        self._recorder = recorder
        self._venue = recorder.venue
        self._settings = settings
        self._give_up = give_up
        self._look_at = 0
        self._reconcile_at = 0

    def due(self, time: int) -> bool:
        return time >= self._look_at

    def advance(self, time: int) -> None:
        """In each turn."""
        if time < self._look_at:
            return
        self._look_at = time + LOOK
        settings = self._settings()
        self._give_up(time, time - settings.wait_seconds * SECOND)
        if self._recorder.store.full:
            return  # none of the rest is worth the last room
        before = time - settings.idle_seconds * SECOND
        resident = self._venue.resident
        if any(shard.lets_go(before, resident) for shard in self._venue.shards.values()):
            self._recorder.accept(SweepUsers(time, before, settings.sweep))
        if self._venue.to_look_at and len(self._venue.moving) < settings.wave:
            self._recorder.accept(MoveWave(time, settings.wave))
        elif not (self._venue.to_look_at or self._venue.moving):
            self._activate(time)
        if time >= self._reconcile_at:
            if self._reconcile_at and self._venue.live:
                self._recorder.accept(Reconcile(time, settings.reconcile))
            self._reconcile_at = time + settings.reconcile_seconds * SECOND

    def _activate(self, time: int) -> None:
        """A shard that has received all who could move takes its share of everyone else."""
        for name, state in self._venue.router.routing.members:
            if state == RECEIVING:
                self._recorder.accept(SetShard(time, name, ACTIVE))
                self._recorder.note(time, "venue", f"shard {name} is active")
                return
