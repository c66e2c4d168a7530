"""What happens to orders and requests outside of scenarios: the venue does what it is asked."""

from __future__ import annotations

from acceptance.acceptor.line import Line, Seen
from acceptance.reference.book import CANCELED, NEW, REPLACED
from acceptance.wire import Message


def routine(line: Line, message: Message) -> None:
    """Other messages are passed over."""
    orders = line.orders
    if isinstance(message, Seen):
        return
    if message.msg_type == "D":
        line.report("8", orders.report(orders.enter(message), NEW, "", "", None))
    elif message.msg_type in ("F", "G"):
        order = orders.named(message)
        if order is None:
            if not orders.known(message):
                kind = line.names.message(message.msg_type)
                line.objections.append(
                    f"{kind}: there never was an order with OrigClOrdID(41) {message.get(41)}"
                )
            line.report(*orders.refusal(message, "there is no live order with this OrigClOrdID"))
        else:
            exec_type = CANCELED if message.msg_type == "F" else REPLACED
            line.report("8", orders.report(order, exec_type, "", "", message))
