"""Market states, and all that happens because of the time (docs/market.md, 7 and 10.1)."""

from itertools import islice

from engine.auction import outcome, uncross
from engine.cascade import NO_LIQUIDITY, finish
from engine.commands import EndDay, ExpireOrders, SetState, TellIndicative, TriggerStops
from engine.ending import withdraw
from engine.events import DayEnded, Event, Indicative, StateSet
from engine.market import Market
from engine.order import BOOK, DISTANT, Order
from engine.state import State
from engine.words import (
    AT_THE_CLOSE,
    AT_THE_OPENING,
    CANCELED,
    CLOSED,
    CLOSING_AUCTION,
    CONTINUOUS,
    DAY,
    EXPIRED,
    STATES,
)

AUCTION_OVER = "end of the auction"
MARKET_CLOSED = "the market is closed"
END_OF_DAY = "end of the day"
TIME_OVER = "expired"
OF_THE_DAY = (DAY, AT_THE_OPENING, AT_THE_CLOSE)


def set_state(state: State, _: int, command: SetState) -> list[Event]:
    assert command.state in STATES, command
    events: list[Event] = []
    markets = [state.markets[command.symbol]] if command.symbol else list(state.markets.values())
    for market in markets:
        if (market.state, market.reason) != (command.state, command.reason):
            _enter(state, command, market, events)
    return events


def trigger_stops(state: State, _: int, command: TriggerStops) -> list[Event]:
    events: list[Event] = []
    finish(state, command.time, state.markets[command.symbol], events)
    return events


def tell_indicative(state: State, _: int, command: TellIndicative) -> list[Event]:
    market = state.markets[command.symbol]
    return [Indicative(command.time, command.symbol, *outcome(market))] if market.in_call_phase else []


def expire_orders(state: State, _: int, command: ExpireOrders) -> list[Event]:
    events: list[Event] = []
    for (expire_time, _order_id), order in list(islice(state.expiring.items(), command.most)):
        if expire_time <= command.time:
            withdraw(state, command.time, order, EXPIRED, TIME_OVER, events)
    return events


def end_day(state: State, _: int, command: EndDay) -> list[Event]:
    assert command.day > state.day and state.ending in ("", command.day), command
    events: list[Event] = []
    live = (order for orders in state.orders.values() for order in orders.values())
    over = [order for order in live if _ends_with_day(order, command.day)]
    over.sort(key=_order_id)
    for order in over[: command.most or None]:
        withdraw(state, command.time, order, EXPIRED, END_OF_DAY, events)
    if len(events) < len(over):
        state.ending = command.day
        return events
    state.day, state.ending = command.day, ""
    events.append(DayEnded(command.time, command.day))
    return events


def _ends_with_day(order: Order, following: str) -> bool:
    """The day of a market on another node ends there."""
    if order.where == DISTANT:
        return False
    return order.time_in_force in OF_THE_DAY or "" < order.expire_day < following


def _enter(state: State, command: SetState, market: Market, events: list[Event]) -> None:
    before, market.state = market.state, command.state
    market.reason = command.reason
    events.append(StateSet(command.time, market.instrument.symbol, command.state, command.reason))
    if command.state == CONTINUOUS:
        uncross(state, command.time, market, events)
        _end(state, command.time, market.passing, AUCTION_OVER, events)
        finish(state, command.time, market, events)
    elif command.state == CLOSING_AUCTION:
        for order in list(market.parked.values()):
            market.take_out(order)
            market.rest(order)
    elif command.state == CLOSED:
        if before == CLOSING_AUCTION:
            uncross(state, command.time, market, events)
        everywhere = market.bids, market.asks, market.stops, market.touched.values(), market.parked.values()
        ends = (order for orders in everywhere for order in orders if _ends_with_market(order))
        _end(state, command.time, {order.order_id: order for order in ends}, MARKET_CLOSED, events)


def _ends_with_market(order: Order) -> bool:
    return order.time_in_force in OF_THE_DAY or (order.where == BOOK and not order.price)


def _end(state: State, logged_time: int, over: dict[int, Order], text: str, events: list[Event]) -> None:
    """Market orders in the book are canceled, others expire."""
    for _order_id, order in sorted(over.items()):
        if order.where == BOOK and not order.price:
            withdraw(state, logged_time, order, CANCELED, NO_LIQUIDITY, events)
        else:
            withdraw(state, logged_time, order, EXPIRED, text, events)


def _order_id(order: Order) -> int:
    return order.order_id
