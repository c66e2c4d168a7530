"""One simulation: a venue, its record, its clients and operators, and what goes wrong with them."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace as with_changes

from engine.commands import CancelMany, Command, CorrectTrade, LimitAccount, OpenAccount, SetKill, SetState
from engine.events import Execution
from engine.order import Order
from engine.user_commands import Deposit, FlushComplete, FlushFailed, HydrateUser, Row, SetShard, SweepUsers
from engine.user_events import BeginDehydrate
from engine.venue import Venue
from engine.words import ACCOUNT, ACTIVE, BLOCKED, CONTINUOUS, PRE_OPEN, RECEIVING
from fixgw.admin.words import Answer, ChangeShard, OfUsers, PinUser, Resolve, Transfer
from fixgw.admin.words import OpenAccount as OpenRequest
from fixgw.calendar.trading_day import TradingDay
from fixgw.codec.fields import fields
from fixgw.cycle.recorder import Recorder
from fixgw.settings import Restart
from fixgw.settings.users import Users
from fixgw.snapshots import files
from fixgw.store import journal
from fixgw.store.keys import number_key
from tests.simulation import orders
from tests.simulation.clients import Client
from tests.simulation.loop import VirtualLoop
from tests.simulation.node import Node, Post, clock
from tests.simulation.oracles import Oracle
from tests.simulation.record import FAIR, WEATHERS, Kept, SimulatedRecord
from tests.simulation.script import Script
from tests.simulation.store import Crash, Disk

FIRMS = ("A", "B", "C")
UNKNOWN = "A-99"
SOH = "\x01"
PATIENCE = 180.0
"""virtual seconds after which all has come to rest once nothing goes wrong any more"""


class World:
    def __init__(self, script: Script, directory: Path) -> None:
        choose = Random(script.seed)
        self.directory = directory
        self.loop = VirtualLoop()
        self.loop.set_exception_handler(self._overlooked)
        self.loop.set_task_factory(self._task)
        self.failure: BaseException | None = None
        self.disk = Disk()
        self.disk.crash_before, self.disk.crash_after = script.crash_before, script.crash_after
        self.record = SimulatedRecord(self.loop, script.seed)
        self.accounts = [f"{FIRMS[number % 3]}-{number:02}" for number in range(script.users)]
        for name in self.accounts[2:]:
            self.record.rows[name] = Kept(1, "S1", 1, Row(name[0], _money(choose)))
        shards = ("S2", "S3")[: choose.choice((0, 1, 1, 2))]
        self.openings: list[Command] = [
            *(SetShard(1, shard, state) for shard in shards for state in (RECEIVING, ACTIVE)),
            *(OpenAccount(1, name, name[0], _money(choose)) for name in self.accounts[:2]),
        ]
        self.openings.append(LimitAccount(1, self.accounts[-1], 3, (), 4))
        self.users = Users(
            resident=script.resident, unknown_seconds=2, wait_seconds=choose.choice((1, 2, 4)),
            parked=choose.choice((3, 8, 100)), idle_seconds=choose.choice((1, 3)),
            sweep=choose.choice((1, 3, 100)), reconcile_seconds=1, reconcile=choose.choice((2, 100)),
            wave=choose.choice((1, 2, 5)),
        )  # fmt: skip
        self.restart = choose.choice((Restart(0, 0), Restart(0, 0), Restart(1, 0), Restart(1, 1)))
        self.oracle = Oracle(self.disk, directory, self.record, self._leader)
        self.clients = {
            f"{firm}{number}": Client(f"{firm}{number}", firm, self._hear)
            for firm in FIRMS
            for number in "12"
        }
        self.answered: set[tuple[str, str]] = set()
        """(client, ClOrdID)"""
        self.names = 0
        self.transfers: list[Transfer] = []
        self.node: Node | None = None
        self.post = Post()
        self._choose = Random(script.seed + 2)
        self.crashes = 0

    # -- the process -----------------------------------------------------------------------------------

    def _task(self, loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        assert self.node is not None
        return self.node.task_made(loop, work, **more)

    def _leader(self) -> Venue | None:
        return None if self.node is None else self.node.venue

    def _start(self) -> None:
        while self.node is None or self.node.dead:
            self.node = None
            node = Node(
                self.loop, self.disk, self.directory, self.record, self.clients, self.users, self.openings,
                self.restart, self.post, self._choose, self.oracle.follow,
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

        self.loop.call_soon(act)
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
        self.node.kill()

    def run_until(self, moment: float) -> None:
        while True:
            self.loop.run_until(moment)
            self._raise()
            assert self.node is not None
            if not self.node.dead:
                self._check_waiting(self.node)
                return
            self._crashed()
            self._start()

    def _check_waiting(self, node: Node) -> None:
        """users.md 2.3"""
        since = self.now - (self.users.wait_seconds + 1) * orders.SECOND
        waiting = [each for firm in FIRMS for each in node.parking.of_client(firm)]
        assert all(each.since > since for each in waiting), "a message waits for too long"
        assert len(node.parking) <= self.users.parked + 12, "too many wait"

    def _overlooked(self, loop: Any, context: dict[str, Any]) -> None:
        problem = context.get("exception")
        if problem is not None and not isinstance(problem, Crash) and self.failure is None:
            self.failure = problem
            loop.stop()

    @property
    def now(self) -> int:
        return clock(self.loop)

    @property
    def venue(self) -> Venue:
        assert self.node is not None
        return self.node.venue

    def play(self, script: Script) -> None:
        self._start()
        for number, step in enumerate(script.steps):
            self.run_until(self.loop.now + step.gap / 1000)
            self.oracle.note(f"step {number}: {step.kind}")
            does = getattr(self, "do_" + step.kind.replace("-", "_"))
            self._in_loop(partial(does, Random(step.number)))
        self.run_until(self.loop.now + 0.5)
        self.drain()

    # -- clients ---------------------------------------------------------------------------------------

    def _hear(self, found: dict[str, str]) -> None:
        self.oracle.hear_report(found)
        if "11" in found:
            self.answered.add((found["11"].partition("-")[0], found["11"]))

    def _name(self, client: Client) -> str:
        self.names += 1
        return f"{client.name}-{self.names}"

    def _say(self, client: Client, text: str, choose: Random) -> None:
        client.sent.append(text)
        self.loop.call_later(choose.choice((0, 0, 0.001, 0.05, 0.3)), self._knock, client)

    def _knock(self, client: Client) -> None:
        node = self.node
        if node is not None and not node.dead:
            node.cycle.wake(node.lines[client.name])

    def _client(self, choose: Random) -> Client:
        return self.clients[choose.choice(sorted(self.clients))]

    def _account(self, choose: Random, firm: str = "") -> str:
        """The first ones are busier than the others."""
        own = [name for name in self.accounts if name.startswith(firm)]
        return own[min(int(choose.expovariate(0.35)), len(own) - 1)] if own else UNKNOWN

    def do_order(self, choose: Random) -> None:
        client = self._client(choose)
        account = self._account(choose, client.firm)
        if choose.random() < 0.04:
            account = choose.choice((UNKNOWN, *self.accounts))
        text = orders.new_order(choose, self._name(client), account, self.venue, self.now)
        self._say(client, text, choose)
        if choose.random() < 0.15:  # right behind it, before it can have been answered
            origin = fields(text)["11"]
            self._say(client, orders.cancel(choose, self._name(client), None, origin), choose)

    def do_burst(self, choose: Random) -> None:
        for _ in range(choose.randint(3, 12)):
            self.do_order(choose)

    def _order(self, choose: Random, client: Client) -> Order | None:
        own = list(self.venue.orders.get(client.firm, {}).values())
        return choose.choice(own) if own else None

    def do_replace(self, choose: Random) -> None:
        client = self._client(choose)
        order = self._order(choose, client)
        if order is not None:
            text = orders.replace(choose, self._name(client), order, self.venue, self.now)
            self._say(client, text, choose)

    def do_cancel(self, choose: Random) -> None:
        client = self._client(choose)
        order = self._order(choose, client)
        self._say(client, orders.cancel(choose, self._name(client), order, f"{client.name}-1"), choose)

    def do_repeat(self, choose: Random) -> None:
        """The same message again, as a new one or as one that may have come."""
        client = self._client(choose)
        if client.sent:
            text = choose.choice(client.sent[-6:])
            self._say(client, text + "97=Y\x01" * (choose.random() < 0.5), choose)

    def do_mass_cancel(self, choose: Random) -> None:
        client = self._client(choose)
        text = orders.mass_cancel(choose, self._name(client), self._account(choose, client.firm))
        self._say(client, text, choose)

    def do_lost(self, choose: Random) -> None:
        """A connection: its orders end."""
        assert self.node is not None
        client = self._client(choose)
        self.node.mailboxes[client.name].cancels = choose.choice(("12", "13"))
        self._knock(client)

    # -- operators -------------------------------------------------------------------------------------

    def _ask(self, request: OfUsers) -> None:
        assert self.node is not None

        def answered(answer: Answer) -> None:
            self.oracle.note(f"the operator is told: {answer.lines[0]}")

        self.node.ask(request, answered)

    def _deed(self, operation: Callable[[Recorder, int], Any]) -> None:
        assert self.node is not None
        self.node.deed(operation)

    def _accept(self, command: Any) -> None:
        """If nothing is against it in that turn."""

        def operation(recorder: Recorder, time: int) -> None:
            timed = with_changes(command, time=time)
            if recorder.venue.refusal(timed) is None:
                recorder.accept(timed)

        self._deed(operation)

    def do_transfer(self, choose: Random) -> None:
        self.names += 1
        amount, currency = choose.choice((1, 5, 40, 400)), choose.choice(("BTC", "ETH", "USD"))
        account = self._account(choose)
        if account not in self.record.rows and account not in self.venue.users:
            return  # who is to be read for the operator is read, known or not
        request = Transfer(account, str(amount), currency, f"t{self.names}", choose.random() < 0.5)
        self.transfers.append(request)
        self._ask(request)

    def do_transfer_again(self, choose: Random) -> None:
        """The operator did not hear what became of it. An id is remembered for 16 others of the user."""
        if self.transfers:
            self._ask(choose.choice(self.transfers[-12:]))

    def do_open(self, choose: Random) -> None:
        name = f"{choose.choice(FIRMS)}-{30 + choose.randrange(4)}"
        if name not in self.accounts:
            self.accounts.append(name)
        self._ask(OpenRequest(name, name[0]))

    def do_pin(self, choose: Random) -> None:
        shard = choose.choice(("", *(name for name, _ in self.venue.router.routing.members)))
        alone = shard != "" and choose.random() < 0.3
        self._ask(PinUser(self._account(choose), shard, alone, choose.random() < 0.5))

    def do_shard(self, choose: Random) -> None:
        joins, members = choose.random() < 0.5, dict(self.venue.router.routing.members)
        names = [name for name in ("S1", "S2", "S3", "S4") if (name in members) != joins]
        self._ask(ChangeShard(choose.choice(names or ["S1"]), joins))

    def do_leave(self, choose: Random) -> None:
        """Those who are flat begin to leave, however short it is that they did something."""
        self._accept(SweepUsers(0, self.now + 1, choose.randint(1, 20)))

    def do_resolve(self, choose: Random) -> None:
        blocked = [user.name for user in self.venue.users.values() if user.state == BLOCKED]
        if blocked:
            self._ask(Resolve(choose.choice(blocked), choose.random() < 0.5))

    def do_kill(self, choose: Random) -> None:
        name, on = self._account(choose), choose.random() < 0.3
        self._accept(SetKill(0, ACCOUNT, name, on))
        if on:
            self._accept(CancelMany(0, "", name, "", "", choose.randint(1, 3), text="killed"))

    def do_state(self, choose: Random) -> None:
        symbol = choose.choice(orders.SYMBOLS)
        self._accept(SetState(0, symbol, choose.choice((*[CONTINUOUS] * 4, PRE_OPEN, "cancel-only"))))

    def do_day(self, choose: Random) -> None:
        def end(recorder: Recorder, time: int) -> None:
            if recorder.ending_day is None:
                recorder.end_day(time, TradingDay.following(recorder.venue.day), "operator")

        self._deed(end)

    def do_bust(self, choose: Random) -> None:
        """A trade of those of late is taken back."""
        trades = self._trades()
        if not trades:
            return
        (buy_id, buy), (sell_id, sell) = choose.choice(trades)
        was = buy.last_quantity
        quantity = choose.randint(0, was)
        price = buy.last_price if quantity else 0

        def latest(order_id: int) -> Execution:
            return next(event for _, event in reversed(self._executions()) if event.order_id == order_id)

        def correct(recorder: Recorder, time: int) -> None:
            if buy.match_id in recorder.venue.corrected:
                return
            command = CorrectTrade(
                time, latest(buy.order_id), latest(sell.order_id), buy.match_id, buy_id, sell_id,
                was, buy.last_price, quantity, price, "wrong",
            )  # fmt: skip
            if recorder.venue.refusal(command) is None:
                recorder.accept(command)

        self._deed(correct)

    def _executions(self) -> list[tuple[int, Execution]]:
        table = self.disk.tables[b"journal"]
        found = []
        for key in table:
            sequence = int.from_bytes(key, "big")
            entry = journal.decode_entry(sequence, table[number_key(sequence)])
            found += [
                (number, event)
                for number, event in enumerate(entry.events, entry.first_event)
                if isinstance(event, Execution)
            ]
        return found

    def _trades(self) -> list[tuple[tuple[int, Execution], tuple[int, Execution]]]:
        sides: dict[int, dict[str, tuple[int, Execution]]] = {}
        for number, event in self._executions():
            if event.exec_type == "F":
                sides.setdefault(event.match_id, {})[event.side] = number, event
        return [(pair["1"], pair["2"]) for pair in list(sides.values())[-10:]]

    # -- what goes wrong -------------------------------------------------------------------------------

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

    # -- the end ---------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Nothing goes wrong any more: all comes to rest."""
        self.oracle.note("nothing goes wrong any more")
        self.disk.crash_before = self.disk.crash_after = 0
        self.record.weather = FAIR
        self.post.late = self.post.twice = 0
        self._in_loop(self._open_all)
        end = self.loop.now + PATIENCE
        while self._unrest():
            assert self.loop.now < end, f"it does not come to rest: {self._unrest()}"
            self._in_loop(self._clear)
            self.run_until(self.loop.now + 2)
        self._account_for_all()

    def _open_all(self) -> None:
        for account in self.accounts:
            self._accept(SetKill(0, ACCOUNT, account, False))
        for symbol in orders.SYMBOLS:
            self._accept(SetState(0, symbol, CONTINUOUS))
        for client in self.clients.values():
            self._knock(client)

    def _clear(self) -> None:
        self._accept(CancelMany(0, "", "", "", "", 100, text="the end"))
        for user in self.venue.users.values():
            if user.state == BLOCKED:
                self._ask(Resolve(user.name, keep=user.version % 2 == 0))

    def _unrest(self) -> str:
        """What is not at rest."""
        venue, node = self.venue, self.node
        assert node is not None
        if len(node.parking):
            return f"{len(node.parking)} messages wait"
        for shard in venue.shards.values():
            if shard.flushing:
                return f"{list(shard.flushing)} are being written"
        if venue.moving or venue.to_move or venue.to_look_at:
            return f"moving {list(venue.moving)}, to move {list(venue.to_move)}"
        if venue.unheard:
            return f"{list(venue.unheard)} have not heard all"
        if venue.users:
            return f"{list(venue.users)} are in memory"
        if venue.canceling:
            return "orders are to be canceled"
        if any(state == RECEIVING for _, state in venue.router.routing.members):
            return "a shard is receiving"
        return ""

    def _account_for_all(self) -> None:
        money = {name: amount for name, amount in self.record.money().items() if amount}
        assert money == {name: amount for name, amount in self.oracle.expected.items() if amount}
        for user in self.accounts:
            assert self.venue.router.owner(user) == self.venue.router.home(user), f"{user} is not at home"
        for client in self.clients.values():
            for text in client.sent:
                name = fields(text)["11"]
                assert (client.name, name) in self.answered, (
                    f"{name} was never answered: {text.replace(SOH, ' ')}"
                )


def _money(choose: Random) -> tuple[tuple[str, int], ...]:
    return (
        ("BTC", choose.choice((0, 900, 5_000))),
        ("ETH", choose.choice((0, 40, 300))),
        ("USD", choose.choice((0, 900, 5_000))),
    )


@contextmanager
def small() -> Iterator[None]:
    """So that what takes more than a turn takes several, and no real clock is asked."""
    at_once = ("frontend.frontend.CANCELED", "cycle.cycle.CANCELED", "cycle.absence.CANCELED")
    with ExitStack() as stack:
        for name in (*at_once, "cycle.recorder.EXPIRED"):
            stack.enter_context(patch(f"fixgw.{name}_AT_ONCE", 2))
        stack.enter_context(patch("fixgw.cycle.rota.perf_counter", lambda: 0.0))
        yield


def play(script: Script) -> World:
    """Raises what is wrong; its `world` is how far it came."""
    with tempfile.TemporaryDirectory() as directory, small():
        world = World(script, Path(directory))
        try:
            world.play(script)
        except BaseException as problem:
            problem.world = world  # type: ignore[attr-defined]
            raise
        finally:
            if world.node is not None:
                world.node.kill()
            world.loop.close()
    return world
