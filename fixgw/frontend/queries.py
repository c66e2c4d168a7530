"""What clients ask for besides orders: the state of their orders, of markets, and which markets there are.
Nothing here is journaled, and nothing changes."""

from collections import deque
from collections.abc import Iterator
from itertools import islice

import msgspec

from engine import refusals
from engine.events import Execution
from engine.refusals import Refusal
from engine.words import ORDER_STATUS
from fixgw.codec.ids import is_id
from fixgw.codec.queries import (
    forgotten_order,
    no_orders,
    of_many,
    status_refused,
    unknown_order,
    with_status_id,
)
from fixgw.codec.questions import objection
from fixgw.codec.refusals import MISSING, text
from fixgw.codec.reports import Report, execution_report, incomplete, question_refused, too_many
from fixgw.codec.securities import security_lists
from fixgw.codec.standard import names
from fixgw.codec.statuses import SESSION as TRADING_SESSION
from fixgw.codec.statuses import (
    no_security,
    no_session,
    security_status,
    trading_session_status,
    unknown_session,
)
from fixgw.cycle.recorder import Recorder
from fixgw.frontend.history import latest_event, look_up
from fixgw.sessions.session import Session
from fixgw.store.accounts import client_of

NEEDED = {"H": (), "AF": ("584", "585"), "x": ("320", "559"), "e": ("324", "55"), "g": ("335",)}
"""tags that a question must have, by MsgType(35): QuickFIX does not ask for all of them"""
LISTS = "AF", "x"
"""questions that may have many answers"""
PIECE = 200
"""answers of lists in one turn, so that it stays short"""
WAITING = 16
"""lists that one client may have waiting"""


