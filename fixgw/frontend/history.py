"""What became of an order that is not live any more: read from the journal and the day's tables, so that no
memory is spent on it. Only refusals ask."""

from itertools import islice
from typing import NamedTuple

from engine.commands import CancelOrder, NewOrder, ReplaceOrder
from engine.events import Execution
from engine.order import Order
from engine.venue import Venue
from engine.words import NEW, PARTIALLY_FILLED, REJECTED
from fixgw.store import journal
from fixgw.store.days import Days
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


def look_up(
    store: Store, days: Days, venue: Venue, transaction: Transaction, client: str, cl_ord_id: str
) -> Past | None:
    """The order a spent ClOrdID of this client belongs to; None if the id was not used on a kept day."""
    for _ in range(MAX_CHAIN):
        sequence = days.spent_at(transaction, client, cl_ord_id)
        if sequence is None:
            return None
        entry = journal.read(store, transaction, sequence)
        assert entry is not None, "a spent ClOrdID points into the journal"
        command = entry.command
        if isinstance(command, NewOrder):
            order = venue.live_order(command.session, sequence)
            if order is not None:
                return Past(sequence, status_of(order), lives=True)
            end = days.ended(transaction, sequence)
            return Past(sequence, end[1] if end is not None else REJECTED)
        if not isinstance(command, CancelOrder | ReplaceOrder):
            return None  # a mass cancel is of no one order
        cl_ord_id = command.orig_cl_ord_id
    return Past(None, REJECTED)


def last_event(store: Store, days: Days, transaction: Transaction, order_id: int) -> Execution | None:
    """The last event of an order that ended today or on a kept day."""
    end = days.ended(transaction, order_id)
    entry = journal.read(store, transaction, end[0]) if end is not None else None
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


def status_of(order: Order) -> str:
    """OrdStatus(39) of a live order."""
    return PARTIALLY_FILLED if order.cum_quantity else NEW
