"""Cancels of many orders, and those that no client asked for (docs/market.md, 10)."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from engine import distant
from engine.commands import CancelMany, CancelSession, ContinueMany, SetKill, WithdrawOrder
from engine.ending import withdraw
from engine.events import Event, KillSet, ManyCanceled
from engine.order import DISTANT, Order
from engine.state import Canceling, State
from engine.words import CANCELED, CONNECTION_LOST, GOOD_TILL_CANCEL, HALTED, LOGGED_OUT, OTHER

GONE = {
    CONNECTION_LOST: "cancel on disconnect: connection lost",
    LOGGED_OUT: "cancel on disconnect: logged out",
}


def cancel_session(state: State, sequence: int, command: CancelSession) -> list[Event]:
    return _begin(state, sequence, command, canceled_by(state, command))


def cancel_many(state: State, sequence: int, command: CancelMany) -> list[Event]:
    sessions = (orders for orders in state.live.values() if _of_client(command.client, orders))
    fitting = (order for orders in sessions for order in orders.values() if _fits(state, command, order))
    return _begin(state, sequence, command, fitting)


def continue_many(state: State, _: int, command: ContinueMany) -> list[Event]:
    first = next(iter(state.canceling), None)
    return [] if first is None else _piece(state, command.time, command.most, first)


def _begin(
    state: State, sequence: int, command: CancelMany | CancelSession, orders: Iterator[Order]
) -> list[Event]:
    waiting = sorted(((order.session, order.order_id) for order in orders), key=_second, reverse=True)
    state.canceling[sequence] = Canceling(command, waiting)
    return _piece(state, command.time, command.most, sequence)


def _piece(state: State, logged_time: int, most: int, sequence: int) -> list[Event]:
    """Of the request at this journal sequence."""
    events: list[Event] = []
    canceling = state.canceling[sequence]
    request = canceling.command
    words = _words(request)
    done = 0
    while (order := _next(state, canceling)) is not None and done < most:
        canceling.waiting.pop()
        done += 1
        if order.where == DISTANT:
            distant.withdraw(
                state, logged_time, order, words.text, events, words.restatement, words.requester
            )
            continue
        withdraw(state, logged_time, order, CANCELED, words.text, events, words.restatement, words.requester)
    canceling.count += done
    if order is not None:
        return events
    del state.canceling[sequence]
    if isinstance(request, CancelMany) and request.session:
        name, what = (request.client, request.session, request.cl_ord_id), (request.symbol, request.side)
        events.append(ManyCanceled(logged_time, *name, sequence, request.account, *what, canceling.count))
    return events


def withdraw_order(state: State, _: int, command: WithdrawOrder) -> list[Event]:
    order = state.by_id(command.order_id)
    assert order is not None
    events: list[Event] = []
    if order.where == DISTANT:
        distant.withdraw(state, command.time, order, command.text, events, OTHER)
    else:
        withdraw(state, command.time, order, CANCELED, command.text, events, OTHER)
    return events


def set_kill(state: State, _: int, command: SetKill) -> list[Event]:
    if command.on:
        state.killed[command.scope, command.name] = None
    else:
        state.killed.pop((command.scope, command.name), None)
    return [KillSet(command.time, command.scope, command.name, command.on)]


def canceled_by(state: State, command: CancelSession) -> Iterator[Order]:
    """The live orders that the command is about."""
    for order in state.live.get(command.session, {}).values():
        if command.good_till_cancel or order.time_in_force != GOOD_TILL_CANCEL:
            yield order


class _Words(NamedTuple):
    text: str
    restatement: str
    requester: str


def _words(request: CancelMany | CancelSession) -> _Words:
    """For the reports."""
    if isinstance(request, CancelSession):
        return _Words(GONE[request.restatement], request.restatement, "")
    return _Words(request.text, "" if request.session else OTHER, request.session)


def _next(state: State, canceling: Canceling) -> Order | None:
    """The oldest order that still waits; those that have ended do not."""
    waiting = canceling.waiting
    while waiting:
        order = state.live_order(*waiting[-1])
        if order is not None:
            return order
        waiting.pop()
    return None


def _fits(state: State, command: CancelMany, order: Order) -> bool:
    """A client cannot cancel in a halted market (docs/market.md, 7.1)."""
    return (
        command.account in ("", order.account)
        and command.symbol in ("", order.symbol)
        and command.side in ("", order.side)
        and not (command.session and order.where != DISTANT and state.markets[order.symbol].state == HALTED)
    )


def _of_client(client: str, orders: dict[int, Order]) -> bool:
    """A session is one client's."""
    return not client or any(order.client == client for order in islice(orders.values(), 1))


def _second(pair: tuple[str, int]) -> int:
    return pair[1]
