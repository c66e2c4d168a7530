"""Orders of clients to the book, and what becomes of them to reports."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from acceptance.reference import reports
from acceptance.reference.book import DAY, FOK, GTC, IOC, Book, Event, Order
from acceptance.reference.clock import stamp
from acceptance.reference.faults import Fault, Faults
from acceptance.reference.session import Session
from acceptance.reference.settings import Settings
from acceptance.reference.terms import Refusal, Terms, is_id
from acceptance.wire import Message

DUPLICATE = Refusal(6, 6, "Duplicate ClOrdID")
TOO_LATE = Refusal(99, 0, "Too late: the order is not live any more")


class Desk:
    def __init__(self, settings: Settings, faults: Faults, session: Callable[[str], Session]) -> None:
        """`session` finds one by its name."""
        self.book = Book(faults, self._emit)
        self.ids: dict[tuple[str, str], str] = {}
        """(client, ClOrdID) that was accepted to OrderID(37)"""
        self.last_id = 0
        """of OrderIDs and ExecIDs"""
        self.cancel_only: set[str] = set()
        """Symbols; "": the whole venue"""
        self.touched: set[str] = set()
        """OrderIDs that changed since they were written to disk"""
        self.new_ids: set[tuple[str, str]] = set()
        self._settings = settings
        self.faults = faults
        self._terms = Terms(settings.instruments, faults)
        self._session = session
        self._now = 0.0

    def handle(self, session: Session, message: Message, now: float) -> None:
        """One application message, in its turn."""
        self._now = now
        kind = message.msg_type
        faults = self.faults
        limited = kind != "F" or faults.on(Fault.CANCELS_THROTTLED)
        if limited and not faults.on(Fault.NO_THROTTLE) and self._throttled(session, message, now):
            return
        if kind not in ("D", "F", "G"):
            return
        cl_ord_id = message.get(11) or ""
        if not is_id(cl_ord_id) and not faults.on(Fault.ANY_CL_ORD_ID_TAKEN):
            text = "ClOrdID must be 1 to 64 printable ASCII characters without blanks"
            self._refuse(session, message, Refusal(99, 99, text))
            return
        key = session.settings.client, cl_ord_id
        resent = message.get(97) == "Y"
        if self._taken(key) and not faults.on(Fault.DUPLICATE_ID_TAKEN):
            if not resent or faults.on(Fault.POSS_RESEND_REFUSED):
                self._refuse(session, message, DUPLICATE)
            return
        if resent and faults.on(Fault.POSS_RESEND_DROPPED):
            return
        refusal = self._new(session, message) if kind == "D" else self._request(session, message)
        if refusal is not None:
            self._refuse(session, message, refusal)
            if faults.on(Fault.REFUSED_ID_SPENT):
                self._spend(key, "")

    def leave(self, session: Session, lost: bool) -> None:
        """Cancel on disconnect."""
        mode = session.history.away
        session.history.away = ""
        faults = self.faults
        wanted = mode == "Y" or (lost and (mode == "L" or faults.on(Fault.OFF_CANCELS)))
        if mode == "Y" and not lost and faults.on(Fault.LOGOUT_CANCELS_NOTHING):
            wanted = False
        if mode == "L" and not lost and faults.on(Fault.LOGOUT_CANCELS_ALWAYS):
            wanted = True
        if not wanted or faults.on(Fault.NO_CANCEL_ON_DISCONNECT):
            return
        why = "the connection was lost" if lost else "the session logged out"
        for order in self.book.live():
            gtc = order.time_in_force == GTC and not session.settings.cancel_gtc
            if order.session == session.settings.name and (not gtc or faults.on(Fault.GTC_CANCELED)):
                self.book.cancel_unasked(order, f"cancel on disconnect: {why}", "12" if lost else "13")

    def at(self, now: float) -> None:
        self._now = now

    def _throttled(self, session: Session, message: Message, now: float) -> bool:
        wait = session.spend(now)
        if not wait:
            return False
        if session.logged_out_at is not None:
            return True  # for a flood that went on
        limit = session.settings.messages_per_second
        text = f"More than {limit} messages per second: retry after {wait} ms"
        ref = [(379, message[11])] if 11 in message else []
        body = [(45, message[34]), (58, text), (372, message.msg_type), *ref, (380, "0")]
        if not self.faults.on(Fault.THROTTLED_SILENTLY):
            session.report("j", body, now)
        return True

    def _new(self, session: Session, message: Message) -> Refusal | None:
        faults = self.faults
        instrument, refusal = self._terms.judge(session, message, self._now)
        if refusal is not None or instrument is None:
            return refusal
        in_force = message.get(59) or DAY
        if in_force not in (DAY, GTC, IOC, FOK) and not faults.on(Fault.ANY_TIME_IN_FORCE_TAKEN):
            text = f"TimeInForce {in_force} is not supported, only 0 (day), 1 (GTC), 3 (IOC) and 4 (FOK)"
            return Refusal(11, 99, text)
        account = message.get(1) or ""
        owner = self._settings.accounts.get(account)
        if owner != session.settings.client and not faults.on(Fault.FOREIGN_ACCOUNT_TAKEN):
            return Refusal(15, 99, f"Account {account} is not one of this client")
        if self._closed(instrument.symbol):
            return self._cancel_only(instrument.symbol)
        order = Order(
            self._next_id(), session.settings.client, session.settings.name, account, message[11],
            instrument.symbol, message[54], message[40], in_force,
            Decimal(message[38]), Decimal(message.get(44) or "0"),
        )  # fmt: skip
        self._spend((order.client, order.cl_ord_id), order.order_id)
        self.book.enter(order)
        return None

    def _request(self, session: Session, message: Message) -> Refusal | None:
        """OrderCancelRequest(F) or OrderCancelReplaceRequest(G)"""
        cl_ord_id, original = message[11], message.get(41) or ""
        if not is_id(original):
            return Refusal(99, 1, f"There is no order with ClOrdID {original}")
        instrument, refusal = (
            self._terms.judge(session, message, self._now) if message.msg_type == "G" else (None, None)
        )
        if refusal is not None:
            return refusal
        order = self._order(session, original)
        if order is None:
            return Refusal(99, 1, f"There is no order with ClOrdID {original}")
        if order.ended:
            return TOO_LATE
        if order.cl_ord_id != original and not self.faults.on(Fault.OLD_ID_TAKEN):
            return Refusal(99, 0, f"Too late: the order has a newer ClOrdID than {original}")
        for name, sent, its in (
            ("Symbol", message.get(55), order.symbol),
            ("Side", message.get(54), order.side),
            ("OrdType", message.get(40), order.ord_type),
            ("Account", message.get(1), order.account),
            ("TimeInForce", message.get(59), order.time_in_force),
        ):
            only_g = name not in ("Symbol", "Side", "Account") and message.msg_type == "F"
            differs = (sent or its) != its and not only_g
            if differs and not self.faults.on(Fault.OTHER_TERMS_TAKEN):
                return Refusal(99, 99, f"{name} {sent} is not the order's, which is {its}")
        named = order.order_id if self.faults.on(Fault.ORDER_ID_NOT_COMPARED) else message.get(37)
        if (named or order.order_id) != order.order_id:
            shown = message[37][:64].encode("unicode_escape").decode()
            text = f"OrderID {shown} is not that of OrigClOrdID {original}, which is {order.order_id}"
            return Refusal(99, 1, text)
        key = session.settings.client, cl_ord_id
        if message.msg_type == "F":
            if self.faults.on(Fault.CANCEL_ONLY_STOPS_CANCELS) and self._closed(order.symbol):
                return self._cancel_only(order.symbol)
            self._spend(key, order.order_id)
            self.book.cancel(order, cl_ord_id, session.settings.name)
            return None
        assert instrument is not None
        if self._closed(order.symbol) and not self.faults.on(Fault.CANCEL_ONLY_LETS_REPLACES):
            return self._cancel_only(order.symbol)
        quantity, price = Decimal(message[38]), Decimal(message.get(44) or "0")
        if quantity <= order.filled and not self.faults.on(Fault.REPLACE_BELOW_FILLED_TAKEN):
            wanted, filled = (reports.plain(each, instrument.lot) for each in (quantity, order.filled))
            return Refusal(99, 99, f"OrderQty {wanted} is not above the {filled} already filled")
        self._spend(key, order.order_id)
        self.book.replace(order, cl_ord_id, quantity, price, session.settings.name)
        return None

    def _closed(self, symbol: str) -> bool:
        closed = symbol in self.cancel_only or "" in self.cancel_only
        return closed and not self.faults.on(Fault.CANCEL_ONLY_IGNORED)

    def _cancel_only(self, symbol: str) -> Refusal:
        return Refusal(0, 2, f"{symbol} is cancel-only: no new orders, no replaces; cancels pass")

    def _order(self, session: Session, cl_ord_id: str) -> Order | None:
        """What the client's ClOrdID names, dead or alive."""
        client = session.settings.client
        order = self.book.orders.get(self.ids.get((client, cl_ord_id), ""))
        if order is None and self.faults.on(Fault.ANY_CLIENTS_ORDER):
            found = (self.book.orders[each] for (_, name), each in self.ids.items() if name == cl_ord_id)
            order = next(found, None)
        return order

    def _taken(self, key: tuple[str, str]) -> bool:
        order = self.book.orders.get(self.ids.get(key, ""))
        return key in self.ids and not (order is not None and order.past)

    def _spend(self, key: tuple[str, str], order_id: str) -> None:
        self.ids[key] = order_id
        self.new_ids.add(key)

    def _refuse(self, session: Session, message: Message, refusal: Refusal) -> None:
        faults, time = self.faults, stamp(self._now)
        if message.msg_type == "D":
            reason = 99 if faults.on(Fault.WRONG_ORD_REJ_REASON) and refusal.new != 99 else refusal.new
            body = reports.order_reject(message, f"R{self._next_id()}", reason, refusal.text, time, faults)
            if not faults.on(Fault.ORDER_REFUSED_SILENTLY):
                session.report("8", body, self._now)
            return
        reason = 99 if faults.on(Fault.WRONG_CXL_REJ_REASON) and refusal.request != 99 else refusal.request
        order = self._order(session, message.get(41) or "")
        body = reports.cancel_reject(message, order, reason, refusal.text, time, faults)
        if faults.on(Fault.CANCEL_REFUSED_AS_ORDER):
            body = reports.order_reject(message, f"R{self._next_id()}", reason, refusal.text, time, faults)
            session.report("8", body, self._now)
        elif not faults.on(Fault.CANCEL_REFUSED_SILENTLY):
            session.report("9", body, self._now)

    def _emit(self, order: Order, event: Event) -> None:
        faults = self.faults
        self.touched.add(order.order_id)
        exec_id = self._next_id()
        if faults.on(Fault.EXEC_ID_USED_TWICE):
            exec_id = order.order_id
        silent = {
            "0": Fault.NEW_NOT_REPORTED,
            "4": Fault.CANCEL_NOT_REPORTED,
            "5": Fault.REPLACE_NOT_REPORTED,
            "F": Fault.FILL_NOT_REPORTED,
            "C": Fault.EXPIRY_NOT_REPORTED,
        }
        if faults.on(silent[event.exec_type]):
            return
        names = [order.session]
        other = event.requested_by
        if other and other != order.session:
            names = [other] if faults.on(Fault.OWNER_NOT_TOLD) else [order.session, other]
        for name in names:
            session = self._session(name)
            version = session.settings.begin_string
            instrument = self._settings.instruments[order.symbol]
            body = reports.execution(order, event, exec_id, instrument, version, stamp(self._now), faults)
            session.report("8", body, self._now)
            if event.exec_type == "F" and faults.on(Fault.FILL_REPORTED_TWICE):
                session.report("8", body, self._now)

    def _next_id(self) -> str:
        self.last_id += 1
        return str(self.last_id)
