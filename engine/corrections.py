"""Trades that are taken back or changed by the operator (docs/market.md, 10.5)."""

from engine import refusals
from engine.commands import CorrectTrade
from engine.events import Event, Execution
from engine.fees import fee_of
from engine.order import Order
from engine.peers import SPAN
from engine.refusals import Refusal
from engine.state import State
from engine.user import User
from engine.user_checks import away
from engine.words import BUSTED, CANCELED, CORRECTED, FILLED


def unaffordable(state: State, command: CorrectTrade) -> Refusal | None:
    """Both must be in memory, and who got too much must have it to give back."""
    if command.buy.symbol in state.distant or max(command.buy.order_id, command.sell.order_id) >= SPAN:
        return Refusal(refusals.DISTANT)
    for name in command.buy.account, command.sell.account:
        user = state.users.get(name)
        refusal = Refusal(refusals.NOT_RESIDENT, name) if user is None else away(user)
        if refusal is not None:
            return refusal
    for user, currency, amount in _dues(state, command):
        refusal = user.spared(currency, -amount)
        if refusal is not None:
            return refusal
    return None


def correct_trade(state: State, sequence: int, command: CorrectTrade) -> list[Event]:
    was = state.corrected.get(command.match_id, (command.was_quantity, command.was_price))
    assert was == (command.was_quantity, command.was_price), command
    assert 0 <= command.quantity <= command.was_quantity, command
    state.corrected[command.match_id] = command.quantity, command.price
    both = [state.users[side.account] for side in (command.buy, command.sell)]
    for user in both:
        user.shard.wake(user)
    for user, currency, amount in _dues(state, command):
        if amount < 0:
            user.give(currency, -amount)
        else:
            user.receive(currency, amount)
    if command.buy_rate or command.sell_rate:
        quote = state.markets[command.buy.symbol].instrument.quote
        state.collected[quote] = state.collected.get(quote, 0) + sum(_fees(state, command))
        assert state.collected[quote] >= 0, command
    for user in both:
        user.shard.rested(user, command.time)
    return [
        _corrected(state, command, command.buy, command.buy_exec_id, command.buy_rate),
        _corrected(state, command, command.sell, command.sell_exec_id, command.sell_rate),
    ]


def _dues(state: State, command: CorrectTrade) -> list[tuple[User, str, int]]:
    """(who, currency, what he gets or, below 0, owes), in smallest units. What a buyer and seller of one
    account owe each other is nothing."""
    buyer, seller = state.users[command.buy.account], state.users[command.sell.account]
    instrument = state.markets[command.buy.symbol].instrument
    goods = (command.was_quantity - command.quantity) * instrument.base_per_lot
    was, now = _values(state, command)
    buyers_fee, sellers_fee = _fees(state, command)
    dues = [
        (buyer, instrument.base, -goods),
        (buyer, instrument.quote, was - now - buyers_fee),
        (seller, instrument.base, goods),
        (seller, instrument.quote, now - was - sellers_fee),
    ]
    if buyer is seller:
        dues = [(buyer, instrument.quote, -buyers_fee - sellers_fee)]
    return [due for due in dues if due[2]]


def _values(state: State, command: CorrectTrade) -> tuple[int, int]:
    """What the trade came to and what it comes to now, in smallest units of the quote currency."""
    per_tick_lot = state.markets[command.buy.symbol].instrument.quote_per_tick_lot
    was, now = command.was_quantity * command.was_price, command.quantity * command.price
    return was * per_tick_lot, now * per_tick_lot


def _fees(state: State, command: CorrectTrade) -> tuple[int, int]:
    """What the buyer and the seller pay the venue more than before."""
    was, now = _values(state, command)
    buy, sell = command.buy_rate, command.sell_rate
    return fee_of(now, buy) - fee_of(was, buy), fee_of(now, sell) - fee_of(was, sell)


def _corrected(state: State, command: CorrectTrade, last: Execution, exec_id: int, rate: int) -> Execution:
    """The event of one of its orders, alive or not."""
    exec_type = CORRECTED if command.quantity else BUSTED
    quantity = command.quantity or command.was_quantity
    price = command.price if command.quantity else command.was_price
    less = command.was_quantity - command.quantity
    order = state.by_id(last.order_id)
    alive = order is not None
    order = order or _ended(last)
    order.cum_quantity -= less
    order.notional -= command.was_quantity * command.was_price - command.quantity * command.price
    status = last.ord_status
    if alive:
        order.quantity -= less
        status = order.status
    elif status == FILLED and order.cum_quantity < order.quantity:
        status = CANCELED
    was, now = _values(state, command)
    return order.execution(
        command.time, exec_type, status, "", quantity, price, command.match_id,
        text=command.text, fee_rate=rate, fee=fee_of(now or was, rate), ref_id=exec_id,
    )  # fmt: skip


def _ended(last: Execution) -> Order:
    """An order that the engine has forgotten, as its last event told it."""
    return Order(
        None, None,
        last.order_id, last.client, last.session, last.account, last.symbol, last.cl_ord_id, last.side,
        last.ord_type, last.time_in_force, last.quantity, last.price, 0, 0, last.stop_price, last.cash,
        last.min_quantity, last.display, "yes" if last.post_only else "", last.expire_time, last.expire_day,
        cum_quantity=last.cum_quantity, notional=last.notional, step=last.step,
    )  # fmt: skip
