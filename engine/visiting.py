"""Orders of users on other nodes, in markets here. No account stands behind them here: their home has debited
them. What becomes of them is told there (engine.settling)."""

from msgspec.structs import replace

from engine import refusals
from engine.commands import ListInstrument, NewOrder, ReplaceOrder
from engine.events import Event
from engine.market_checks import amend_refused_by_market, assert_in_range, refused_by_market
from engine.order import Order
from engine.peer_messages import AMEND, CANCEL, PLACE, Amend, Cancel, Denied, Follow, Following, Place
from engine.peers import foreign, foreign_name, say
from engine.placing import place, take_back
from engine.refusals import Refusal
from engine.replacing import amend
from engine.state import State
from engine.words import CLIENT, HALTED, VENUE

FULL = Refusal(refusals.STORE_FULL)


def follow(state: State, logged_time: int, peer: int, message: Follow) -> list[Event]:
    symbol = message.instrument.symbol
    market = state.markets.get(symbol)
    difference = "symbol" if market is None else _difference(market.instrument, message.instrument)
    if market is None or difference:
        return [say(state.channels, logged_time, peer, Following(symbol, "", "", difference))]
    followers = state.followers.setdefault(symbol, [])
    if peer not in followers:
        followers.append(peer)
    return [say(state.channels, logged_time, peer, Following(symbol, market.state, market.reason))]


def _difference(here: ListInstrument, there: ListInstrument) -> str:
    """The first field in which they differ; "" if they are the same instrument."""
    pairs = (
        ("base", here.base, there.base),
        ("quote", here.quote, there.quote),
        ("tick", here.tick, there.tick),
        ("lot", here.lot, there.lot),
        ("base_per_lot", here.base_per_lot, there.base_per_lot),
        ("quote_per_tick_lot", here.quote_per_tick_lot, there.quote_per_tick_lot),
        ("max_quantity", here.max_quantity, there.max_quantity),
        ("max_price", here.max_price, there.max_price),
    )
    return next((name for name, ours, theirs in pairs if ours != theirs), "")


def enter(
    state: State, sequence: int, logged_time: int, peer: int, message: Place, full: bool
) -> list[Event]:
    """Takes an order once, however often it is placed (feature 50): what became of it is told anyway."""
    channel, sent = state.channels[peer], message.order
    if message.order_id <= channel.last_order:
        return []
    channel.last_order = message.order_id
    command = replace(
        sent,
        time=logged_time,
        client=foreign_name(peer, sent.client),
        session=foreign_name(peer, sent.session),
        account=foreign_name(peer, sent.account),
        group=foreign_name(peer, sent.group),
    )
    refusal = FULL if full else _no_entry(state, peer, command)
    if refusal is not None:
        denied = Denied(message.order_id, sent.session, PLACE, sent.cl_ord_id, refusal)
        return [say(state.channels, logged_time, peer, denied)]
    state.orders.setdefault(command.client, {})
    market, terms = state.markets[command.symbol], state.terms
    assert terms is not None, command
    assert_in_range(market.instrument, command, terms.quantity)
    return place(state, sequence, market, command, foreign(peer, message.order_id))


def _no_entry(state: State, peer: int, command: NewOrder) -> Refusal | None:
    if peer not in state.followers.get(command.symbol, ()):
        return Refusal(refusals.UNKNOWN_SYMBOL, command.symbol)
    if (refusal := _killed(state, command.client)) is not None:
        return refusal
    return refused_by_market(state, state.markets[command.symbol], command)


def _killed(state: State, client: str) -> Refusal | None:
    for scope, name in (VENUE, ""), (CLIENT, client):
        if (scope, name) in state.killed:
            return Refusal(refusals.KILLED, scope, name)
    return None


def cancel(state: State, logged_time: int, peer: int, message: Cancel) -> list[Event]:
    order = _order(state, peer, message)
    refusal = None
    if order is None:
        refusal = Refusal(refusals.UNKNOWN_ORDER, message.cl_ord_id)
    elif message.requester and state.markets[order.symbol].state == HALTED:
        refusal = Refusal(refusals.STATE, refusals.CANCELS, HALTED)
    if order is None or refusal is not None:
        return [_denied(state, logged_time, peer, message, CANCEL, message.cl_ord_id, refusal)]
    requester = foreign_name(peer, message.requester)
    return take_back(
        state, logged_time, order, message.cl_ord_id, requester, message.text, message.restatement
    )


def change(
    state: State, sequence: int, logged_time: int, peer: int, message: Amend, full: bool
) -> list[Event]:
    order = _order(state, peer, message)
    if order is None:
        refusal: Refusal | None = Refusal(refusals.UNKNOWN_ORDER, message.request.orig_cl_ord_id)
    else:
        refusal = FULL if full else _no_change(state, order, message.request)
    if order is None or refusal is not None:
        return [_denied(state, logged_time, peer, message, AMEND, message.request.cl_ord_id, refusal)]
    session = foreign_name(peer, message.request.session)
    command = replace(message.request, time=logged_time, session=session)
    assert_in_range(state.markets[order.symbol].instrument, command, command.quantity)
    return amend(state, sequence, order, command)


def _no_change(state: State, order: Order, request: ReplaceOrder) -> Refusal | None:
    if order.triggered and request.stop_price != order.stop_price:
        return Refusal(refusals.MISMATCH, request.stop_price, order.stop_price, "StopPx")
    if (refusal := _killed(state, order.client)) is not None:
        return refusal
    return amend_refused_by_market(state, state.markets[order.symbol], order, request)


def _order(state: State, peer: int, message: Cancel | Amend) -> Order | None:
    return state.live_order(foreign_name(peer, message.session), foreign(peer, message.order_id))


def _denied(
    state: State,
    logged_time: int,
    peer: int,
    message: Cancel | Amend,
    request: str,
    cl_ord_id: str,
    refusal: Refusal | None,
) -> Event:
    assert refusal is not None
    denied = Denied(message.order_id, message.session, request, cl_ord_id, refusal)
    return say(state.channels, logged_time, peer, denied)