class Queries:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._venue = recorder.venue
        self._pending: dict[Session, deque[Iterator[Report]]] = {}
        """lists of answers, which may take more than a turn"""

    def handle(self, session: Session, found: dict[str, str]) -> None:
        """Answers a request for information; with a list once what came with it has been decided, and in as
        many turns as it takes."""
        msg_type = found["35"]
        missing = [tag for tag in NEEDED[msg_type] if tag not in found]
        if msg_type == "H" and found.keys().isdisjoint(("11", "37")):
            missing = ["11"]
        if missing:
            field = names(found["8"]).fields.get(missing[0], missing[0])
            self._recorder.refuse(session.mailbox, *incomplete(found, field))
            return
        refusal = objection(found, self._recorder.instruments) or self._account(session, found)
        if refusal is not None:
            self._recorder.refuse(session.mailbox, *self._refused(session, found, refusal))
            return
        if msg_type not in LISTS:
            for report in self._answers(session, found):
                self._recorder.refuse(session.mailbox, *report)
            return
        waiting = self._pending.setdefault(session, deque())
        if len(waiting) < WAITING:
            waiting.append(self._answers(session, found))
        else:
            self._recorder.refuse(session.mailbox, *too_many(found, WAITING))

    def go_on(self, session: Session) -> bool:
        """Sends the next answers of lists; whether there are more for a client that keeps up. Who has gone
        gets none."""
        waiting = self._pending.get(session)
        if not waiting:
            return False
        if not session.attended:
            del self._pending[session]
            return False
        outflow = session.mailbox.outflow
        if outflow.unread > outflow.limits.unread_bytes // 2:
            return False  # it would be cut for what it has asked for
        left = PIECE
        while waiting and left:
            for report in islice(waiting[0], left):
                self._recorder.refuse(session.mailbox, *report)
                left -= 1
            if left:  # it had no more
                waiting.popleft()
        if not waiting:
            del self._pending[session]
        return bool(waiting)

    def waits(self, session: Session) -> bool:
        """There are answers for a client that may be behind."""
        return session in self._pending

    def _answers(self, session: Session, found: dict[str, str]) -> Iterator[Report]:
        match found["35"]:
            case "H":
                yield self._order_status(session, found)
            case "AF":
                yield from self._mass_status(session, found)
            case "x":
                response_id, begin_string = self._exec_id(session), session.mailbox.begin_string
                yield from security_lists(found, self._recorder.instruments, response_id, begin_string)
            case "e":
                yield self._security_status(session, found)
            case "g":
                yield self._trading_session_status(found)

    def _account(self, session: Session, found: dict[str, str]) -> Refusal | None:
        """Refuses a question for orders of an account that is not the client's."""
        name, recorder = found.get("1"), self._recorder
        if name is None or found["35"] != "AF":
            return None
        client = client_of(recorder.store, recorder.transaction, name)
        return None if client == session.client else Refusal(refusals.UNKNOWN_ACCOUNT, name)

    def _refused(self, session: Session, found: dict[str, str], refusal: Refusal) -> Report:
        instruments, begin_string = self._recorder.instruments, session.mailbox.begin_string
        time = self._recorder.time_for(session.mailbox)
        words = text(refusal, instruments.get(found.get("55", "")))
        match found["35"]:
            case "e":
                return no_security(found["55"], time, found["324"], words)
            case "g":
                return no_session(found.get("336", TRADING_SESSION), found["335"], words)
            case "x":
                if refusal.reason == MISSING:
                    return incomplete(found, refusal.unit)
                return question_refused(found, words)
        return status_refused(found, refusal, self._exec_id(session), begin_string, time, instruments)

    def _order_status(self, session: Session, found: dict[str, str]) -> Report:
        event = self._find(session.client, found)
        if event is None or event.symbol != found.get("55") or event.side != found.get("54"):
            time = self._recorder.time_for(session.mailbox)
            return unknown_order(found, self._exec_id(session), time)
        if found.get("1", event.account) != event.account:
            refusal = Refusal(refusals.MISMATCH, found["1"], event.account, "Account")
            return self._refused(session, found, refusal)
        return with_status_id(self._report(session, event), found.get("790", ""))

    def _find(self, client: str, found: dict[str, str]) -> Execution | None:
        """The last event of the order that is asked for, by ClOrdID, or else by OrderID."""
        recorder, name, order_id = self._recorder, found.get("11", ""), found.get("37", "")
        event = number = None
        if (order := self._venue.order(client, name)) is not None:
            number = order.order_id
        elif is_id(name):
            past = look_up(recorder, client, name)
            number = None if past is None else past.order_id
        elif not name and order_id.isdecimal() and len(order_id) < 19:
            number = int(order_id)
        if number is not None:
            event = latest_event(recorder, number)
        wrong = event is not None and order_id not in ("", str(event.order_id))
        return None if event is None or event.client != client or wrong else event

    def _mass_status(self, session: Session, found: dict[str, str]) -> Iterator[Report]:
        symbol, side, account = (found.get(tag, "") for tag in ("55", "54", "1"))
        time, exec_id = self._recorder.time_for(session.mailbox), self._exec_id(session)
        orders = self._venue.orders.get(session.client, {}).values()
        ids = sorted(
            order.order_id
            for order in orders
            if order.symbol in (symbol or order.symbol,)
            and order.account in (account or order.account,)
            and order.side in (side or order.side,)
        )
        if not ids:
            yield no_orders(found, exec_id, time)
        for order_id in ids:  # each as it is when its turn comes: no report since then is contradicted
            event = latest_event(self._recorder, order_id)
            if event is not None:
                report = self._report(session, event)
            else:
                time = self._recorder.time_for(session.mailbox)
                report = forgotten_order(found, self._exec_id(session), time, order_id)
            yield of_many(report, found["584"], len(ids), order_id == ids[-1])

    def _report(self, session: Session, event: Execution) -> Report:
        mailbox, instrument = session.mailbox, self._recorder.instruments[event.symbol]
        event = msgspec.structs.replace(
            event, exec_type=ORDER_STATUS, last_quantity=0, last_price=0, match_id=0, orig_cl_ord_id="",
            ref_id=0, liquidity="", fee=0,
        )  # fmt: skip
        exec_id = self._exec_id(session)
        return execution_report(event, exec_id, instrument, mailbox.begin_string, mailbox.decimals)

    def _security_status(self, session: Session, found: dict[str, str]) -> Report:
        symbol, time = found["55"], self._recorder.time_for(session.mailbox)
        if self._venue.listed(symbol) is None:
            return no_security(symbol, time, found["324"], "unknown Symbol")
        state = self._venue.market_states().get(symbol)
        if state is None:
            return no_security(symbol, time, found["324"], "the market has not been reached yet")
        return security_status(symbol, state, time, found["324"])

    def _trading_session_status(self, found: dict[str, str]) -> Report:
        asked = found.get("336", TRADING_SESSION)
        if asked != TRADING_SESSION:
            return unknown_session(asked, found["335"])
        return trading_session_status(list(self._venue.market_states().values()), found["335"])

    def _exec_id(self, session: Session) -> str:
        """As long as it is sent under the session's next number, of no other report."""
        mailbox = session.mailbox
        return f"{session.name}-{mailbox.generation}-{mailbox.sender}"
