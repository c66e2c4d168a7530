"""Cancels of many orders, and those that no client asked for (docs/market.md, 10)."""

from collections.abc import Iterator
from heapq import merge
from itertools import islice

from engine.commands import CancelMany, CancelSession, ContinueMany, SetKill, WithdrawOrder
from engine.ending import withdraw
from engine.events import Event, KillSet, ManyCanceled
from engine.order import Order
from engine.state import Canceling, State
from engine.words import CANCELED, CONNECTION_LOST, GOOD_TILL_CANCEL, HALTED, LOGGED_OUT, OTHER

GONE = {
    CONNECTION_LOST: "cancel on disconnect: connection lost",
    LOGGED_OUT: "cancel on disconnect: logged out",
}


def cancel_session(state: State, _: int, command: CancelSession) -> list[Event]:
    events: list[Event] = []
    for order in list(islice(canceled_by(state, command), command.most)):
        text = GONE[command.restatement]
        withdraw(state, command.time, order, CANCELED, text, events, command.restatement)
    return events


def cancel_many(state: State, sequence: int, command: CancelMany) -> list[Event]:
    state.canceling[sequence] = Canceling(command)
    return _piece(state, command.time, command.most, sequence)


def continue_many(state: State, _: int, command: ContinueMany) -> list[Event]:
    first = next(iter(state.canceling), None)
    return [] if first is None else _piece(state, command.time, command.most, first)


def _piece(state: State, logged_time: int, most: int, sequence: int) -> list[Event]:
    """Of the request at this journal sequence."""
    events: list[Event] = []
    request, count = state.canceling[sequence].command, state.canceling[sequence].count
    found = fitting(state, sequence, request)
    for order in list(islice(found, most)):
        why = "" if request.session else OTHER
        withdraw(state, logged_time, order, CANCELED, request.text, events, why, request.session)
    state.canceling[sequence].count = count = count + len(events)
    if next(fitting(state, sequence, request), None) is not None:
        return events
    del state.canceling[sequence]
    if request.session:
        name, what = (request.client, request.session, request.cl_ord_id), (request.symbol, request.side)
        events.append(ManyCanceled(logged_time, *name, sequence, request.account, *what, count))
    return events


def withdraw_order(state: State, _: int, command: WithdrawOrder) -> list[Event]:
    order = state.by_id(command.order_id)
    assert order is not None
    events: list[Event] = []
    withdraw(state, command.time, order, CANCELED, command.text, events, OTHER)
    return events


def set_kill(state: State, _: int, command: SetKill) -> list[Event]:
    if command.on:
        state.killed[command.scope, command.name] = None
    else:
        state.killed.pop((command.scope, command.name), None)
    return [KillSet(command.time, command.scope, command.name, command.on)]


def canceled_by(state: State, command: CancelSession) -> Iterator[Order]:
    """The live orders that the command is about, the oldest first."""
    for order in state.live.get(command.session, {}).values():
        if command.good_till_cancel or order.time_in_force != GOOD_TILL_CANCEL:
            yield order


def fitting(state: State, sequence: int, command: CancelMany) -> Iterator[Order]:
    """The live orders that a request at this journal sequence is about, the oldest first."""
    sessions = (orders.values() for orders in state.live.values() if _of_client(command.client, orders))
    for order in merge(*sessions, key=_order_id):
        if order.order_id >= sequence:
            return
        if _fits(state, command, order):
            yield order


def _fits(state: State, command: CancelMany, order: Order) -> bool:
    """A client cannot cancel in a halted market (docs/market.md, 7.1)."""
    return (
        command.account in ("", order.account)
        and command.symbol in ("", order.symbol)
        and command.side in ("", order.side)
        and not (command.session and state.markets[order.symbol].state == HALTED)
    )


def _of_client(client: str, orders: dict[int, Order]) -> bool:
    """A session is one client's."""
    return not client or any(order.client == client for order in islice(orders.values(), 1))


def _order_id(order: Order) -> int:
    return order.order_id
