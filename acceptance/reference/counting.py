"""What MsgSeqNum(34) of a client's message says: as expected, too high, too low. Cases 2, 10 and 11."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acceptance.reference.clock import WHOLE
from acceptance.reference.dictionary import MISSING, SENDING_TIME, TEXTS, VALUE, Wrong
from acceptance.reference.faults import Fault
from acceptance.wire import Message

if TYPE_CHECKING:
    from acceptance.reference.session import Session

MOST_WAITING = 2500
"""messages above a gap, beyond which the client is cut"""


def count(session: Session, message: Message, now: float) -> None:
    """A message that is dealt with: its number is, too, if it is the one expected."""
    if message[34].isdecimal() and message.sequence == session.history.target:
        if not session.faults.on(Fault.REJECTED_NOT_COUNTED) or message.msg_type not in "D0":
            session.history.target += 1
        drain(session, now)


def drain(session: Session, now: float) -> None:
    """Takes what came above the gap, as far as it is filled."""
    history = session.history
    while (message := session.queue.pop(history.target, None)) is not None and not session.closed:
        if message.msg_type == "4":
            history.target = max(history.target, new_number(message))
        elif session.faults.on(Fault.EARLY_FORGOTTEN):
            history.target += 1
        else:
            session.take(message, now)
    if history.target > session.gap_end:
        session.gap_end = 0
        session.queue = {number: each for number, each in session.queue.items() if number > history.target}


def expected(session: Session, message: Message, now: float) -> bool:
    """Whether it is this message's turn; if not, it is dealt with."""
    number, target = message.sequence, session.history.target
    if number > target:
        if session.faults.on(Fault.GAP_IGNORED):
            session.history.target = number
            return True
        ask(session, number, now)
        if session.faults.on(Fault.EARLY_TAKEN_AT_ONCE) and message.msg_type == "D":
            session.take(message, now)
            session.history.target = target
        session.queue[number] = message
        if len(session.queue) > MOST_WAITING:
            session.closed = True
        return False
    if number < target:
        return _too_low(session, message, now)
    return True


def ask(session: Session, seen: int, now: float) -> None:
    """ResendRequest(2) for all from the number expected on: once for a gap."""
    again = session.faults.on(Fault.GAP_ASKED_AGAIN)
    if session.gap_end and not again:
        return
    session.gap_end = max(seen, session.gap_end)
    first, last = session.history.target, 0
    if session.faults.on(Fault.RESEND_REQUEST_TOO_LATE):
        first += 1
    if session.faults.on(Fault.RESEND_REQUEST_OF_ONE):
        last = first
    if not session.faults.on(Fault.NO_RESEND_REQUEST):
        session.send("2", [(7, first), (16, last)], now)


def _too_low(session: Session, message: Message, now: float) -> bool:
    number, target = message.sequence, session.history.target
    if message.possible_duplicate:
        if session.faults.on(Fault.DUPLICATE_TAKEN):
            session.history.target -= 1
            return True
        if session.faults.on(Fault.DUPLICATE_LOGGED_OUT):
            session.log_out("MsgSeqNum too low", now, close=True)
        elif message.msg_type != "4":
            bad_duplicate(session, message, now)
        return False
    if session.faults.on(Fault.TOO_LOW_IGNORED):
        return False
    if session.faults.on(Fault.TOO_LOW_TAKEN):
        session.history.target -= 1
        return True
    text = f"MsgSeqNum too low, expecting {target} but received {number}"
    session.log_out(text, now, close=not session.faults.on(Fault.TOO_LOW_KEPT_CONNECTED))
    if not session.closed:
        session.logged_out_at = None
    return False


def bad_duplicate(session: Session, message: Message, now: float) -> bool:
    """Whether OrigSendingTime(122) of a possible duplicate is not there, or after SendingTime(52), and that
    was said. Below the number expected the second ends the session."""
    original = message.get(122)
    if original is None:
        if session.faults.on(Fault.ORIG_TIME_NOT_REQUIRED):
            return False
        session.reject(message, Wrong(MISSING, 122), now)
        return True
    if original[:WHOLE] > (message.get(52) or "")[:WHOLE] and not session.faults.on(
        Fault.ORIG_TIME_NOT_COMPARED
    ):
        session.reject(message, Wrong(SENDING_TIME, 122), now)
        if message.sequence < session.history.target - 1:
            session.log_out(TEXTS[SENDING_TIME], now)
        return True
    return False


def new_number(message: Message) -> int:
    text = message.get(36, "")
    return int(text) if text and text.isdecimal() else 0


def sequence_reset(session: Session, message: Message, now: float) -> None:
    """SequenceReset(4): GapFill goes by its number, Reset does not. Neither may go back."""
    faults, history = session.faults, session.history
    fills = message.get(123) == "Y"
    number = new_number(message)
    if fills and not faults.on(Fault.GAP_FILL_NUMBER_NOT_CHECKED) and not expected(session, message, now):
        return
    if fills and faults.on(Fault.GAP_FILL_IGNORED):
        return
    if not fills and faults.on(Fault.RESET_IGNORED):
        return
    if number < history.target or (fills and number == message.sequence):
        back = Fault.GAP_FILL_BACKWARDS_TAKEN if fills else Fault.RESET_BACKWARDS_TAKEN
        if faults.on(back):
            history.target = number
        elif not faults.on(Fault.BACKWARDS_NOT_REJECTED):
            session.reject(message, Wrong(VALUE, 36), now)
        return
    if not fills and number == history.target and faults.on(Fault.EQUAL_RESET_REJECTED):
        session.reject(message, Wrong(VALUE, 36), now)
        return
    history.target = number + (1 if fills and faults.on(Fault.GAP_FILL_ONE_TOO_FAR) else 0)
    drain(session, now)
