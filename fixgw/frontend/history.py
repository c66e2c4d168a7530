"""What became of an order that is not live any more: read from the journal and the day's tables, so that no
memory is spent on it. Only refusals ask."""

from typing import NamedTuple

from engine.commands import CancelOrder, NewOrder, ReplaceOrder
from engine.words import REPLACED
from fixgw.store.days import Days
from fixgw.store.journal import decode_command
from fixgw.store.keys import number_key
from fixgw.store.store import Store
from fixgw.store.types import Transaction

MAX_CHAIN = 64
"""replaces followed back to the order they began with"""


class Past(NamedTuple):
    order_id: int | None
    """None if the chain is too long to follow"""
    ord_status: str


def look_up(store: Store, days: Days, transaction: Transaction, client: str, cl_ord_id: str) -> Past | None:
    """The order a spent ClOrdID of this client belongs to; None if the id was not used on a kept day."""
    for _ in range(MAX_CHAIN):
        sequence = days.spent_at(transaction, client, cl_ord_id)
        if sequence is None:
            return None
        entry = transaction.get(number_key(sequence), db=store.journal)
        assert entry is not None, "a spent ClOrdID points into the journal"
        command = decode_command(sequence, entry)
        if isinstance(command, NewOrder):
            # An order that has not ended and is not found by this id lives on under a newer one.
            return Past(sequence, days.ended(transaction, sequence) or REPLACED)
        assert isinstance(command, CancelOrder | ReplaceOrder)
        cl_ord_id = command.orig_cl_ord_id
    return Past(None, REPLACED)
