"""What is sent again: application messages as they were, everything else as gap fills. Case 8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acceptance.reference.clock import stamp
from acceptance.reference.faults import Fault
from acceptance.wire import Message

if TYPE_CHECKING:
    from acceptance.reference.session import Session


def answer(session: Session, message: Message, now: float) -> None:
    """A ResendRequest(2). An open one says that all before it has arrived."""
    texts = message.get(7, ""), message.get(16, "")
    first, last = (int(text) if text and text.isdecimal() else 0 for text in texts)
    if last == 0:
        session.history.prove(first - 1)
    if not session.faults.on(Fault.RESEND_REQUEST_IGNORED):
        again(session, first, last, now)


def again(session: Session, first: int, last: int, now: float) -> None:
    """The numbers from `first` to `last`, both included; `last` 0: to the end."""
    faults, history = session.faults, session.history
    first = max(first, 1)
    if last == 0 or last >= history.sender or faults.on(Fault.REPLAY_WITHOUT_END):
        last = history.sender - 1
    if faults.on(Fault.REPLAY_AS_GAP_FILL):
        _fill(session, first, last + 1, now)
        return
    number = first
    for each in sorted(each for each in history.sent if first <= each <= last):
        _fill(session, number, each, now)
        sent = history.sent[each]
        body = list(sent.body)
        if faults.on(Fault.REPLAY_CHANGED):
            body = [(tag, value + "-2" if tag == 17 else value) for tag, value in body]
        time = "20200101-00:00:00.000" if faults.on(Fault.WRONG_ORIG_SENDING_TIME) else sent.sending_time
        new = None if faults.on(Fault.REPLAY_UNDER_NEW_NUMBERS) else each
        session.send(sent.msg_type, body, now, sequence=new, first_sent=time)
        number = each + 1
    if not faults.on(Fault.NO_GAP_FILL_AT_END):
        _fill(session, number, last + 1, now)


def _fill(session: Session, first: int, end: int, now: float) -> None:
    """SequenceReset(4)-GapFill over [first, end)."""
    if first >= end:
        return
    faults = session.faults
    if faults.on(Fault.NO_GAP_FILL):
        return
    if faults.on(Fault.SESSION_MESSAGES_REPLAYED):
        for number in range(first, end):
            session.send("0", [], now, sequence=number, first_sent=stamp(now))
        return
    if faults.on(Fault.GAP_FILL_FOR_EACH) and end - first > 1:
        for number in range(first, end):
            _fill(session, number, number + 1, now)
        return
    beyond = 1 if faults.on(Fault.GAP_FILL_TOO_FAR) else -1 if faults.on(Fault.GAP_FILL_TOO_SHORT) else 0
    flag = [] if faults.on(Fault.GAP_FILL_WITHOUT_FLAG) else [(123, "Y")]
    sequence = first + 1 if faults.on(Fault.GAP_FILL_WRONG_NUMBER) else first
    session.send("4", [*flag, (36, end + beyond)], now, sequence=sequence, first_sent=stamp(now))
