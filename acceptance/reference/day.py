"""The end of a trading day, which an operator's command brings."""

from __future__ import annotations

from acceptance.reference.book import DAY, Order
from acceptance.reference.desk import Desk
from acceptance.reference.faults import Fault


def end_of_day(desk: Desk) -> int:
    """DAY orders expire, and the ClOrdIDs of all orders that have ended are free again. Returns how many
    expired."""
    expiring = [order for order in desk.book.live() if _expires(desk, order)]
    for order in expiring:
        desk.book.expire(order)
    for order in desk.book.orders.values():
        ended = order.ended != "" or desk.faults.on(Fault.LIVE_IDS_FREE)
        if ended and not order.past and not desk.faults.on(Fault.IDS_NOT_FREE_AFTER_THE_DAY):
            order.past = True
            desk.touched.add(order.order_id)
    return len(expiring)


def _expires(desk: Desk, order: Order) -> bool:
    if order.time_in_force == DAY:
        return not desk.faults.on(Fault.DAY_ORDERS_SURVIVE)
    return desk.faults.on(Fault.GTC_ORDERS_EXPIRE)
