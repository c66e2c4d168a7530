"""The venue: accounts and markets wired together. Commands in, events out; nothing else changes it."""

from collections.abc import Iterator
from itertools import islice

from engine.checks import assert_in_range, assert_time_in_force, refusal_of
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
from engine.events import AccountOpened, CancelOnlySet, DayEnded, Event, InstrumentListed
from engine.market import Market
from engine.order import Order
from engine.refusals import Refusal
from engine.state import State
from engine.words import (
    BUY,
    CANCELED,
    CONNECTION_LOST,
    DAY,
    EXPIRED,
    FILL_OR_KILL,
    FILLED,
    GOOD_TILL_CANCEL,
    IMMEDIATE_OR_CANCEL,
    LOGGED_OUT,
    NEW,
    PARTIALLY_FILLED,
    REPLACED,
    TRADE,
)

NO_LIQUIDITY = "no liquidity"
NOT_WHOLE = "not enough liquidity to fill the whole order"
END_OF_DAY = "end of the day"
GONE = {
    CONNECTION_LOST: "cancel on disconnect: connection lost",
    LOGGED_OUT: "cancel on disconnect: logged out",
}


class Venue(State):
    """The state and the commands that change it."""

    __slots__ = ("_passed",)

    def __init__(self) -> None:
        super().__init__()
        self._passed: Command | None = None
        """the command that `refusal` last let pass, until the state changes: no need to ask again"""

    def refusal(self, command: Command) -> Refusal | None:
        """Why `apply` must not be given this command now; None if it may. Changes nothing."""
        refusal = refusal_of(self, command)
        if refusal is None:
            self._passed = command
        return refusal

    def apply(self, sequence: int, command: Command) -> list[Event]:
        """Carries out the command at `sequence` of the journal, above the one before. Asserts that
        nothing refuses it and that its numbers are in the ranges engine.commands gives."""
        assert sequence > self.sequence, (sequence, self.sequence)
        assert command is self._passed or self.refusal(command) is None, command
        self._passed = None
        if isinstance(command, NewOrder):
            events = self._new(sequence, command)
        elif isinstance(command, CancelOrder):
            events = self._cancel(command)
        elif isinstance(command, ReplaceOrder):
            events = self._replace(command)
        elif isinstance(command, SetCancelOnly):
            events = self._set_cancel_only(command)
        elif isinstance(command, OpenAccount):
            events = self._open(command)
        elif isinstance(command, ListInstrument):
            events = self._list(command)
        elif isinstance(command, CancelSession):
            events = self._cancel_session(command)
        else:
            events = self._end_day(command)
        self.sequence = sequence
        return events

    def _new(self, sequence: int, command: NewOrder) -> list[Event]:
        market = self.markets[command.symbol]
        side, quantity, price = command.side, command.quantity, command.price
        time_in_force = command.time_in_force
        assert_in_range(market.instrument, command)
        assert_time_in_force(command)
        account = self.accounts[command.account]
        account.reserve(market.reserve_currency[side], market.needed(side, quantity, price, time_in_force))
        order = Order(
            sequence,
            command.client,
            command.session,
            command.account,
            command.symbol,
            command.cl_ord_id,
            side,
            command.ord_type,
            time_in_force,
            quantity,
            price,
            quantity,
        )
        events: list[Event] = [order.execution(command.time, NEW, NEW)]
        if time_in_force == FILL_OR_KILL and market.sweep(side, quantity, price)[0] < quantity:
            self._end(command.time, order, CANCELED, NOT_WHOLE, events)
            return events
        self._trade(command.time, market, order, events)
        if not order.leaves_quantity:
            return events
        if price == 0 or time_in_force == IMMEDIATE_OR_CANCEL:
            self._end(command.time, order, CANCELED, NO_LIQUIDITY, events)
        else:
            market.side(side).add(order)
            self.orders[command.client][command.cl_ord_id] = order
            self.live.setdefault(command.session, {})[sequence] = order
        return events

    def _cancel(self, command: CancelOrder) -> list[Event]:
        order = self.orders[command.client].pop(command.orig_cl_ord_id)
        del self.live[order.session][order.order_id]
        self.markets[order.symbol].side(order.side).remove(order)
        self._release(order)
        order.cl_ord_id = command.cl_ord_id
        orig_cl_ord_id = command.orig_cl_ord_id
        return [order.execution(command.time, CANCELED, CANCELED, orig_cl_ord_id, requester=command.session)]

    def _replace(self, command: ReplaceOrder) -> list[Event]:
        orders = self.orders[command.client]
        order = orders[command.orig_cl_ord_id]
        market = self.markets[order.symbol]
        assert_in_range(market.instrument, command)
        del orders[command.orig_cl_ord_id]
        side = market.side(order.side)
        leaves_quantity = command.quantity - order.cum_quantity
        keeps_priority = command.price == order.price and command.quantity <= order.quantity
        account, currency = self.accounts[order.account], market.reserve_currency[order.side]
        account.release(currency, market.reservation(order.side, order.leaves_quantity, order.price))
        account.reserve(currency, market.reservation(order.side, leaves_quantity, command.price))
        if keeps_priority:
            side.reduce(order, leaves_quantity)
        else:
            side.remove(order)
            order.leaves_quantity = leaves_quantity
            order.price = command.price
        order.quantity = command.quantity
        order.cl_ord_id = command.cl_ord_id
        ord_status = PARTIALLY_FILLED if order.cum_quantity else NEW
        requester = command.session
        events: list[Event] = [
            order.execution(command.time, REPLACED, ord_status, command.orig_cl_ord_id, requester=requester)
        ]
        if not keeps_priority:
            self._trade(command.time, market, order, events)
            if not order.leaves_quantity:
                del self.live[order.session][order.order_id]
                return events
            side.add(order)
        orders[command.cl_ord_id] = order
        return events

    def _trade(self, logged_time: int, market: Market, taker: Order, events: list[Event]) -> None:
        """Matches the order as taker and settles each trade; adds the events of both its sides."""
        for maker, quantity in market.match(taker):
            price = maker.price
            buyer, seller = (taker, maker) if taker.side == BUY else (maker, taker)
            self.shard.settle(market.instrument, buyer, seller, quantity, price)
            if not maker.leaves_quantity:
                del self.orders[maker.client][maker.cl_ord_id]
                del self.live[maker.session][maker.order_id]
            self.match_id = match_id = self.match_id + 1
            for order in taker, maker:
                ord_status = PARTIALLY_FILLED if order.leaves_quantity else FILLED
                events.append(order.execution(logged_time, TRADE, ord_status, "", quantity, price, match_id))

    def _end(
        self,
        logged_time: int,
        order: Order,
        status: str,
        text: str,
        events: list[Event],
        restatement: str = "",
    ) -> None:
        """The end of an order that no one asked for; it is in no book."""
        self._release(order)
        events.append(order.execution(logged_time, status, status, text=text, restatement=restatement))

    def _withdraw(self, order: Order) -> None:
        """Takes a live order out of its book and forgets it."""
        self.markets[order.symbol].side(order.side).remove(order)
        del self.orders[order.client][order.cl_ord_id]
        del self.live[order.session][order.order_id]

    def _release(self, order: Order) -> None:
        """Frees what the order still holds: nothing of it is left to be filled."""
        market = self.markets[order.symbol]
        held = market.reservation(order.side, order.leaves_quantity, order.price)
        self.accounts[order.account].release(market.reserve_currency[order.side], held)
        order.leaves_quantity = 0

    def _set_cancel_only(self, command: SetCancelOnly) -> list[Event]:
        if command.symbol:
            self.markets[command.symbol].cancel_only = command.on
        else:
            self.cancel_only = command.on
        return [CancelOnlySet(command.time, command.symbol, command.on)]

    def _open(self, command: OpenAccount) -> list[Event]:
        self.shard.open(command)
        self.orders.setdefault(command.client, {})
        return [AccountOpened(command.time, command.account, command.client, command.balances)]

    def _list(self, command: ListInstrument) -> list[Event]:
        symbol = command.symbol
        assert symbol and symbol not in self.markets, command
        self.markets[symbol] = Market(command)
        base, quote, tick, lot = command.base, command.quote, command.tick, command.lot
        return [InstrumentListed(command.time, symbol, base, quote, tick, lot)]

    def _cancel_session(self, command: CancelSession) -> list[Event]:
        events: list[Event] = []
        for order in list(islice(self.cancelled_by(command), command.most)):
            self._withdraw(order)
            text = GONE[command.restatement]
            self._end(command.time, order, CANCELED, text, events, command.restatement)
        return events

    def cancelled_by(self, command: CancelSession) -> Iterator[Order]:
        """The live orders that the command is about, the oldest first."""
        for order in self.live.get(command.session, {}).values():
            if command.good_till_cancel or order.time_in_force != GOOD_TILL_CANCEL:
                yield order

    def _end_day(self, command: EndDay) -> list[Event]:
        assert command.day > self.day, command
        live = (order for orders in self.orders.values() for order in orders.values())
        expired = [order for order in live if order.time_in_force == DAY]
        events: list[Event] = []
        for order in sorted(expired, key=lambda order: order.order_id):
            self._withdraw(order)
            self._end(command.time, order, EXPIRED, END_OF_DAY, events)
        self.day = command.day
        events.append(DayEnded(command.time, command.day))
        return events
