"""What goes wrong."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace as with_changes

from engine.user_commands import Deposit, FlushComplete, FlushFailed, HydrateUser, SweepUsers
from engine.user_events import BeginDehydrate
from engine.venue import Venue
from fixgw.snapshots import files
from tests.simulation.operating import Operating
from tests.simulation.record import WEATHERS
from tests.simulation.wires import AIRS


class Faults(Operating):
    def do_quiet(self, choose: Random) -> None:
        pass

    def do_weather(self, choose: Random) -> None:
        name = choose.choice(("fair", "fair", *sorted(WEATHERS)))
        self.record.weather = WEATHERS[name]
        self.oracle.note(f"the record is {name}")

    def do_post(self, choose: Random) -> None:
        self.post.late = choose.choice((0, 0, 0.3, 0.8))
        self.post.twice = choose.choice((0, 0.3, 0.8))

    def do_crash(self, choose: Random) -> None:
        at = self.disk.last + choose.randint(1, 8)
        if choose.random() < 0.5:
            self.disk.crash_before = at
        else:
            self.disk.crash_after = at
        self._damage(choose)

    def do_restart(self, choose: Random) -> None:
        """It is killed now, whatever it is at."""
        assert self.node is not None
        self._damage(choose)
        self.node.store.dead = True
        self.loop.stop()

    def do_away(self, choose: Random) -> None:
        """It is killed, and not started again for long."""
        self.away_until = self.loop.now + choose.choice((2, 6, 15))
        self.loop.call_at(self.away_until, self.loop.stop)
        self.do_restart(choose)

    def do_air(self, choose: Random) -> None:
        """Between this node and another one."""
        name = choose.choice(("clear", "clear", *sorted(AIRS)))
        peer = choose.choice(self.wires.others(self.number))
        self.wires.airs[frozenset((self.number, peer))] = AIRS[name]
        self.oracle.note(f"the air to node {peer} is {name}")

    def do_full(self, choose: Random) -> None:
        assert self.node is not None
        self.node.room.full_until = self.loop.now + choose.choice((0.3, 1, 3))

    def do_cut(self, choose: Random) -> None:
        self.wires.cut(self.number, choose.choice(self.wires.others(self.number)))

    def _damage(self, choose: Random) -> None:
        """Of the newest snapshot: then the one before it is taken."""
        found = files.found(self.directory)
        if found and choose.random() < 0.3:
            found[0].write_bytes(found[0].read_bytes()[:-1])

    def do_snapshot(self, choose: Random) -> None:
        self.oracle.snapshot(choose.choice((0, *range(6))))

    def do_stale(self, choose: Random) -> None:
        """A word of the agent comes once more, long after."""
        words = [each for each in self.oracle.commands if isinstance(each, FlushComplete | FlushFailed)]
        if words:
            self._accept(choose.choice(words[-20:]))

    def do_impostor(self, choose: Random) -> None:
        """Another venue, of an old routing, believes that it owns a user."""
        name = self._account(choose)
        kept = self.record.rows.get(name)
        if kept is None:
            return
        venue = Venue()
        if choose.random() < 0.3:
            kept = with_changes(kept, version=max(1, kept.version - 1))
        venue.apply(1, HydrateUser(1, name, kept.version, kept.row))
        self.names += 1
        venue.apply(2, Deposit(2, name, "USD", choose.randint(1, 9), f"forged {self.names}"))
        (flush,) = venue.apply(3, SweepUsers(3, 3, 1))
        assert isinstance(flush, BeginDehydrate)
        wait = choose.choice((0, 0.2, 1.5))
        self.loop.call_later(wait, self._forge, flush)

    def _forge(self, flush: BeginDehydrate) -> None:
        before = self.record.rows[flush.user]
        if self.record.put(flush).done:
            self.oracle.note(f"another venue has written {flush.user} over version {before.version}")
            self.oracle.forge(flush.user, before.version, before.row, flush.row)
