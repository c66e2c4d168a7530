"""What must be so at every position of the journal. A follower applies it entry by entry, after each commit,
from the bytes that are on disk; it is that follower that is looked at, and it must come to the same digest as
the venue."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from engine.commands import OpenAccount
from engine.events import AccountOpened, Event
from engine.user_commands import FlushComplete, HydrateUser, ResolveUser, Row
from engine.user_events import BalanceMoved, BeginDehydrate, Repaired, UserConflict, UserHydrated, UserLeft
from engine.venue import Venue
from fixgw.snapshots import files
from fixgw.store import journal
from fixgw.store.keys import number_key
from tests.simulation.between import Between
from tests.simulation.lives import Lives
from tests.simulation.looks import count_orders, look, look_up_orders
from tests.simulation.record import SimulatedRecord
from tests.simulation.store import Disk

OWNER = b"the simulated one"
"""the id of the store"""


class Oracle:
    def __init__(
        self,
        disk: Disk,
        directory: Path,
        record: SimulatedRecord,
        leader: Callable[[], Venue | None],
        number: int,
        between: Between,
    ) -> None:
        self.disk = disk
        self.directory = directory
        self.snapshot_at = 0
        """the journal position of which the next is made"""
        self.record = record
        self.number = number
        """of the node"""
        self.between = between
        self.venue = between.venues[number] = Venue()
        self.lives = Lives(number, self.venue, between)
        self.event_sequence = 0
        self.happened: deque[str] = deque(maxlen=25)
        """the last that was, in words"""
        self.commands: list[object] = []
        """all that were journaled"""
        self.digests: dict[int, str] = {}
        self.forged: dict[str, int] = {}
        """who was written by a wrong owner: until he has left again"""
        self.to_conflict: set[str] = set()
        """of them, who are in memory with the version that was written over: the venue has to find out"""
        self.blocked: set[str] = set()
        """until the operator has decided"""
        self.expected: dict[str, int] = record.money()
        """all the money there is, by currency"""
        self._leader = leader
        self._references: set[tuple[str, str]] = set()

    # -- following -------------------------------------------------------------------------------------

    def follow(self) -> None:
        """What is on disk now."""
        last = self.disk.last
        table = self.disk.tables[b"journal"]
        for sequence in range(self.venue.sequence + 1, last + 1):
            entry = journal.decode_entry(sequence, table[number_key(sequence)])
            refusal = self.venue.refusal(entry.command)
            assert refusal is None, f"the follower refuses entry {sequence}: {refusal}"
            before = self._row_of(entry.command)
            events = self.venue.apply(sequence, entry.command)
            self.happened.append(f"{sequence}: {entry.command}")
            self.happened.extend(f"    {event}" for event in events)
            assert events == entry.events, "the follower comes to other events"
            self.commands.append(entry.command)
            self._hear(entry.command, events, before)
            look(self.venue, self.record, self.expected, self.lives.steps)
            self.lives.requests.withdraw(self.venue, entry.command)
            self.lives.requests.look(self.venue)
            self.between.look(self.number, self.lives.sent)
            if sequence == self.snapshot_at:
                self._write_snapshot()
        leader = self._leader()
        if leader is not None and leader.sequence == last:
            self.digests[last] = self.venue.digest()
            assert leader.digest() == self.digests[last], "the follower has another state"
            count_orders(leader)
            look_up_orders(leader)

    def snapshot(self, after: int) -> None:
        """After so many more entries; 0: now."""
        self.snapshot_at = self.venue.sequence + after
        if not after and self.venue.sequence:
            self._write_snapshot()

    def _write_snapshot(self) -> None:
        (self.directory / files.FOLDER).mkdir(exist_ok=True)
        entry = sha256(self.disk.tables[b"journal"][number_key(self.venue.sequence)]).digest()
        path = files.write(self.directory, OWNER, self.venue, entry, self.event_sequence)
        files.forget_old(self.directory, path, 3)
        again, _ = files.read(path, OWNER)
        assert again.digest() == self.venue.digest()

    def note(self, words: str) -> None:
        self.happened.append(f"-- {words}")

    # -- events ----------------------------------------------------------------------------------------

    def _hear(self, command: object, events: list[Event], before: Row | None) -> None:
        if isinstance(command, ResolveUser):
            self.blocked.discard(command.user)
        for event in events:
            self.event_sequence += 1
            gained = self.lives.hear(command, event, self.event_sequence, self.blocked)
            self._count(Row("", tuple(gained.items())), 1)
            match event:
                case AccountOpened():
                    self._find_place(event.account)
                    self._count(Row(event.client, event.balances), 1)
                case UserHydrated():
                    self._enter(event)
                case UserLeft():
                    self._leave(event, before)
                case BalanceMoved():
                    reference = event.user, event.reference
                    assert reference not in self._references, f"{reference} was made twice"
                    self._references.add(reference)
                    self._count(Row("", ((event.currency, event.amount),)), 1)
                case UserConflict():
                    assert event.user in self.forged, f"there is no other owner of {event.user}"
                    self.to_conflict.discard(event.user)
                    self.blocked.add(event.user)
                case BeginDehydrate():
                    entered = isinstance(command, HydrateUser | OpenAccount) and name_of(command)
                    assert event.user != entered, "who has just come leaves again"
                    assert event.user not in self.blocked, "the operator has not decided yet"
                case Repaired():
                    raise AssertionError(f"there was something to repair: {event}")

    def _enter(self, event: UserHydrated) -> None:
        """What the record has of one who is in no memory is the newest there is of him, and there is a place
        for him."""
        self._find_place(event.user)
        kept = self.record.rows.get(event.user)
        assert kept is not None
        if event.user in self.forged:
            self._count(event.row, 1)
            self._count(kept.row, -1)
        else:
            assert (kept.version, kept.row) == (event.version, event.row), "what was read is old"

    def _find_place(self, user: str) -> None:
        shard = self.venue.users[user].shard
        assert len(shard.users) <= self.venue.resident, f"{shard.name} has too many users"

    def _leave(self, event: UserLeft, before: Row | None) -> None:
        """What he had is in the record."""
        kept = self.record.rows.get(event.user)
        had = before
        assert had is not None, "nobody can leave by such a command"
        missed = event.user in self.to_conflict
        assert not missed, f"{event.user} was written by two, and has left as if nothing was"
        if event.user in self.forged:
            del self.forged[event.user]
            assert kept is not None
            self._count(kept.row, 1)
            self._count(had, -1)
            self._references -= {(event.user, name) for name in {*had.references} - {*kept.row.references}}
        else:
            assert kept is not None, f"{event.user} has left, and the record does not know him"
            assert kept.version == event.version, f"{event.user} has left as another version"
            assert kept.row == had, f"{event.user} had {had}, and the record has {kept.row}"

    def _count(self, row: Row, sign: int) -> None:
        for currency, amount in row.balances:
            self.expected[currency] = self.expected.get(currency, 0) + sign * amount

    def _row_of(self, command: object) -> Row | None:
        """Before it, of whom it can make leave."""
        if not isinstance(command, FlushComplete | ResolveUser) or command.user not in self.venue.users:
            return None
        return self.venue.users[command.user].row

    def forge(self, user: str, version: int, had: Row, has: Row) -> None:
        """A wrong owner has written this over that `version`. Of one who is not in memory it is what
        counts; but he may be on his way there, with what was read before."""
        self.forged[user] = self.forged.get(user, 0) + 1
        resident = self.venue.users.get(user)
        if resident is None:
            self._count(has, 1)
            self._count(had, -1)
        elif resident.version == version:
            self.to_conflict.add(user)


def name_of(command: HydrateUser | OpenAccount) -> str:
    return command.user if isinstance(command, HydrateUser) else command.account
