"""A second venue, as simple as can be and as slow as it likes: one list of live orders, sorted whenever
someone asks who comes first; nothing is kept that can be counted again. It takes the engine's commands,
shares no code with the engine, and says what should come out as plain tuples and dicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.commands import (
    CancelOrder,
    CancelSession,
    Command,
    EndDay,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
    SetCancelOnly,
)

Said = dict[str, Any]
Refused = tuple[str, int | str, int | str, str]
"""reason, value, limit, unit"""


@dataclass
class Open:
    """A live order. `arrival`, a journal sequence, orders those of one price."""

    id: int
    name: str
    command: NewOrder
    quantity: int
    price: int
    arrival: int
    fills: list[tuple[int, int]] = field(default_factory=list)
    ended: bool = False

    @property
    def filled(self) -> int:
        return sum(quantity for quantity, _ in self.fills)

    @property
    def left(self) -> int:
        return 0 if self.ended else self.quantity - self.filled


class Reference:
    def __init__(self) -> None:
        self.instruments: dict[str, ListInstrument] = {}
        self.owners: dict[str, str] = {}
        self.money: dict[tuple[str, str], int] = {}
        self.live: list[Open] = []
        self.closed_to_new: set[str] = set()
        self.trades = 0

    def held(self, account: str, currency: str) -> int:
        own = [order for order in self.live if order.command.account == account]
        return sum(self._holding(order) for order in own if self._pays_in(order) == currency)

    def available(self, account: str, currency: str) -> int:
        return self.money.get((account, currency), 0) - self.held(account, currency)

    def queue(self, symbol: str, side: str) -> list[Open]:
        """The live orders of one side, the first to be matched first."""
        orders = [
            order for order in self.live if order.command.symbol == symbol and order.command.side == side
        ]
        return sorted(orders, key=lambda order: (order.price * (-1 if side == "1" else 1), order.arrival))

    def find(self, client: str, name: str) -> Open | None:
        found = {(order.command.client, order.name): order for order in self.live}
        assert len(found) == len(self.live)
        return found.get((client, name))

    def refusal(self, command: Command) -> Refused | None:
        if isinstance(command, NewOrder):
            return self._refuse_new(command)
        if isinstance(command, CancelOrder | ReplaceOrder):
            return self._refuse_change(command)
        if isinstance(command, SetCancelOnly) and command.symbol not in ("", *self.instruments):
            return ("unknown symbol", command.symbol, 0, "")
        return None

    def _refuse_new(self, command: NewOrder) -> Refused | None:
        if command.symbol not in self.instruments:
            return ("unknown symbol", command.symbol, 0, "")
        if self.owners.get(command.account) != command.client:
            return ("unknown account", command.account, 0, "")
        if self.find(command.client, command.cl_ord_id):
            return ("duplicate ClOrdID", command.cl_ord_id, 0, "")
        if self.closed_to_new & {"", command.symbol}:
            return ("cancel-only", command.symbol, 0, "")
        order = Open(0, "", command, command.quantity, command.price, 0)
        need = self._holding(order)
        if command.ord_type == "1" and command.side == "1":
            per = self.instruments[command.symbol].quote_per_tick_lot
            need = sum(quantity * maker.price * per for maker, quantity in self._partners(order))
        return self._refuse_money(command.account, self._pays_in(order), need)

    def _refuse_change(self, command: CancelOrder | ReplaceOrder) -> Refused | None:
        order = self.find(command.client, command.orig_cl_ord_id)
        if order is None:
            return ("unknown order", command.orig_cl_ord_id, 0, "")
        if self.find(command.client, command.cl_ord_id):
            return ("duplicate ClOrdID", command.cl_ord_id, 0, "")
        fields = {"Symbol": "symbol", "Side": "side"}
        if isinstance(command, ReplaceOrder):
            optional = {"Account": "account", "TimeInForce": "time_in_force"}
            sent_ones = {word: name for word, name in optional.items() if getattr(command, name)}
            fields |= {"OrdType": "ord_type"} | sent_ones
        for word, name in fields.items():
            sent, had = getattr(command, name), getattr(order.command, name)
            if sent != had:
                return ("mismatch", sent, had, word)
        if isinstance(command, CancelOrder):
            return None
        if self.closed_to_new & {"", command.symbol}:
            return ("cancel-only", command.symbol, 0, "")
        if command.quantity <= order.filled:
            return ("not above filled", command.quantity, order.filled, "")
        wanted = Open(0, "", order.command, command.quantity, command.price, 0, order.fills)
        more = self._holding(wanted) - self._holding(order)
        return self._refuse_money(order.command.account, self._pays_in(order), more)

    def _refuse_money(self, account: str, currency: str, need: int) -> Refused | None:
        available = self.available(account, currency)
        return None if need <= available else ("insufficient funds", need, available, currency)

    def apply(self, sequence: int, command: Command) -> list[Said]:
        said: list[Said] = []
        if isinstance(command, ListInstrument):
            self.instruments[command.symbol] = command
            said.append(_copy("InstrumentListed", command, "time symbol base quote tick lot"))
        elif isinstance(command, OpenAccount):
            self.owners[command.account] = command.client
            self.money |= {(command.account, currency): amount for currency, amount in command.balances}
            said.append(_copy("AccountOpened", command, "time account client balances"))
        elif isinstance(command, SetCancelOnly):
            (self.closed_to_new.add if command.on else self.closed_to_new.discard)(command.symbol)
            said.append(_copy("CancelOnlySet", command, "time symbol on"))
        elif isinstance(command, EndDay):
            old = [order for order in self.live if order.command.time_in_force == "0"]
            old.sort(key=lambda order: order.id)
            said += [self._end(order, command.time, "C", text="end of the day") for order in old]
            said.append(_copy("DayEnded", command, "time day"))
        elif isinstance(command, CancelSession):
            said += self._cancel_session(command)
        elif isinstance(command, NewOrder):
            self._new(sequence, command, said)
        elif isinstance(command, CancelOrder):
            order = self._known(command)
            order.name = command.cl_ord_id
            asked = {"orig_cl_ord_id": command.orig_cl_ord_id, "requester": self._other(order, command)}
            said.append(self._end(order, command.time, "4", **asked))
        else:
            self._replace(sequence, command, said)
        return said

    def _cancel_session(self, command: CancelSession) -> list[Said]:
        kept = "" if command.good_till_cancel else "1"
        gone = [
            order
            for order in sorted(self.live, key=lambda order: order.id)
            if order.command.session == command.session and order.command.time_in_force != kept
        ]
        word = {"12": "connection lost", "13": "logged out"}[command.restatement]
        why = {"text": f"cancel on disconnect: {word}", "restatement": command.restatement}
        return [self._end(order, command.time, "4", **why) for order in gone[: command.most]]

    def _new(self, sequence: int, command: NewOrder, said: list[Said]) -> None:
        order = Open(sequence, command.cl_ord_id, command, command.quantity, command.price, sequence)
        said.append(self._say(order, command.time, "0", "0"))
        partners = self._partners(order)
        if command.time_in_force == "4" and sum(quantity for _, quantity in partners) < command.quantity:
            text = "not enough liquidity to fill the whole order"
            said.append(self._end(order, command.time, "4", text=text))
            return
        self._trade(order, partners, command.time, said)
        if order.left and (command.ord_type == "1" or command.time_in_force in "34"):
            said.append(self._end(order, command.time, "4", text="no liquidity"))
        elif order.left:
            self.live.append(order)

    def _replace(self, sequence: int, command: ReplaceOrder, said: list[Said]) -> None:
        order = self._known(command)
        stays = command.price == order.price and command.quantity <= order.quantity
        order.name, order.quantity, order.price = command.cl_ord_id, command.quantity, command.price
        asked = {"orig_cl_ord_id": command.orig_cl_ord_id, "requester": self._other(order, command)}
        said.append(self._say(order, command.time, "5", "1" if order.filled else "0", **asked))
        if not stays:
            order.arrival = sequence
            self._trade(order, self._partners(order), command.time, said)
            self.live = [other for other in self.live if other.left]

    def _partners(self, taker: Open) -> list[tuple[Open, int]]:
        """Whom the order would trade with now, and how much."""
        buys, left, partners = taker.command.side == "1", taker.left, []
        for maker in self.queue(taker.command.symbol, "2" if buys else "1"):
            good = maker.price <= taker.price if buys else maker.price >= taker.price
            if left and (good or taker.command.ord_type == "1"):
                partners.append((maker, min(left, maker.left)))
                left -= min(left, maker.left)
        if left and taker.command.ord_type == "1" and taker.command.time_in_force == "4":
            return []
        return partners

    def _trade(self, taker: Open, partners: list[tuple[Open, int]], time: int, said: list[Said]) -> None:
        instrument = self.instruments[taker.command.symbol]
        for maker, quantity in partners:
            self.trades += 1
            price = maker.price
            values = {"last_quantity": quantity, "last_price": price, "match_id": self.trades}
            for order in taker, maker:
                order.fills.append((quantity, price))
                sign = 1 if order.command.side == "1" else -1
                account = order.command.account
                self._move(account, instrument.base, sign * quantity * instrument.base_per_lot)
                self._move(
                    account, instrument.quote, -sign * quantity * price * instrument.quote_per_tick_lot
                )
                said.append(self._say(order, time, "F", "1" if order.left else "2", **values))
        self.live = [order for order in self.live if order.left]

    def _move(self, account: str, currency: str, amount: int) -> None:
        self.money[account, currency] = self.money.get((account, currency), 0) + amount
        assert self.money[account, currency] >= 0

    def _known(self, command: CancelOrder | ReplaceOrder) -> Open:
        order = self.find(command.client, command.orig_cl_ord_id)
        assert order is not None
        return order

    def _pays_in(self, order: Open) -> str:
        instrument = self.instruments[order.command.symbol]
        return instrument.quote if order.command.side == "1" else instrument.base

    def _holding(self, order: Open) -> int:
        instrument = self.instruments[order.command.symbol]
        if order.command.side == "1":
            return order.left * order.price * instrument.quote_per_tick_lot
        return order.left * instrument.base_per_lot

    def _other(self, order: Open, command: CancelOrder | ReplaceOrder) -> str:
        return "" if command.session == order.command.session else command.session

    def _end(self, order: Open, time: int, status: str, **more: Any) -> Said:
        order.ended = True
        self.live = [other for other in self.live if other is not order]
        return self._say(order, time, status, status, **more)

    def _say(self, order: Open, time: int, exec_type: str, ord_status: str, **more: Any) -> Said:
        same = "client session account symbol side ord_type time_in_force"
        said = _copy("Execution", order.command, same)
        said |= {"time": time, "exec_type": exec_type, "ord_status": ord_status}
        said |= {"order_id": order.id, "cl_ord_id": order.name, "orig_cl_ord_id": ""}
        said |= {"quantity": order.quantity, "price": order.price, "cum_quantity": order.filled}
        said |= {"leaves_quantity": order.left, "notional": sum(q * price for q, price in order.fills)}
        said |= {
            "last_quantity": 0,
            "last_price": 0,
            "match_id": 0,
            "requester": "",
            "text": "",
            "restatement": "",
        }
        return said | more


def _copy(event: str, command: Command, names: str) -> Said:
    return {"event": event} | {name: getattr(command, name) for name in names.split()}
