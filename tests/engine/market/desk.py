"""A small venue and short words for what happens there, so that a test reads like a story, told by the
engine and by the reference alike.

Two clients, ALPHA and BRAVO, each with one account and plenty of USD and BTC. One instrument, BTC-USD: one
lot is 10 of BTC, and costs 2 of USD per tick. Orders are ALPHA's to buy and BRAVO's to sell unless `by` says
otherwise. A client has one session, of its own name."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from engine.commands import (
    CancelMany,
    CancelOrder,
    Command,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
    SetKill,
    SetRules,
    SetState,
    TriggerStops,
)
from engine.words import BUY, DAY, LIMIT, MARKET, SELL, STOP, STOP_LIMIT
from tests.engine.market.telling import place, words
from tests.engine.reference import Reference
from tests.engine.reference.world import Open, Refused, Said

SYMBOL = "BTC-USD"
BTC_USD = ListInstrument(1, SYMBOL, "BTC", "USD", "0.01", "0.001", 10, 2, 100, 1000)
ETH_USD = ListInstrument(1, "ETH-USD", "ETH", "USD", "0.01", "0.001", 1, 1, 100, 1000)
RICH = (("USD", 1_000_000), ("BTC", 100_000))
TIME = 1000
"""of a command, unless it says otherwise"""


class Side(Protocol):
    """What the engine and the reference both can say."""

    def refusal(self, command: Command) -> Refused | None: ...
    def apply(self, sequence: int, command: Command) -> list[Said]: ...
    def book(self, side: str) -> list[str]: ...
    def waiting(self) -> dict[str, list[str]]: ...
    def money(self, account: str, currency: str) -> tuple[int, int]: ...
    def state(self, symbol: str) -> str: ...


class ReferenceSide:
    def __init__(self) -> None:
        self.world = Reference()

    def refusal(self, command: Command) -> Refused | None:
        return self.world.refusal(command)

    def apply(self, sequence: int, command: Command) -> list[Said]:
        return self.world.apply(sequence, command)

    def book(self, side: str) -> list[str]:
        return [place(order.name, order.shown, order.left, order.price) for order in self._queue(side)]

    def _queue(self, side: str) -> list[Open]:
        return self.world.queue(SYMBOL, side)

    def waiting(self) -> dict[str, list[str]]:
        names = {where: self.world.waiting(SYMBOL, where) for where in ("stops", "touched", "parked")}
        return {where: [order.name for order in orders] for where, orders in names.items()}

    def money(self, account: str, currency: str) -> tuple[int, int]:
        return self.world.money[account, currency], self.world.held(account, currency)

    def state(self, symbol: str) -> str:
        return self.world.states[symbol]


class EngineSide:
    def __init__(self) -> None:
        from engine.venue import Venue

        self.venue = Venue()

    def refusal(self, command: Command) -> Refused | None:
        refusal = self.venue.refusal(command)
        return refusal and msgspec.structs.astuple(refusal)  # type: ignore[return-value]

    def apply(self, sequence: int, command: Command) -> list[Said]:
        events = self.venue.apply(sequence, command)
        return [{"event": type(event).__name__} | msgspec.structs.asdict(event) for event in events]

    def book(self, side: str) -> list[str]:
        market = self.venue.markets[SYMBOL]
        orders = market.bids if side == BUY else market.asks
        return [place(order.cl_ord_id, order.shown, order.leaves_quantity, order.price) for order in orders]

    def waiting(self) -> dict[str, list[str]]:
        market = self.venue.markets[SYMBOL]
        outside = {"touched": market.touched, "parked": market.parked}
        where = {"stops": list(market.stops)} | {word: list(o.values()) for word, o in outside.items()}
        return {word: [order.cl_ord_id for order in orders] for word, orders in where.items()}

    def money(self, account: str, currency: str) -> tuple[int, int]:
        balance = self.venue.users[account].balances[currency]
        return balance.total, balance.reserved

    def state(self, symbol: str) -> str:
        return self.venue.markets[symbol].state


class Desk:
    """Each method gives what came out, in words: one text for each event, or one for the refusal."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.sequence = 0
        self.events: list[Said] = []
        """what the last command gave"""
        self.latest: dict[int, Said] = {}
        """the latest event of each order"""
        self.log: list[Said] = []
        self.send(BTC_USD)
        for client in "ALPHA", "BRAVO":
            self.send(OpenAccount(2, f"{client}-1", client, RICH))

    def send(self, command: Command) -> list[str]:
        refusal = self.side.refusal(command)
        if refusal is not None:
            self.events = []
            return ["refused: " + " ".join(str(word) for word in refusal if word not in (0, ""))]
        self.sequence += 1
        self.events = self.side.apply(self.sequence, command)
        self.log += self.events
        self.latest |= {event["order_id"]: event for event in self.events if event["event"] == "Execution"}
        return [words(event) for event in self.events]

    def buy(self, name: str, quantity: int, price: int = 0, tif: str = DAY, **more: Any) -> list[str]:
        return self.send(new(name, BUY, quantity, price, tif, **({"by": "ALPHA"} | more)))

    def sell(self, name: str, quantity: int, price: int = 0, tif: str = DAY, **more: Any) -> list[str]:
        return self.send(new(name, SELL, quantity, price, tif, **({"by": "BRAVO"} | more)))

    def trade(self, price: int) -> None:
        """One lot changes hands at this price, and nothing is left."""
        self.sell(f"ts{self.sequence}", 1, price)
        self.buy(f"tb{self.sequence}", 1, price)
        assert self.events[1]["last_price"] == price

    def leave(self, amount: int) -> None:
        """Ties up ALPHA's USD in another market, until only so much is available."""
        self.send(ETH_USD)
        while (spare := self.money("ALPHA", "USD")[0] - self.money("ALPHA", "USD")[1] - amount) > 0:
            price = min(spare, 1000)
            quantity, name = min(spare // price, 100), f"tied up {self.sequence}"
            self.send(new(name, BUY, quantity, price, DAY, by="ALPHA", symbol="ETH-USD"))

    def event_of(self, name: str) -> Said:
        """The latest event of the order that had this ClOrdID last."""
        (found,) = [event for event in self.latest.values() if event["cl_ord_id"] == name]
        return found

    def replace(
        self, orig: str, name: str, quantity: int, price: int | None = None, **more: Any
    ) -> list[str]:
        """Fields that are not given stay what they are."""
        now = self.event_of(orig)
        kept = ("stop_price", "display", "expire_time", "expire_day")
        fields = {field: now[field] for field in kept} | {"time": TIME} | more
        price = now["price"] if price is None else price
        session = fields.pop("session", now["session"])
        same = {field: now[field] for field in ("client", "account", "symbol", "side", "ord_type")} | fields
        return self.send(
            ReplaceOrder(
                cl_ord_id=name, orig_cl_ord_id=orig, session=session, quantity=quantity, price=price, **same
            )
        )

    def cancel(self, orig: str, name: str = "x", **more: Any) -> list[str]:
        now = self.event_of(orig)
        fields = {field: now[field] for field in ("client", "session", "symbol", "side")} | more
        return self.send(CancelOrder(time=TIME, cl_ord_id=name, orig_cl_ord_id=orig, **fields))

    def cancel_many(self, most: int = 100, **more: Any) -> list[str]:
        """Of the operator, unless it has a session."""
        fields = dict.fromkeys(("client", "account", "symbol", "side"), "") | more
        return self.send(CancelMany(time=TIME, most=most, **fields))

    def enter(self, state: str, symbol: str = SYMBOL) -> list[str]:
        return self.send(SetState(TIME, symbol, state))

    def rules(self, **limits: int) -> list[str]:
        return self.send(SetRules(TIME, SYMBOL, **limits))

    def trigger(self) -> list[str]:
        return self.send(TriggerStops(TIME, SYMBOL))

    def kill(self, scope: str, name: str = "", on: bool = True) -> list[str]:
        return self.send(SetKill(TIME, scope, name, on))

    def bids(self) -> list[str]:
        return self.side.book(BUY)

    def asks(self) -> list[str]:
        return self.side.book(SELL)

    def stops(self) -> list[str]:
        return self.side.waiting()["stops"]

    def touched(self) -> list[str]:
        return self.side.waiting()["touched"]

    def parked(self) -> list[str]:
        return self.side.waiting()["parked"]

    def state(self, symbol: str = SYMBOL) -> str:
        return self.side.state(symbol)

    def money(self, client: str, currency: str) -> tuple[int, int]:
        """(total, reserved) of the client's account."""
        return self.side.money(f"{client}-1", currency)


def new(name: str, side: str, quantity: int, price: int, tif: str, *, by: str, **more: Any) -> NewOrder:
    """A limit order, or without a price a market order; with `stop_price` a stop of the one or the other."""
    stop = more.get("stop_price", 0)
    fields: dict[str, Any] = {
        "time": TIME,
        "client": by,
        "session": by,
        "account": f"{by}-1",
        "cl_ord_id": name,
        "symbol": SYMBOL,
        "side": side,
        "ord_type": {(0, 0): MARKET, (1, 0): LIMIT, (0, 1): STOP, (1, 1): STOP_LIMIT}[price > 0, stop > 0],
        "time_in_force": tif,
        "quantity": quantity,
        "price": price,
    }
    return NewOrder(**fields | more)
