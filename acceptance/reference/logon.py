"""Logon(A): who is let in, what is refused in words, and NextExpectedMsgSeqNum(789). Cases 1S and 9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acceptance.reference import counting, judging, resend
from acceptance.reference.faults import Fault
from acceptance.wire import Message

if TYPE_CHECKING:
    from acceptance.reference.session import Session


def first(session: Session, message: Message, now: float) -> None:
    """The first message of a connection: a Logon, or the end without a word."""
    if message.msg_type != "A":
        if session.faults.on(Fault.FIRST_MAY_BE_ANYTHING):
            session.logged_on = True
            session.receive(message, now)
        elif session.faults.on(Fault.FIRST_REFUSED_ALOUD):
            session.log_out("First message is no Logon", now, close=True)
        else:
            session.closed = True
        return
    if any(value == "" for _, value in message.fields):
        session.closed = True  # no Logon at all
        return
    why = _objection(session, message, now)
    if why:
        session.log_out(why, now, close=not session.faults.on(Fault.REFUSED_LOGON_KEPT_CONNECTED))
        return
    _admit(session, message, now)


def again(session: Session, message: Message, now: float) -> None:
    """A Logon inside of a session: one that resets it, or the end."""
    if message.get(141) != "Y":
        session.closed = not session.faults.on(Fault.SECOND_LOGON_IGNORED)
    elif message.sequence == 1:
        _admit(session, message, now)
    else:
        session.log_out("MsgSeqNum(34) must be 1 with ResetSeqNumFlag(141)=Y", now, close=True)


def _objection(session: Session, message: Message, now: float) -> str:
    """Why the Logon is refused; "" if it is not."""
    faults, history, settings = session.faults, session.history, session.settings
    low, high = settings.heartbeat_min_seconds, settings.heartbeat_max_seconds
    interval = message.get(108, "") or ""
    in_range = interval.isdecimal() and low <= int(interval[:9]) <= high
    if not in_range and not (faults.on(Fault.HEART_BT_INT_NOT_CHECKED) and interval.isdecimal()):
        return f"HeartBtInt(108) must be from {low} to {high}"
    wanted = message.get(789)
    if wanted is not None and (not wanted.isdecimal() or int(wanted) == 0):
        return "NextExpectedMsgSeqNum(789) must be a number above 0"
    wrong = session.dictionary.wrong(message, faults)
    if wrong is not None and not (wrong.tag == 1137 and faults.on(Fault.APPL_VERSION_NOT_CHECKED)):
        return f"{wrong.text}: {wrong.tag}"
    if not judging.timely(session, message, now) and not faults.on(Fault.LOGON_TIME_NOT_CHECKED):
        return f"SendingTime(52) must be within {settings.max_latency_seconds} s of the venue's clock"
    resets = message.get(141) == "Y"
    target = 1 if resets else history.target
    if resets and message.sequence != 1:
        return "MsgSeqNum(34) must be 1 with ResetSeqNumFlag(141)=Y"
    if message.possible_duplicate:
        return "PossDupFlag(43) must not be set in a Logon"
    if message.sequence < target and not faults.on(Fault.LOGON_TOO_LOW_TAKEN):
        return f"MsgSeqNum too low, expecting {target} but received {message.sequence}"
    sender = 1 if resets else history.sender
    if wanted is not None and int(wanted) > sender and not faults.on(Fault.NEXT_EXPECTED_TOO_HIGH_TAKEN):
        return f"NextExpectedMsgSeqNum too high, expecting {sender} but received {wanted}"
    return ""


def _admit(session: Session, message: Message, now: float) -> None:
    faults, history = session.faults, session.history
    resets = message.get(141) == "Y"
    lost = []
    if resets and not faults.on(Fault.RESET_FLAG_IGNORED):
        lost = history.reset()
        session.queue, session.gap_end = {}, 0
        if faults.on(Fault.RESET_LOSES_REPORTS):
            lost = []
    session.logged_on = True
    session.logged_out_at = None
    session.heartbeat = int(message[108])
    setting = "N" if faults.on(Fault.CANCEL_SETTING_IGNORED) else session.settings.cancel_on_disconnect
    history.away = message.get(8013) or setting
    too_high = message.sequence > history.target
    if message.sequence == history.target:
        history.target += 1
    own = history.sender
    session.send("A", _answer(session, message), now)
    if faults.on(Fault.LOGON_GAP_CLOSED_UNASKED):
        history.target = max(history.target, message.sequence + 1)
    elif too_high:
        told = 789 in message and not faults.on(Fault.NEXT_EXPECTED_AND_ASKED)
        if told or faults.on(Fault.LOGON_GAP_NOT_ASKED):
            session.gap_end = message.sequence
        else:
            counting.ask(session, message.sequence, now)
    for sent in lost:
        session.report(sent.msg_type, [each for each in sent.body if each[0] != 97], now, resent=True)
    wanted = message.get(789)
    if wanted is not None and not faults.on(Fault.NEXT_EXPECTED_IGNORED):
        history.prove(int(wanted) - 1)
        if int(wanted) < own:
            resend.again(session, int(wanted), 0, now)


def _answer(session: Session, message: Message) -> list[tuple[int, object]]:
    faults = session.faults
    interval = 60 if faults.on(Fault.WRONG_HEART_BT_INT) else session.heartbeat
    body: list[tuple[int, object]] = [(98, 0), (108, interval)]
    if message.get(141) == "Y" and not faults.on(Fault.RESET_FLAG_NOT_ANSWERED):
        body.append((141, "Y"))
    if session.settings.begin_string == "FIXT.1.1" and not faults.on(Fault.NO_APPL_VERSION):
        body.append((1137, 9))
    if 789 in message and not faults.on(Fault.NEXT_EXPECTED_NOT_ANSWERED):
        wrong = 1 if faults.on(Fault.NEXT_EXPECTED_WRONG) else 0
        body.append((789, session.history.target + wrong))
    if 8013 in message and not faults.on(Fault.CANCEL_ON_DISCONNECT_NOT_CONFIRMED):
        body.append((8013, message[8013]))
    return body
