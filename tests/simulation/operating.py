"""What operators do."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec.structs import replace as with_changes

from engine.commands import CancelMany, CorrectTrade, SetKill, SetRules, SetState, WithdrawOrder
from engine.events import Execution
from engine.peers import SPAN
from engine.user_commands import SweepUsers
from engine.words import ACCOUNT, BLOCKED, CLIENT, CONTINUOUS, PRE_OPEN
from fixgw.admin.words import Answer, ChangeShard, OfUsers, PinUser, Resolve, Transfer
from fixgw.admin.words import OpenAccount as OpenRequest
from fixgw.calendar.trading_day import TradingDay
from fixgw.cycle.recorder import Recorder
from fixgw.store import journal
from fixgw.store.keys import number_key
from tests.simulation.process import FIRMS
from tests.simulation.trading import Trading


class Operating(Trading):
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
        if self.several and choose.random() < 0.5:
            self._kill_client(choose, on)
            return
        self._accept(SetKill(0, ACCOUNT, name, on))
        if on:
            self._accept(CancelMany(0, "", name, "", "", choose.randint(1, 3), text="killed"))

    def _kill_client(self, choose: Random, on: bool) -> None:
        """Of this node or, at a market, of another one."""
        nodes = ("", *(f"{number}:" for number in self.wires.others(self.number)))
        name = choose.choice(nodes) + choose.choice(FIRMS)
        on |= choose.random() < 0.3
        self._accept(SetKill(0, CLIENT, name, on))
        if on:
            self._accept(CancelMany(0, name, "", "", "", choose.randint(1, 3), text="killed"))

    def do_state(self, choose: Random) -> None:
        if not self.symbols:
            return
        symbol = choose.choice(self.symbols)
        states = [*[CONTINUOUS] * 4, PRE_OPEN, "cancel-only"]
        if self.several:
            states += "halted", "halted"
        self._accept(SetState(0, symbol, choose.choice(states)))
        maker, taker = choose.choice((0, 1, 12_345, 100_000)), choose.choice((0, 77_777, 100_000))
        self._accept(SetRules(0, symbol, maker_fee=maker, taker_fee=taker))

    def do_withdraw(self, choose: Random) -> None:
        """An order, of whatever node."""
        found = [order.order_id for orders in self.venue.live.values() for order in orders.values()]
        if found:
            self._accept(WithdrawOrder(0, choose.choice(found), "by hand"))

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
                was, buy.last_price, quantity, price, "wrong", buy.fee_rate, sell.fee_rate,
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
            if event.exec_type == "F" and event.symbol in self.symbols and event.order_id < SPAN:
                sides.setdefault(event.match_id, {})[event.side] = number, event
        whole = [pair for pair in sides.values() if len(pair) == 2]
        return [(pair["1"], pair["2"]) for pair in whole[-10:]]
