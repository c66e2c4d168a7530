"""Clause 10.5: trades that are taken back or corrected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from engine.commands import CorrectTrade
from engine.events import Execution
from tests.engine.reference.world import Refused, World


def moves(world: World, command: CorrectTrade) -> Counter[tuple[str, str]]:
    """What each account gets, or gives if below 0, by currency; buyer and seller may be the same."""
    instrument = world.instruments[command.buy.symbol]
    lots = command.quantity - command.was_quantity
    ticks = command.quantity * command.price - command.was_quantity * command.was_price
    gets: Counter[tuple[str, str]] = Counter()
    for account, sign in (command.buy.account, 1), (command.sell.account, -1):
        gets[account, instrument.base] += sign * lots * instrument.base_per_lot
        gets[account, instrument.quote] -= sign * ticks * instrument.quote_per_tick_lot
    for account, more in fees(world, command):
        gets[account, instrument.quote] -= more
    return gets


def fees(world: World, command: CorrectTrade) -> list[tuple[str, int]]:
    """users.md 8.6: what each of them owes the venue beyond what it has taken."""
    per_tick = world.instruments[command.buy.symbol].quote_per_tick_lot
    is_worth = command.quantity * command.price * per_tick
    was_worth = command.was_quantity * command.was_price * per_tick
    rates = (command.buy.account, command.buy_rate), (command.sell.account, command.sell_rate)
    return [(account, world.part(is_worth, rate) - world.part(was_worth, rate)) for account, rate in rates]


def reasons(world: World, command: CorrectTrade) -> Iterator[Refused]:
    for (account, currency), amount in moves(world, command).items():
        available = world.available(account, currency)
        if -amount > available:
            yield ("insufficient funds", -amount, available, currency)


def correct(world: World, command: CorrectTrade) -> None:
    assert command.quantity <= command.was_quantity
    for (account, currency), amount in moves(world, command).items():
        world.move(account, currency, amount)
    quote = world.instruments[command.buy.symbol].quote
    for _, more in fees(world, command):
        world.taken[quote] = world.taken.get(quote, 0) + more
    one_side(world, command, command.buy, command.buy_exec_id, command.buy_rate)
    one_side(world, command, command.sell, command.sell_exec_id, command.sell_rate)


def one_side(world: World, command: CorrectTrade, event: Execution, exec_id: int, rate: int) -> None:
    fewer = command.was_quantity - command.quantity
    exec_type = "G" if command.quantity else "H"
    last = {"match_id": command.match_id, "ref_id": exec_id, "text": command.text}
    last |= {"last_quantity": command.quantity or command.was_quantity}
    last |= {"last_price": command.price if command.quantity else command.was_price}
    worth = last["last_quantity"] * last["last_price"]
    worth *= world.instruments[event.symbol].quote_per_tick_lot
    last |= {"liquidity": "", "fee_rate": rate, "fee": world.part(worth, rate)}
    live = [order for order in world.live if order.id == event.order_id]
    if live:
        (order,) = live
        order.quantity -= fewer
        order.fills[command.match_id] = (command.quantity, command.price)
        world.say(order, exec_type, "1" if order.filled else "0", **last)
        return
    value = command.quantity * command.price - command.was_quantity * command.was_price
    said = msgspec.structs.asdict(event) | last
    said |= {"time": world.time, "exec_type": exec_type, "step": event.step + 1}
    said |= {"orig_cl_ord_id": "", "requester": "", "restatement": ""}
    said |= {"cum_quantity": event.cum_quantity - fewer, "notional": event.notional + value}
    if event.ord_status == "2" and said["cum_quantity"] < event.quantity:
        said["ord_status"] = "4"
    world.tell("Execution", **said)
