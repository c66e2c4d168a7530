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
    return gets


def reasons(world: World, command: CorrectTrade) -> Iterator[Refused]:
    for (account, currency), amount in moves(world, command).items():
        available = world.available(account, currency)
        if -amount > available:
            yield ("insufficient funds", -amount, available, currency)


def correct(world: World, command: CorrectTrade) -> None:
    assert command.quantity <= command.was_quantity
    for (account, currency), amount in moves(world, command).items():
        world.move(account, currency, amount)
    for event, exec_id in (command.buy, command.buy_exec_id), (command.sell, command.sell_exec_id):
        one_side(world, command, event, exec_id)


def one_side(world: World, command: CorrectTrade, event: Execution, exec_id: int) -> None:
    fewer = command.was_quantity - command.quantity
    exec_type = "G" if command.quantity else "H"
    last = {"match_id": command.match_id, "ref_id": exec_id, "text": command.text}
    last |= {"last_quantity": command.quantity or command.was_quantity}
    last |= {"last_price": command.price if command.quantity else command.was_price}
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
