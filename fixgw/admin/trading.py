"""What an operator does to markets, orders and trades: each deed in the transaction of a turn, with its note
in the audit."""

from engine.commands import CancelMany, CorrectTrade, SetKill, SetState, WithdrawOrder
from engine.events import Execution
from engine.order import Order
from engine.peers import home_of
from engine.refusals import BLOCKED, FUNDS, NOT_RESIDENT
from engine.words import ACCOUNT, BUY, CANCEL_ONLY, CLIENT, CONTINUOUS, TRADE
from fixgw.admin.deeds import Absent, Refused
from fixgw.admin.words import Bust, CancelOnly, CancelOrder, Correct, Kill, MarketState, OfTrading
from fixgw.codec.decimals import NotDecimal, OffStep, Step
from fixgw.cycle.recorder import CANCELED_AT_ONCE, Recorder
from fixgw.frontend.history import events_of_trade, latest_event
from fixgw.settings.building import close
from fixgw.store.accounts import client_of

KILLED = "kill switch"
NO_ROOM = "the store has no room left"


class Trading:
    """The deeds of one operator, `who`, in one turn. Each returns what was done, or raises Refused."""

    def __init__(self, recorder: Recorder, time: int, who: str) -> None:
        self._recorder = recorder
        self._venue = recorder.venue
        self._time = time
        self._who = who

    def carry_out(self, request: OfTrading) -> str:
        match request:
            case CancelOnly():
                return self._cancel_only(request)
            case MarketState():
                return self._set_state(request)
            case Kill():
                return self._kill(request)
            case CancelOrder():
                return self._cancel(request)
            case Bust():
                return self._correct(request.exec_id, "", "", request.text, bust=True)
            case Correct():
                return self._correct(request.exec_id, request.quantity, request.price, request.text)

    def _note(self, what: str) -> None:
        self._recorder.note(self._time, self._who, what)

    def _where(self, symbol: str) -> str:
        if symbol in self._venue.distant:
            raise Refused(
                f"market {symbol} is on node {self._venue.distant[symbol].peer}: that is said there"
            )
        if symbol and symbol not in self._venue.markets:
            raise Refused(f"there is no market {symbol}{close(symbol, self._venue.markets)}")
        return symbol or "all markets"

    def _need_room(self, orders: int) -> None:
        if not self._recorder.room.take_all(orders):
            raise Refused(NO_ROOM)

    def _need_room_to_enter(self, symbol: str, state: str) -> None:
        if not self._recorder.room_to_enter(symbol, state):
            raise Refused(f"{NO_ROOM} for all the orders that could end")

    def _set_state(self, request: MarketState) -> str:
        where = self._where(request.symbol)
        self._need_room_to_enter(request.symbol, request.state)
        self._note(f"market {where} {request.state}")
        self._recorder.accept(SetState(self._time, request.symbol, request.state))
        return f"{where}: {request.state}"

    def _cancel_only(self, request: CancelOnly) -> str:
        """Off: markets in which it was on trade again, and no other."""
        where, markets = self._where(request.symbol), self._venue.markets
        self._need_room_to_enter(request.symbol, CANCEL_ONLY if request.on else CONTINUOUS)
        self._note(f"cancel-only {'on' if request.on else 'off'} for {where}")
        if request.on:
            self._recorder.accept(SetState(self._time, request.symbol, CANCEL_ONLY))
        elif not request.symbol and all(market.state == CANCEL_ONLY for market in markets.values()):
            self._recorder.accept(SetState(self._time, "", CONTINUOUS))  # told as one change
        else:
            for symbol in [request.symbol] if request.symbol else list(markets):
                if markets[symbol].state == CANCEL_ONLY:
                    self._recorder.accept(SetState(self._time, symbol, CONTINUOUS))
        return f"cancel-only is {'on' if request.on else 'off'} for {where}"

    def _kill(self, request: Kill) -> str:
        name, client = request.name, request.name
        if request.scope == ACCOUNT:
            owner = client_of(self._recorder.store, self._recorder.transaction, name)
            if owner is None:
                raise Refused(f"there is no account {name}")
            client = owner
        elif name not in (known := self._venue.orders if request.scope == CLIENT else [""]):
            raise Refused(f"there is no {request.scope} {name}{close(name, known)}")
        what = f"{request.scope} {name}".rstrip()
        if ((request.scope, name) in self._venue.killed) == request.on:
            raise Refused(f"the kill switch of {what} is {'on' if request.on else 'off'} already")
        self._note(f"kill {what} {'on' if request.on else 'off'}")
        self._recorder.accept(SetKill(self._time, request.scope, name, request.on))
        if not request.on:
            return f"the kill switch of {what} is off: orders are taken again"
        account = name if request.scope == ACCOUNT else ""
        most = self._recorder.room.take(CANCELED_AT_ONCE)
        self._recorder.accept(CancelMany(self._time, client, account, "", "", most, text=KILLED))
        return f"the kill switch of {what} is on: its orders are canceled, new ones refused, cancels pass"

    def _cancel(self, request: CancelOrder) -> str:
        refusal = self._venue.refusal(command := WithdrawOrder(self._time, request.order_id, request.text))
        if refusal is not None:
            raise Refused(f"there is no live order {request.order_id}")
        self._need_room(1)
        self._note(f"cancel {request.order_id}: {request.text}")
        self._recorder.accept(command)
        order = self._venue.by_id(request.order_id)
        if order is not None:
            return f"order {request.order_id} is canceled as soon as node {self._peer_of(order)} has heard it"
        return f"order {request.order_id} is canceled"

    def _peer_of(self, order: Order) -> int:
        return self._venue.distant[order.symbol].peer

    def _correct(self, exec_id: int, quantity: str, price: str, text: str, bust: bool = False) -> str:
        buy, sell = self._trade(exec_id)
        event = buy[1]
        instrument = self._recorder.instruments[event.symbol]
        was = self._venue.corrected.get(event.match_id, (event.last_quantity, event.last_price))
        if not was[0]:
            raise Refused(f"trade {exec_id} is busted already")
        lots = 0 if bust else _steps("quantity", quantity, instrument.quantity) if quantity else was[0]
        if not (lots or bust):
            raise Refused(f"a trade of 0 is none: `fixgw admin bust {exec_id}` takes it back")
        ticks = (_steps("price", price, instrument.price) if price else was[1]) if lots else 0
        if lots > was[0] or ticks > instrument.max_price or (lots and not ticks):
            most = f"{instrument.quantity.print(was[0])} @ {instrument.price.print(instrument.max_price)}"
            raise Refused(f"a trade can be corrected to a positive price and quantity, at most {most}")
        if (lots, ticks) == was:
            raise Refused(f"trade {exec_id} has this price and quantity already")
        if lots and ticks != was[1] and ticks < self._venue.markets[event.symbol].rules.min_price:
            lowest = instrument.price.print(self._venue.markets[event.symbol].rules.min_price)
            raise Refused(f"price {price} is below the lowest of the market, {lowest}")
        command = CorrectTrade(
            self._time, self._latest(event), self._latest(sell[1]), event.match_id, buy[0], sell[0],
            *was, lots, ticks, text, event.fee_rate, sell[1].fee_rate,
        )  # fmt: skip
        refusal = self._venue.refusal(command)
        if refusal is not None:
            name = str(refusal.value)
            if refusal.reason == NOT_RESIDENT:
                raise Absent(name)
            if refusal.reason == BLOCKED:
                raise Refused(
                    f"account {name} is blocked: `fixgw admin resolve {name} memory|record` decides"
                )
            assert refusal.reason == FUNDS
            show = instrument.currencies[refusal.unit].print
            raise Refused(
                f"{show(int(refusal.value))} {refusal.unit} would have to go back, and who has it can spare "
                f"{show(int(refusal.limit))}; nothing was done"
            )
        self._need_room(2)
        word = f"corrected to {instrument.quantity.print(lots)} @ {instrument.price.print(ticks)}"
        done = f"trade {exec_id} of {event.symbol} is {word if lots else 'busted'}"
        self._note(f"{done}: {text}")
        self._recorder.accept(command)
        return done

    def _trade(self, exec_id: int) -> tuple[tuple[int, Execution], tuple[int, Execution]]:
        """(output log sequence, event) of its buy order and of its sell order."""
        events = events_of_trade(self._recorder.store, self._recorder.transaction, exec_id)
        if any(home_of(event.order_id) or event.symbol in self._venue.distant for _, event in events):
            raise Refused(f"trade {exec_id} is of users of two nodes: it cannot be taken back or changed")
        sides = {event.side: (number, event) for number, event in events if event.exec_type == TRADE}
        if len(sides) != 2:
            raise Refused(f"there is no trade with ExecID {exec_id}")
        sell = next(each for side, each in sides.items() if side != BUY)
        return sides[BUY], sell

    def _latest(self, event: Execution) -> Execution:
        last = latest_event(self._recorder, event.order_id)
        if last is None:
            raise Refused(f"the order {event.order_id} ended on a day that is not kept any more")
        return last


def _steps(what: str, text: str, grid: Step) -> int:
    try:
        return grid.parse(text)
    except (NotDecimal, OffStep):
        raise Refused(f"{what} {text} is not a plain number in steps of {grid.print(1)}") from None
