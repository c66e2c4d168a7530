"""What one home asks of markets on other nodes."""

from __future__ import annotations

from engine.commands import CancelMany, CancelSession, ReplaceOrder, WithdrawOrder
from engine.events import Event, Execution, ManyCanceled, RequestDenied
from engine.order import DISTANT, Order
from engine.peer_messages import AMEND, CANCEL, PLACE
from engine.peers import SPAN
from engine.user import Hold
from engine.venue import Venue
from engine.words import CANCELED, GOOD_TILL_CANCEL, REJECTED, REPLACED
from tests.simulation.between import live

KINDS = {"A": "D", "6": "F", "E": "G"}
"""MsgType of what is pending, by ExecType(150)"""


class Requests:
    """Of one home: what was accepted for a market on another node gets one last word (feature 45)."""

    def __init__(self) -> None:
        self.amends: dict[int, ReplaceOrder] = {}
        """the last one that was accepted, by OrderID"""
        self.withdrawn: set[int] = set()
        """orders that are to end, whoever asks for them"""
        self.open: dict[tuple[str, int, str], None] = {}
        """MsgType, OrderID, ClOrdID"""

    def hear(self, command: object, event: Event, away: bool) -> None:
        """`away`: it is of a market on another node."""
        if isinstance(event, RequestDenied):
            name = "" if event.request == PLACE else event.cl_ord_id
            self._answer(event.request, event.order_id, name)
        elif not isinstance(event, Execution) or event.order_id >= SPAN:
            return
        elif event.exec_type in KINDS:
            kind = KINDS[event.exec_type]
            key = kind, event.order_id, "" if kind == "D" else event.cl_ord_id
            assert away and key not in self.open, f"{key} is asked twice"
            self.open[key] = None
            if kind == "G":
                assert isinstance(command, ReplaceOrder)
                self.amends[event.order_id] = command
        elif away and event.exec_type != REJECTED:
            if event.step == 1:
                self._answer("D", event.order_id, "")
            if event.exec_type == REPLACED:
                self._answer("G", event.order_id, event.cl_ord_id)
            elif event.exec_type == CANCELED and event.orig_cl_ord_id:
                self._answer("F", event.order_id, event.cl_ord_id)
            assert ("D", event.order_id, "") not in self.open, "its market has not taken it yet"

    def _answer(self, *key: object) -> None:
        assert key in self.open, f"{key} was not asked, or has been answered before"
        del self.open[key]  # type: ignore[arg-type]

    def withdraw(self, venue: Venue, command: object) -> None:
        """By the operator, a kill switch or a lost connection: no state of a market is against it."""
        if isinstance(command, WithdrawOrder):
            self.withdrawn.add(command.order_id)
        elif isinstance(command, CancelSession) or (isinstance(command, CancelMany) and not command.session):
            self.withdrawn |= {order.order_id for order in live(venue) if fits(command, order)}

    def look(self, venue: Venue) -> None:
        """While a replace is not answered, there is enough for it, whatever is filled meanwhile."""
        for user in venue.users.values():
            for hold in user.holds.values():
                asked = (hold.order_id, AMEND) in venue.asked
                assert asked == bool(hold.raised_per_lot), (
                    f"order {hold.order_id}: a replace holds {hold.raised}"
                )
                if asked:
                    self._look_at(venue, hold)

    def _look_at(self, venue: Venue, hold: Hold) -> None:
        order, request = venue.live_order(hold.session, hold.order_id), self.amends[hold.order_id]
        assert order is not None
        left = request.quantity - order.cum_quantity
        instrument = hold.instrument
        lot = request.price * instrument.quote_per_tick_lot if hold.buys else instrument.base_per_lot
        for filled in (0, min(left, order.leaves_quantity)):
            there = hold.amount + hold.raised - filled * hold.per_lot
            assert there >= lot * (left - filled), f"{order} may be short of money after {filled} lots"


def fits(command: CancelMany | CancelSession, order: Order) -> bool:
    if isinstance(command, CancelSession):
        gtc = command.good_till_cancel or order.time_in_force != GOOD_TILL_CANCEL
        return order.session == command.session and gtc
    pairs = (command.client, order.client), (command.account, order.account), (command.symbol, order.symbol)
    return all(one in ("", other) for one, other in (*pairs, (command.side, order.side)))


def passed_over(venue: Venue, event: ManyCanceled) -> None:
    """By a mass cancel, none of the orders that were there before it."""
    command = CancelMany(0, event.client, event.account, event.symbol, event.side, 0)
    for order in live(venue):
        if order.where == DISTANT and fits(command, order):
            asked = order.order_id > event.order_id or (order.order_id, CANCEL) in venue.asked
            assert asked, f"{order} is passed over by {event}"
