"""A venue's process with all that is around it, and how it ends and is started again."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar
from functools import partial
from pathlib import Path
from random import Random

from msgspec.structs import replace as with_changes

from engine.commands import Command, LimitAccount, OpenAccount
from engine.user_commands import Row, SetShard
from engine.venue import Venue
from engine.words import ACTIVE, RECEIVING
from fixgw.admin.words import Transfer
from fixgw.bridge.link import Link
from fixgw.settings import Restart
from fixgw.settings.users import Users
from tests.simulation import orders
from tests.simulation.between import Between
from tests.simulation.clients import Client
from tests.simulation.lives import PENDING
from tests.simulation.loop import VirtualLoop
from tests.simulation.node import Node, clock
from tests.simulation.oracles import Oracle
from tests.simulation.post import Post
from tests.simulation.record import Kept, SimulatedRecord
from tests.simulation.script import Script
from tests.simulation.store import Crash, Disk
from tests.simulation.wires import Wires

FIRMS = ("A", "B", "C")


OWN: ContextVar[Process] = ContextVar("own")
"""whose process it is that does something now: its tasks end with it"""


class Process:
    def __init__(
        self,
        script: Script,
        directory: Path,
        loop: VirtualLoop,
        number: int,
        peers: dict[str, int],
        between: Between,
        wires: Wires,
    ) -> None:
        """`peers`: which node has the market, by symbol; 0: this one, whose `number` is from 1 on."""
        seed = script.seed + (number - 1) * 1_000_000
        choose, several = Random(seed), script.nodes > 1
        self.several = several
        """there are other nodes"""
        self.number = number
        self.peers = peers
        self.directory = directory
        self.loop = loop
        self.context = Context()
        self.context.run(OWN.set, self)
        self.wires = wires
        self.away_until = 0.0
        """seconds; if it has died it is not started before"""
        self.failure: BaseException | None = None
        self.disk = Disk()
        if script.crash_node in (0, number):
            self.disk.crash_before, self.disk.crash_after = script.crash_before, script.crash_after
        self.record = SimulatedRecord(self.loop, seed)
        self.accounts = [f"{FIRMS[number % 3]}-{number:02}" for number in range(script.users)]
        for name in self.accounts[2:]:
            self.record.rows[name] = Kept(1, "S1", 1, Row(name[0], _money(choose)))
        shards = ("S2", "S3")[: choose.choice((0, 1, 1, 2))]
        self.openings: list[Command] = [
            *(with_changes(each, peer=peers[each.symbol]) for each in orders.INSTRUMENTS),
            *(rates for rates in orders.RATES if not peers[rates.symbol]),
            *(SetShard(1, shard, state) for shard in shards for state in (RECEIVING, ACTIVE)),
            *(OpenAccount(1, name, name[0], _money(choose)) for name in self.accounts[:2]),
        ]
        self.openings.append(LimitAccount(1, self.accounts[-1], 3, (), 4))
        self.users = Users(
            resident=script.resident, unknown_seconds=2, wait_seconds=choose.choice((1, 2, 4)),
            parked=choose.choice((3, 8, 100)), idle_seconds=choose.choice((1, 3)),
            sweep=choose.choice((1, 3, 100)), reconcile=choose.choice((2, 100)),
            wave=choose.choice((1, 2, 5)), in_flight=(2, 6, 100)[seed // 3 % 3],
            reconcile_seconds=(1, 4, 600)[seed // 9 % 3] if several else 1,
        )  # fmt: skip
        self.restart = choose.choice((Restart(0, 0), Restart(0, 0), Restart(1, 0), Restart(1, 1)))
        self.oracle = Oracle(self.disk, directory, self.record, self._leader, number, between)
        self.clients = {
            f"{firm}{each}": Client(
                f"{firm}{each}", firm, partial(self._hear, f"{firm}{each}"), slides=several and each == "2"
            )
            for firm in FIRMS
            for each in "12"
        }
        self.symbols = [symbol for symbol, peer in peers.items() if not peer]
        """of markets here"""
        self.answered: set[tuple[str, str]] = set()
        """(client, ClOrdID)"""
        self.names = 0
        self.transfers: list[Transfer] = []
        self.node: Node | None = None
        self.post = Post()
        self._choose = Random(seed + 2)
        self.crashes = 0
        self.gone = False

    # -- the process -----------------------------------------------------------------------------------

    def _leader(self) -> Venue | None:
        return None if self.node is None else self.node.venue

    def start(self) -> None:
        while self.node is None or self.node.dead:
            self.node, self.gone = None, False
            node = Node(
                self.loop, self.disk, self.directory, self.record, self.clients, self.users, self.openings,
                self.restart, self.post, self._choose, self.oracle.follow, self.number, self.wires,
            )  # fmt: skip
            node.reads.unknown_seconds = self.users.unknown_seconds
            self.node = node
            assert node.venue.sequence == self.oracle.venue.sequence, "what was on disk is not there any more"
            assert node.venue.digest() == self.oracle.venue.digest(), "a start comes to another state"
            self._in_loop(node.start)
            if node.dead:
                self._crashed()

    def _in_loop(self, action: Callable[[], None]) -> None:
        def act() -> None:
            try:
                action()
            except Crash:
                pass
            except BaseException as problem:
                self.failure = self.failure or problem

        self.loop.call_soon(act, context=self.context)
        self.loop.run_until(self.loop.now)
        self._raise()

    def _raise(self) -> None:
        problem = self.failure or (self.node.failure if self.node is not None else None)
        if problem is not None:
            raise problem

    def _crashed(self) -> None:
        assert self.node is not None
        self.crashes += 1
        self.oracle.note(f"the venue is gone, at {self.disk.last} of the journal")
        self.gone = True
        self.context.run(self.wires.drop, self.number)
        self.node.kill()

    def look_after(self) -> bool:
        """If the process has died another one is started, at its time. Whether it had to be."""
        self._raise()
        assert self.node is not None
        if not self.node.dead:
            self._check_waiting(self.node)
            return False
        if not self.gone:
            self._crashed()
        if self.loop.now < self.away_until:
            return False
        self.start()
        return True

    def answer(self, link: Link) -> None:
        """A call of another node."""
        if self.node is None or self.node.dead:
            link.close()
        else:
            self.node.answer(link)

    def _check_waiting(self, node: Node) -> None:
        """users.md 2.3. What waits behind an order is not counted there, so there may be a few more."""
        since = self.now - (self.users.wait_seconds + 1) * orders.SECOND
        waiting = [each for firm in FIRMS for each in node.parking.of_client(firm)]
        assert all(each.since > since for each in waiting), "a message waits for too long"
        assert len(node.parking) <= self.users.parked + 12, "too many wait"

    @property
    def now(self) -> int:
        return clock(self.loop)

    @property
    def venue(self) -> Venue:
        assert self.node is not None
        return self.node.venue

    def _hear(self, session: str, found: dict[str, str]) -> None:
        self.oracle.lives.tell(session, found)
        if "11" in found and not (found["35"] == "8" and found["150"] in PENDING):
            self.answered.add((found["11"].partition("-")[0], found["11"]))


def _money(choose: Random) -> tuple[tuple[str, int], ...]:
    return (
        ("BTC", choose.choice((0, 900, 5_000))),
        ("ETH", choose.choice((0, 40, 300))),
        ("USD", choose.choice((0, 900, 5_000))),
    )
