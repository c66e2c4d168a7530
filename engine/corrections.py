"""Trades that are taken back or changed by the operator (docs/market.md, 10.5)."""

from collections.abc import Iterator

from engine import refusals
from engine.commands import CorrectTrade
from engine.events import Event, Execution
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
    for user, _, currency, amount in _dues(state, command):
        refusal = user.spared(currency, amount)
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
    for giver, taker, currency, amount in _dues(state, command):
        giver.give(currency, amount)
        taker.receive(currency, amount)
    for user in both:
        user.shard.rested(user, command.time)
    sides = (command.buy, command.buy_exec_id), (command.sell, command.sell_exec_id)
    return [_corrected(state, command, last, exec_id) for last, exec_id in sides]


def _dues(state: State, command: CorrectTrade) -> Iterator[tuple[User, User, str, int]]:
    """(who gives, who gets, currency, amount), in smallest units; nothing within one account."""
    buyer, seller = state.users[command.buy.account], state.users[command.sell.account]
    if buyer is seller:
        return
    instrument = state.markets[command.buy.symbol].instrument
    goods = (command.was_quantity - command.quantity) * instrument.base_per_lot
    was, now = command.was_quantity * command.was_price, command.quantity * command.price
    money = (was - now) * instrument.quote_per_tick_lot
    if goods:
        yield buyer, seller, instrument.base, goods
    if money > 0:
        yield seller, buyer, instrument.quote, money
    elif money:
        yield buyer, seller, instrument.quote, -money


def _corrected(state: State, command: CorrectTrade, last: Execution, exec_id: int) -> Execution:
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
    return order.execution(
        command.time, exec_type, status, "", quantity, price, command.match_id,
        text=command.text, ref_id=exec_id,
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
