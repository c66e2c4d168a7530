"""What no venue takes, whatever a scenario is about: orders and requests that say too little or nonsense."""

from __future__ import annotations

from decimal import Decimal

from acceptance.wire import Message

ORDERS = ("D", "G")
"""MsgTypes with terms"""
LIMITED = ("2", "4")
"""OrdTypes(40) with a limit"""
OTHER_QUANTITIES = (152, 516)
"""CashOrderQty, OrderPercent"""


def wrong_terms(message: Message) -> str:
    """In words; "" if there is nothing wrong. The session machine has seen that its values are numbers."""
    if message.msg_type not in ORDERS:
        return ""
    quantity = message.get(38)
    if quantity is None and not any(tag in message for tag in OTHER_QUANTITIES):
        return "OrderQty(38) is missing"
    if quantity is not None and Decimal(quantity) <= 0:
        return f"OrderQty(38) is {quantity}, and must be above 0"
    if message.get(40) in LIMITED and 44 not in message:
        return "Price(44) is missing, and the order has a limit"
    return ""
