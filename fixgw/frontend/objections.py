"""Why an order or a request is not accepted: the room, the engine's word, what is said of its order."""

from engine import refusals
from engine.commands import CancelMany, CancelOrder, OrderCommand, ReplaceOrder
from engine.refusals import Refusal
from fixgw.codec.refusals import NO_ROOM, OTHER_ORDER, SUPERSEDED, TOO_LATE
from fixgw.codec.replaces import contradiction
from fixgw.cycle.recorder import Recorder
from fixgw.frontend.answers import Answers
from fixgw.frontend.parking import Parking
from fixgw.store.accounts import client_of
from fixgw.store.store import Store

REQUESTS = CancelOrder, ReplaceOrder
WAITS = "waits"
"""the order that is to be canceled does: no refusal that a client sees"""


class Objections:
    def __init__(self, store: Store, recorder: Recorder, parking: Parking, answers: Answers) -> None:
        self._store = store
        self._recorder = recorder
        self._venue = recorder.venue
        self._instruments = recorder.instruments
        self._parking = parking
        self._answers = answers

    def why_not(self, command: OrderCommand | CancelMany, found: dict[str, str]) -> Refusal | None:
        refusal = self._refusal(command)
        if refusal is None and isinstance(command, REQUESTS):
            refusal = self._other_order(command, found)
            if refusal is None and type(command) is ReplaceOrder:
                order = self._venue.order(command.client, command.orig_cl_ord_id)
                assert order is not None, "the engine has found it"
                refusal = contradiction(found, order, self._instruments[command.symbol])
        return refusal

    def _refusal(self, command: OrderCommand | CancelMany) -> Refusal | None:
        if self._store.full:
            if not isinstance(command, CancelOrder | CancelMany):
                return Refusal(refusals.STORE_FULL)
            if not self._recorder.room.take(1):
                return Refusal(NO_ROOM)
        if isinstance(command, CancelMany) and command.account:
            owner = client_of(self._store, self._recorder.transaction, command.account)
            if owner != command.client:
                return Refusal(refusals.UNKNOWN_ACCOUNT, command.account)
        refusal = self._venue.refusal(command)
        if refusal is not None and refusal.reason == refusals.UNKNOWN_ORDER:
            assert isinstance(command, REQUESTS)
            if (
                len(self._parking)
                and type(command) is CancelOrder
                and self._parking.named(command.client, command.orig_cl_ord_id)
            ):
                return Refusal(WAITS)
            past = self._answers.past_of(command.client, command.orig_cl_ord_id)
            if past is not None:
                return Refusal(SUPERSEDED, command.orig_cl_ord_id) if past.lives else Refusal(TOO_LATE)
        return refusal

    def _other_order(self, command: CancelOrder | ReplaceOrder, found: dict[str, str]) -> Refusal | None:
        """OrderID(37) and Account(1) are optional, but what is there must be the order's own: a client that
        means another order must not lose this one."""
        order = self._venue.order(command.client, command.orig_cl_ord_id)
        assert order is not None, "the engine has found it"
        order_id, account = found.get("37"), found.get("1", order.account)
        if order_id is not None and order_id != str(order.order_id):
            return Refusal(OTHER_ORDER, order_id, str(order.order_id), command.orig_cl_ord_id)
        if account != order.account:
            return Refusal(refusals.MISMATCH, account, order.account, "Account")
        return None
