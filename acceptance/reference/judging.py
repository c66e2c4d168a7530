"""What is wrong with a message of a client, before its number is looked at. Cases 2i to 2t, 3 and 14."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acceptance.reference import counting
from acceptance.reference.clock import seconds
from acceptance.reference.dictionary import COMP_ID, MSG_TYPE, SENDING_TIME, TEXTS, Wrong, is_timestamp
from acceptance.reference.faults import Fault
from acceptance.wire import Message

if TYPE_CHECKING:
    from acceptance.reference.session import Session


def garbled(session: Session, now: float) -> None:
    """It is passed over; before a Logon it is the end."""
    if not session.logged_on or session.faults.on(Fault.GARBLED_DISCONNECTS):
        session.closed = True
    elif session.faults.on(Fault.GARBLED_COUNTS):
        session.history.target += 1
    elif session.faults.on(Fault.GARBLED_REJECTED):
        session.send("3", [(45, session.history.target), (58, "garbled"), (373, 99)], now)


def wrong_content(session: Session, message: Message, now: float) -> bool:
    """Whether type or fields are wrong, and that was said."""
    kind = message.msg_type
    if kind not in session.dictionary.messages:
        session.spend(now)
        _wrong_type(session, message, now)
        counting.count(session, message, now)
        return True
    wrong = session.dictionary.wrong(message, session.faults)
    if wrong is None:
        return False
    session.reject(message, wrong, now)
    if kind != "4":
        counting.count(session, message, now)
    return True


def _wrong_type(session: Session, message: Message, now: float) -> None:
    kind, faults = message.msg_type, session.faults
    known = session.dictionary.knows(kind)
    if known and faults.on(Fault.UNSUPPORTED_TYPE_IGNORED):
        return
    if known and not faults.on(Fault.UNSUPPORTED_TYPE_INVALID):
        reason = "0" if faults.on(Fault.WRONG_BUSINESS_REASON) else "3"
        text = f"Unsupported MsgType {kind}"
        session.report("j", [(45, message[34]), (58, text), (372, kind), (380, reason)], now)
    elif not faults.on(Fault.UNKNOWN_TYPE_IGNORED):
        session.reject(message, Wrong(MSG_TYPE), now)


THIRD_PARTIES = (115, 128)
"""OnBehalfOfCompID, DeliverToCompID"""


def wrong_header(session: Session, message: Message, now: float) -> bool:
    """Whether SendingTime or a CompID is wrong, and that was said."""
    faults, settings = session.faults, session.settings
    third = next((tag for tag in THIRD_PARTIES if tag in message), None)
    named = (message.get(49), message.get(56)) == (settings.comp_id, settings.venue)
    if not timely(session, message, now) and not faults.on(Fault.SENDING_TIME_NOT_CHECKED):
        reason, ends = SENDING_TIME, not faults.on(Fault.NO_LOGOUT_AFTER_SENDING_TIME)
    elif not named and not faults.on(Fault.COMP_ID_NOT_CHECKED):
        reason, ends = COMP_ID, not faults.on(Fault.NO_LOGOUT_AFTER_COMP_ID)
    elif third and message.msg_type not in "A0123456" and not faults.on(Fault.THIRD_PARTY_TAKEN):
        reason, ends = COMP_ID, False
    else:
        return False
    session.reject(message, Wrong(reason, third), now)
    counting.count(session, message, now)
    if ends:
        session.log_out(TEXTS[reason], now)
    return True


def timely(session: Session, message: Message, now: float) -> bool:
    """SendingTime(52) is near the clock."""
    text = message.get(52) or ""
    return is_timestamp(text) and abs(seconds(text) - now) <= session.settings.max_latency_seconds + 1
