"""What became of an order that is not live any more: read from the journal and the day's tables, so that no
memory is spent on it. Only refusals and questions ask."""

from itertools import islice
from typing import NamedTuple

from engine.commands import CancelOrder, NewOrder, ReplaceOrder
from engine.events import Execution
from engine.words import REJECTED
from fixgw.cycle.recorder import Recorder
from fixgw.store import journal
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction

MAX_CHAIN = 64
"""replaces followed back to the order they began with"""


class Past(NamedTuple):
    order_id: int | None
    """None if the chain is too long to follow"""
    ord_status: str
    """REJECTED where nothing is known any more: the standard's word for an unknown order"""
    lives: bool = False
    """it does, under a newer ClOrdID"""


def look_up(recorder: Recorder, client: str, cl_ord_id: str) -> Past | None:
    """The order a spent ClOrdID of this client belongs to; None if the id was not used on a kept day."""
    store, days, transaction = recorder.store, recorder.days, recorder.transaction
    for _ in range(MAX_CHAIN):
        sequence = days.spent_at(transaction, client, cl_ord_id)
        if sequence is None:
            return None
        entry = journal.read(store, transaction, sequence)
        assert entry is not None, "a spent ClOrdID points into the journal"
        command = entry.command
        if isinstance(command, NewOrder):
            order = recorder.venue.live_order(command.session, sequence)
            if order is not None:
                return Past(sequence, order.status, lives=True)
            end = days.ended(transaction, sequence)
            return Past(sequence, end[1] if end is not None else REJECTED)
        if not isinstance(command, CancelOrder | ReplaceOrder):
            return None  # a mass cancel is of no one order
        cl_ord_id = command.orig_cl_ord_id
    return Past(None, REJECTED)


def latest_event(recorder: Recorder, order_id: int) -> Execution | None:
    """How an order stands, or how it ended today or on a kept day."""
    order = recorder.venue.by_id(order_id)
    if order is not None:
        return order.snapshot(recorder.time)
    end = recorder.days.ended(recorder.transaction, order_id)
    entry = journal.read(recorder.store, recorder.transaction, end[0]) if end is not None else None
    if entry is None:
        return None
    own = (event for event in reversed(entry.events) if isinstance(event, Execution))
    return next(event for event in own if event.order_id == order_id)


def events_of_trade(store: Store, transaction: Transaction, exec_id: int) -> list[tuple[int, Execution]]:
    """(output log sequence, event) of both sides of the trade with this ExecID; empty if there is none."""
    event = next(journal.events(store, transaction, exec_id), None)
    if event is None or not isinstance(event[1], Execution) or not event[1].match_id:
        return []
    around = journal.events(store, transaction, max(exec_id - 1, 1))
    near = [(number, each) for number, each in islice(around, 3) if isinstance(each, Execution)]
    return [(number, each) for number, each in near if each.match_id == event[1].match_id]
