"""How a message is refused, and what is said of the order that it is about."""

from collections.abc import Callable

from engine.refusals import Refusal
from engine.words import REJECTED
from fixgw.codec.ids import is_id
from fixgw.codec.masses import mass_cancel_reject
from fixgw.codec.reports import NO_ORDER, cancel_reject, order_reject
from fixgw.cycle.recorder import Recorder
from fixgw.frontend.history import Past, look_up
from fixgw.sessions.session import Session


class Answers:
    def __init__(self, recorder: Recorder, refused: Callable[[str], object]) -> None:
        """`refused` is told the reason of each refusal."""
        self._refused = refused
        self._recorder = recorder
        self._venue = recorder.venue
        self._instruments = recorder.instruments

    def refuse(self, session: Session, found: dict[str, str], refusal: Refusal) -> None:
        self._refused(refusal.reason)
        mailbox = session.mailbox
        now = self._recorder.time_for(mailbox)
        exec_id = f"{session.name}-{mailbox.generation}-{mailbox.sender}"
        if found["35"] == "D":
            report = order_reject(found, refusal, exec_id, mailbox.begin_string, now, self._instruments)
        elif found["35"] == "q":
            report = mass_cancel_reject(found, refusal, exec_id, mailbox.begin_string, now, self._instruments)
        else:
            order_id, ord_status = self._order_of(session.client, found.get("41", ""))
            report = cancel_reject(
                found, refusal, order_id, ord_status, mailbox.begin_string, now, self._instruments
            )
        self._recorder.refuse(mailbox, *report)

    def _order_of(self, client: str, cl_ord_id: str) -> tuple[str, str]:
        """(OrderID, OrdStatus) for a cancel reject."""
        order = self._venue.order(client, cl_ord_id)
        if order is not None:
            return str(order.order_id), order.status
        past = self.past_of(client, cl_ord_id)
        if past is None:
            return NO_ORDER, REJECTED
        return str(past.order_id or NO_ORDER), past.ord_status

    def past_of(self, client: str, cl_ord_id: str) -> Past | None:
        if not is_id(cl_ord_id):
            return None
        return look_up(self._recorder, client, cl_ord_id)
