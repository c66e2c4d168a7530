"""What must be so at every position of the journal. A follower applies it entry by entry, after each commit,
from the bytes that are on disk; it is that follower that is looked at, and it must come to the same digest as
the venue."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from engine.commands import NewOrder, OpenAccount
from engine.events import AccountOpened, Event, Execution
from engine.order import Order
from engine.user import User
from engine.user_commands import FlushComplete, HydrateUser, ResolveUser, Row
from engine.user_events import BalanceMoved, BeginDehydrate, Repaired, UserConflict, UserHydrated, UserLeft
from engine.venue import Venue
from engine.words import ACTIVE, BUY, MOVING, NEW
from fixgw.snapshots import files
from fixgw.store import journal
from fixgw.store.keys import number_key
from tests.simulation.record import SimulatedRecord
from tests.simulation.store import Disk

ENDS = "24C"
CORRECTIONS = "GH"
OWNER = b"the simulated one"
"""the id of the store"""


class Oracle:
    def __init__(
        self, disk: Disk, directory: Path, record: SimulatedRecord, leader: Callable[[], Venue | None]
    ) -> None:
        self.disk = disk
        self.directory = directory
        self.snapshot_at = 0
        """the journal position of which the next is made"""
        self.record = record
        self.venue = Venue()
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
        self._steps: dict[int, int] = {}
        self._ended: set[int] = set()
        self._accepted: set[tuple[str, str, str]] = set()
        self._references: set[tuple[str, str]] = set()
        self._told: dict[int, tuple[int, str]] = {}
        """OrderID and ExecType of each execution in the output log"""

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
            self._look()
            if sequence == self.snapshot_at:
                self._write_snapshot()
        leader = self._leader()
        if leader is not None and leader.sequence == last:
            self.digests[last] = self.venue.digest()
            assert leader.digest() == self.digests[last], "the follower has another state"
            self._count_orders(leader)

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
            match event:
                case Execution():
                    self._execution(command, event)
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

    def _execution(self, command: object, event: Execution) -> None:
        self._told[self.event_sequence] = event.order_id, event.exec_type
        corrects = event.exec_type in CORRECTIONS
        assert event.order_id not in self._ended or corrects, f"an event after the end: {event}"
        assert event.step == self._steps.get(event.order_id, 0) + 1, f"a gap: {event}"
        self._steps[event.order_id] = event.step
        if event.exec_type == NEW:
            assert isinstance(command, NewOrder)
            assert event.account not in self.blocked, "the operator has not decided yet"
            name = event.client, self.venue.day, event.cl_ord_id
            assert name not in self._accepted, f"{name} was accepted twice"
            self._accepted.add(name)
        if event.ord_status in ENDS and not corrects:
            assert not event.leaves_quantity
            self._ended.add(event.order_id)

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

    def hear_report(self, found: dict[str, str]) -> None:
        """A client was told: then it is in the journal."""
        if found["35"] == "8" and found["150"] not in "8I":
            told = self._told.get(int(found["17"]))
            assert told is not None, f"a client was told what is not in the journal: {found}"
            assert str(told[0]) == found["37"]

    # -- the state -------------------------------------------------------------------------------------

    def _count_orders(self, venue: Venue) -> None:
        """That is not in the digest, so the venue is asked itself."""
        for shard in venue.shards.values():
            holds = sum(len(user.holds) for user in shard.users.values())
            assert shard.open_orders == holds, f"{shard.name} counts {shard.open_orders} of {holds} orders"
            assert shard.in_flight == 0, "orders are in flight, though all is on one node"

    def _look(self) -> None:
        venue = self.venue
        self._count_orders(venue)
        money: dict[str, int] = {}
        places: dict[str, str] = {}
        for shard in venue.shards.values():
            for name, user in shard.users.items():
                assert name not in places, f"{name} is on two shards"
                places[name] = shard.name
                assert venue.router.owner(name) == shard.name, f"{name} is with one who does not own him"
                assert user is venue.users[name]
                self._look_at(user, money)
                quiet = not user.holds and name not in shard.flushing
                assert quiet or name not in shard.idle, f"{name} is idle and is not"
            assert all(name in shard.users for name in (*shard.idle, *shard.flushing))
        assert places.keys() == venue.users.keys()
        for name in venue.moving:
            moving = name not in places or venue.users[name].state == MOVING
            assert moving, f"{name} is on its way to another shard, and trades"
        assert any(state == ACTIVE for _, state in venue.router.routing.members)
        assert {name for name, _ in venue.router.routing.members} == set(venue.shards)
        self._compare_orders()
        supply = {currency: amount for currency, amount in venue.supply.items() if amount}
        in_memory = {currency: amount for currency, amount in money.items() if amount}
        assert supply == in_memory, f"in memory is {in_memory}, and is counted as {supply}"
        for name, kept in self.record.rows.items():
            if name not in places:
                for currency, amount in kept.row.balances:
                    money[currency] = money.get(currency, 0) + amount
        there = {currency: amount for currency, amount in money.items() if amount}
        expected = {currency: amount for currency, amount in self.expected.items() if amount}
        assert there == expected, f"there is {there}, and there should be {expected}"

    def _look_at(self, user: User, money: dict[str, int]) -> None:
        held: dict[str, int] = {}
        for hold in user.holds.values():
            held[hold.currency] = held.get(hold.currency, 0) + hold.amount
        for currency, balance in user.balances.items():
            assert 0 <= balance.reserved <= balance.total, f"{user.name} has reserved too much {currency}"
            assert balance.reserved == held.pop(currency, 0), f"{user.name}: {currency} of no order"
            money[currency] = money.get(currency, 0) + balance.total
        assert not any(held.values())

    def _compare_orders(self) -> None:
        """The open orders of the markets are the holds of the users, and each reserves what is left of it."""
        venue = self.venue
        orders: dict[int, Order] = {}
        for market in venue.markets.values():
            places = market.bids, market.asks, market.stops, market.touched.values(), market.parked.values()
            orders |= {order.order_id: order for place in places for order in place}
        assert orders.keys() == {number for live in venue.live.values() for number in live}
        holds = {number: hold for user in venue.users.values() for number, hold in user.holds.items()}
        assert orders.keys() == holds.keys(), "holds and open orders differ"
        for number, order in orders.items():
            hold = holds[number]
            assert number in venue.users[order.account].holds
            assert hold.step == order.step == self._steps[number]
            if order.side == BUY and not hold.per_lot:
                continue
            instrument = venue.markets[order.symbol].instrument
            lot = (
                order.limit * instrument.quote_per_tick_lot if order.side == BUY else instrument.base_per_lot
            )
            assert hold.amount == order.leaves_quantity * lot, f"{order} holds {hold.amount}"


def name_of(command: HydrateUser | OpenAccount) -> str:
    return command.user if isinstance(command, HydrateUser) else command.account
