"""Commands made by chance, the same ones for the same seed: mostly sensible, and small, so that everything
collides. A theme says of what there is more."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from engine.commands import (
    CancelMany,
    CancelOrder,
    CancelSession,
    Command,
    ContinueMany,
    CorrectTrade,
    EndDay,
    ExpireOrders,
    LimitAccount,
    NewOrder,
    ReplaceOrder,
    SetKill,
    SetRules,
    SetState,
    TellIndicative,
    TriggerStops,
    WithdrawOrder,
)
from tests.engine.pair import Pair
from tests.engine.reference.states import CALL_PHASES, TAKES_ORDERS
from tests.engine.reference.world import Open
from tests.engine.themes import ACCOUNTS, CLIENTS, SYMBOLS, Theme

NOTIONALS = ((), (("USD", 60),), (("EUR", 20), ("USD", 100)), (("EUR", 20),))

FEES = (1, 2_500, 33_333, 77_777, 100_000)


def make(choose: Random, pair: Pair, theme: Theme) -> Command:
    """Some command; TriggerStops where only that may come next (market.md 2.5)."""
    return Chance(choose, pair, theme).command()


class Chance:
    def __init__(self, choose: Random, pair: Pair, theme: Theme) -> None:
        self.choose, self.pair, self.theme = choose, pair, theme
        self.world = pair.reference
        self.time = pair.sequence * 10

    def happens(self, chance: float) -> bool:
        return self.choose.random() < chance

    def one_of(self, weights: dict[Any, int]) -> Any:
        return self.choose.choices(list(weights), list(weights.values()))[0]

    def day(self, offset: int) -> str:
        return f"day {self.pair.sequence + offset:09}"

    def command(self) -> Command:
        for symbol, state in self.world.states.items():
            if state == "continuous" and self.world.waiting(symbol, "touched"):
                return TriggerStops(self.time, symbol)
        if self.world.killed and self.happens(0.1):
            return SetKill(self.time, *self.choose.choice(sorted(self.world.killed)), on=False)
        idle = [symbol for symbol, state in self.world.states.items() if state not in TAKES_ORDERS]
        if idle and self.happens(0.04):
            return SetState(self.time, self.choose.choice(idle), self.one_of(self.theme.states))
        if self.happens(self.theme.state):
            symbol = self.one_of(dict.fromkeys(SYMBOLS, 5) | {"": 3, "XRP-USD": 1})
            return SetState(self.time, symbol, self.one_of(self.theme.states))
        if self.happens(self.theme.rules):
            return self.limits()
        if self.world.canceling and self.happens(0.5):
            return ContinueMany(self.time, self.choose.randint(1, 4))
        kind: Callable[[], Command] = self.one_of(
            {self.new: 68, self.replace: 16, self.cancel: 8, self.seldom: 8}
        )
        return kind()

    def seldom(self) -> Command:
        kind: Callable[[], Command] = self.one_of(
            {
                self.indicative: 20,
                self.correct: 20,
                self.expire: 15,
                self.end_day: 2,
                self.cancel_many: 6,
                self.cancel_session: 3,
                self.withdraw: 8,
                self.kill: 3,
                self.go_on: 2,
            }
        )
        return kind()

    def limits(self) -> Command:
        choose, banded = self.choose, self.happens(self.theme.band)
        if self.happens(0.4):
            account = choose.choice((*ACCOUNTS, "C-1"))
            return LimitAccount(self.time, account, choose.choice((0, 5, 12)), choose.choice(NOTIONALS))
        return SetRules(
            self.time,
            choose.choice((*SYMBOLS, *SYMBOLS, "XRP-USD")),
            min_price=choose.choice((0, 0, 2, 3)),
            max_notional=choose.choice((0, 0, 50, 90)),
            band=choose.choice((4000, 6000, 8000)) if banded and self.happens(0.6) else 0,
            collar=choose.choice((1, 1500, 3500, 12000)) if banded and self.happens(0.6) else 0,
            dynamic_band=choose.choice((2000, 3500, 6000)) if banded and self.happens(0.8) else 0,
            reference_price=choose.choice((0, 4, 6)),
            maker_fee=choose.choice(FEES) if self.happens(self.theme.fees) else 0,
            taker_fee=choose.choice(FEES) if self.happens(self.theme.fees) else 0,
        )

    def new(self) -> NewOrder:
        choose = self.choose
        client = choose.choice(CLIENTS)
        own = [account for account in ACCOUNTS if account.startswith(client)]
        symbol = choose.choice(SYMBOLS) if self.happens(0.98) else "XRP-USD"
        side = choose.choice("12")
        call = self.world.states.get(symbol) in CALL_PHASES
        is_stop = self.happens(self.theme.stop)
        limit = self.happens(0.75)
        quantity = choose.randint(1, 9)
        common = {"0": 40, "1": 25, "6": 15}
        rare = {"7": 5, "2": 12 if call else 2} | ({} if call and self.happens(0.8) else {"3": 8, "4": 8})
        time_in_force = self.one_of(common if is_stop else common | rare)
        cash = 0
        if not limit and not is_stop and time_in_force in "03" and self.happens(0.2 if call else 0.5):
            quantity, cash = 0, choose.randint(1, 120)
        sent = (
            *(self.time, client, f"{client}{choose.randint(1, 2)}"),
            choose.choice(own if self.happens(0.98) else ("B-1", "C-1")),
            f"{choose.randint(1, 400)}",
            *(symbol, side, "1234"[2 * is_stop + limit], time_in_force, quantity),
            self.price(side) if limit else 0,
        )
        more: dict[str, Any] = {"stop_price": choose.randint(1, 9) if is_stop else 0, "cash": cash}
        if time_in_force == "6":
            more |= self.expiry()
        if self.happens(self.theme.special) and quantity:
            more |= self.special(limit, is_stop, time_in_force, quantity)
        if self.happens(self.theme.self_trade):
            more |= {
                "group": choose.choice(("", "g", "g", "g", "h")),
                "self_trade": choose.choice(("", *"01234")),
            }
        return NewOrder(*sent, **more)

    def price(self, side: str) -> int:
        return self.choose.randint(1, 7) if side == "1" else self.choose.randint(3, 9)

    def expiry(self) -> dict[str, Any]:
        if self.happens(0.5):
            return {"expire_time": max(1, self.time + self.choose.randint(-100, 1500))}
        return {"expire_day": self.day(self.choose.randint(-100, 400))}

    def special(self, limit: bool, is_stop: bool, time_in_force: str, quantity: int) -> dict[str, Any]:
        """What may be asked of such an order."""
        may_rest = limit and time_in_force in "016"
        kinds = ["display"] if may_rest else []
        kinds += ["post_only"] if may_rest and not is_stop else []
        kinds += ["min_quantity"] if not is_stop and time_in_force in "0136" else []
        kind = self.choose.choice(kinds or [""])
        if kind == "post_only":
            return {kind: self.choose.choice(("refuse", "slide"))}
        return {kind: self.choose.randint(1, quantity)} if kind else {}

    def some_order(self) -> Open | None:
        return self.choose.choice(self.world.live) if self.world.live and self.happens(0.97) else None

    def request(self, order: Open | None) -> tuple[str, str, str, str]:
        """The fields that a cancel and a replace begin with."""
        client = order.command.client if order else self.choose.choice(CLIENTS)
        session = f"{client}{self.choose.randint(1, 2)}"
        return client, session, f"{self.choose.randint(1, 400)}", order.name if order else "none"

    def cancel(self) -> Command:
        order = self.some_order()
        wrong = order is None or self.happens(0.03)
        symbol, side = (
            ("BTC-USD", "1") if order is None or wrong else (order.command.symbol, order.command.side)
        )
        client, session, name, orig = self.request(order)
        return CancelOrder(self.time, client, session, name, orig, symbol, side)

    def replace(self) -> Command:
        order = self.some_order()
        if order is None:
            return self.cancel()
        had = order.command
        client, session, name, orig = self.request(order)
        sent: dict[str, Any] = {
            name: getattr(had, name) for name in ("account", "symbol", "side", "ord_type")
        }
        if self.happens(0.05):
            sent |= self.choose.choice(
                (
                    {"account": ""},
                    {"account": "B-1"},
                    {"side": "1"},
                    {"ord_type": "2"},
                    {"time_in_force": "1"},
                )
            )
        if sent["ord_type"] != had.ord_type:
            sent["price"] = order.price or 1
        quantity = max(1, order.quantity + self.choose.choice((0, 0, -1, -2, 1, 2)))
        quantity = min(quantity, 12)
        price = order.price
        if price and self.happens(0.5):
            price = self.price(had.side)
        sent = {"quantity": quantity, "price": price} | sent
        sent["stop_price"] = order.stop_price
        if order.stop_price and self.happens(0.3 if order.is_stop else 0.05):
            sent["stop_price"] = self.choose.randint(1, 9)
        sent["display"] = min(order.display, quantity)
        if price and had.time_in_force in "016" and self.happens(0.1):
            sent["display"] = self.choose.randint(0, quantity)
        if had.time_in_force == "6":
            kept = {"expire_time": order.expire_time, "expire_day": order.expire_day}
            sent |= kept if self.happens(0.5) else self.expiry() if self.happens(0.8) else {}
        elif self.happens(0.02):
            sent |= self.expiry()
        return ReplaceOrder(
            time=self.time, client=client, session=session, cl_ord_id=name, orig_cl_ord_id=orig, **sent
        )

    def indicative(self) -> Command:
        in_call = [symbol for symbol, state in self.world.states.items() if state in CALL_PHASES]
        return TellIndicative(self.time, self.choose.choice(in_call)) if in_call else self.new()

    def correct(self) -> Command:
        if not self.pair.trades:
            return self.new()
        number = self.choose.choice(list(self.pair.trades)[-30:])
        trade = self.pair.trades[number]
        quantity = self.choose.choice((0, self.choose.randint(1, trade.quantity), trade.quantity))
        return CorrectTrade(
            self.time,
            self.pair.last[trade.orders["1"]],
            self.pair.last[trade.orders["2"]],
            number,
            trade.events["1"],
            trade.events["2"],
            trade.quantity,
            trade.price,
            quantity,
            self.choose.randint(1, 9) if quantity else 0,
            "wrong",
            trade.rates["1"],
            trade.rates["2"],
        )

    def expire(self) -> Command:
        return ExpireOrders(self.time, self.choose.randint(1, 4))

    def end_day(self) -> Command:
        return EndDay(self.time, self.pair.venue.ending or self.day(1), self.choose.choice((0, 0, 1, 3)))

    def cancel_many(self) -> Command:
        choose, session = self.choose, choose_session(self.choose)
        return CancelMany(
            self.time,
            session[:1] if session else choose.choice(("", *CLIENTS)),
            choose.choice(("", "", *ACCOUNTS)),
            choose.choice(("", "", *SYMBOLS, "XRP-USD")),
            choose.choice(("", "", "1", "2")),
            choose.randint(1, 6),
            session,
            "many",
            text="" if session else "by the operator",
        )

    def go_on(self) -> Command:
        return ContinueMany(self.time, self.choose.randint(1, 4))

    def cancel_session(self) -> Command:
        session = choose_session(self.choose) or "A1"
        why = self.choose.choice(("12", "13"))
        return CancelSession(self.time, session, why, self.happens(0.5), self.choose.randint(1, 6))

    def withdraw(self) -> Command:
        order = self.some_order()
        return WithdrawOrder(self.time, order.id if order else 0, "by the operator")

    def kill(self) -> Command:
        names = {"venue": ("",), "client": CLIENTS, "account": (*ACCOUNTS, "C-1")}
        scope = self.choose.choice(list(names))
        return SetKill(self.time, scope, self.choose.choice(names[scope]), self.happens(0.7))


def choose_session(choose: Random) -> str:
    return choose.choice(("", "A1", "A2", "B1", "B2"))
