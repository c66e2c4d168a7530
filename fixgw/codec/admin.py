"""What the venue must know of session messages: those QuickFIX writes and those clients send."""

import re
from typing import Final, NamedTuple

from fixgw.codec.fields import fields, seq_num
from fixgw.codec.standard import Names
from fixgw.codec.times import TO_THE_SECOND

_NUMBER = re.compile(rb"\x0134=0*(\d{1,20})\x01")
_ALONE = re.compile(rb"\x0135=[A125q]\x01")
"""Logon, TestRequest, ResendRequest, Logout; OrderMassCancelRequest"""
_TAG_IN_TEXT = re.compile(r"\((\d+)\)$")

SEQUENCE_RESET: Final = "4"
"""MsgType(35)"""
THIRD_PARTIES: Final = ("115", "128")
"""OnBehalfOfCompID, DeliverToCompID: a session is one client's"""
DOUBTFUL: Final = re.compile(f"\x01(?:43=Y\x01|{'=|'.join(THIRD_PARTIES)}=)")
"""in an application message that `objection` should see: a possible duplicate, or a third party"""
INVALID_TAG_NUMBER, TAG_MISSING, TAG_NOT_OF_THIS_MESSAGE, WRONG_VALUE = "0", "1", "2", "5"
COMP_ID_PROBLEM, SENDING_TIME_PROBLEM, INVALID_MSG_TYPE = "9", "10", "11"
"""SessionRejectReason(373)"""


class Replay(NamedTuple):
    """QuickFIX fills the gap [first, end) for a client that asked for it again."""

    first: int
    end: int


class Instead(NamedTuple):
    """A message of QuickFIX that the standard wants otherwise, under the number it has spent."""

    sequence: int
    record: bytes


def logout_text(messages: bytes) -> str:
    """Text(58) of a lone Logout; empty if there is none."""
    if b"\x0135=5\x01" not in messages[:32]:
        return ""
    return fields(messages.decode("latin-1")).get("58", "")


def number(message: bytes) -> int:
    """MsgSeqNum(34), 0 if there is none that is one."""
    found = _NUMBER.search(message)
    return int(found[1]) if found else 0


def with_next_expected(logon: bytes, number: int) -> bytes:
    """A record of QuickFIX's Logon with another NextExpectedMsgSeqNum(789)."""
    found = fields(logon.decode("latin-1"))
    body = logon[logon.index(b"\x0156=") + 1 : logon.rindex(b"\x0110=") + 1].partition(b"\x01")[2]
    body = re.sub(rb"((?:^|\x01)789=)\d+", rb"\g<1>%d" % number, body)
    return b"A\x01%b\x01%b" % (found["52"].encode("ascii"), body)


def outbound(message: bytes, before: bytes, standard: Names) -> Replay | Instead | None:
    """What a message of QuickFIX asks of the venue beyond being sent; None for most. `before` is the one
    QuickFIX wrote just before it, if any."""
    msg_type = message[message.find(b"\x0135=") + 4 :].split(b"\x01", 1)[0]
    if msg_type not in (b"3", b"4", b"5", b"j"):
        return None
    found = fields(message.decode("latin-1"))
    sequence = int(found["34"])
    if msg_type == b"4":
        return Replay(sequence, int(found["36"]))
    if msg_type == b"5":
        reason = _reason_of_logout(found, before)
        return Instead(sequence, logout(reason, found["52"])) if reason else None
    record = _instead_of_reject(found, standard) if msg_type == b"3" else _instead_of_business_reject(found)
    return Instead(sequence, record) if record else None


def _instead_of_reject(found: dict[str, str], standard: Names) -> bytes | None:
    """QuickFIX judges by its small dictionary; the standard knows more messages and fields."""
    reason, msg_type, tag = found.get("373"), found.get("372", ""), found.get("371", "")
    if reason == INVALID_MSG_TYPE and (msg_type in standard.messages or msg_type.startswith("U")):
        return business_reject(found["45"], msg_type, f"Unsupported MsgType {msg_type}", found["52"])
    if reason == INVALID_TAG_NUMBER and tag in standard.fields:
        text = "Tag not defined for this message type"
        return reject(found["45"], msg_type, TAG_NOT_OF_THIS_MESSAGE, tag, text, found["52"])
    return None


def _instead_of_business_reject(found: dict[str, str]) -> bytes | None:
    """A field of the header that is missing is no matter of business."""
    tag = _TAG_IN_TEXT.search(found.get("58", ""))
    if tag is None:
        return None
    return reject(found["45"], found["372"], TAG_MISSING, tag[1], "Required tag missing", found["52"])


def _reason_of_logout(found: dict[str, str], before: bytes) -> str | None:
    """A Logout that follows a Reject for its reason should say so."""
    if "58" in found or b"\x0135=3\x01" not in before[:32]:
        return None
    rejected = fields(before.decode("latin-1"))
    if rejected.get("373") not in (COMP_ID_PROBLEM, SENDING_TIME_PROBLEM):
        return None
    return rejected.get("58")


# What clients send


def up_to_question(data: bytes) -> bytes:
    """All messages before the first one that QuickFIX answers by itself, but at least one. A Logon stands
    alone: if it resets the session, there is something to be sent before what follows is answered. The second
    mass cancel waits as well: each looks at all orders of its client, and others must come between."""
    if b"\x0135=A\x01" in data[:32]:
        return data[: data.find(b"\x018=FIX") + 1] or data
    second = data.find(b"8=FIX", 1)
    question = _ALONE.search(data, second) if second > 0 else None
    return data[: data.rfind(b"8=FIX", 0, question.start())] if question else data


def is_reject(message: bytes) -> bool:
    """Reject(3) or BusinessMessageReject(j)"""
    return b"\x0135=3\x01" in message[:32] or b"\x0135=j\x01" in message[:32]


def is_bare_heartbeat(data: bytes) -> bool:
    """Whether these bytes are one Heartbeat(0), or its beginning, that answers no TestRequest."""
    return b"\x0135=0\x01" in data[:32] and b"\x01112=" not in data and data.find(b"8=FIX", 8) < 0


def is_logout(message: bytes) -> bool:
    return b"\x0135=5\x01" in message[:32]


def answered_test_request(text: str) -> str | None:
    """TestReqID(112) of a Heartbeat that answers a TestRequest."""
    if "\x0135=0\x01" not in text[:32]:
        return None
    return fields(text).get("112")


def objection(text: str, now: str) -> bytes | None:
    """The Reject of a message QuickFIX should have rejected; None for most. `now`: UTCTimestamp."""
    found = fields(text)
    msg_type, sequence = found["35"], found["34"]
    if msg_type == SEQUENCE_RESET:
        if found.get("123") != "Y" or seq_num(found["36"]) != seq_num(sequence):
            return None
        text = "A gap fill must end above its own MsgSeqNum"
        return reject(sequence, msg_type, WRONG_VALUE, "36", text, now)
    for tag in THIRD_PARTIES:
        if tag in found and msg_type not in "A0123456":
            return reject(sequence, msg_type, COMP_ID_PROBLEM, tag, "No third party was agreed on", now)
    if found.get("43") != "Y":
        return None
    if "122" not in found:
        return reject(sequence, msg_type, TAG_MISSING, "122", "Required tag missing", now)
    if found["122"][:TO_THE_SECOND] > found["52"][:TO_THE_SECOND]:
        text = "OrigSendingTime is after SendingTime"
        return reject(sequence, msg_type, SENDING_TIME_PROBLEM, "122", text, now)
    return None


# Records of the venue's own session messages; `sending_time` is a UTCTimestamp


def reject(ref_sequence: str, ref_type: str, reason: str, tag: str, text: str, sending_time: str) -> bytes:
    """Reject(3)"""
    body = f"45={ref_sequence}\x0158={text}\x01371={tag}\x01372={ref_type}\x01373={reason}\x01"
    return f"3\x01{sending_time}\x01{body}".encode("latin-1")


def business_reject(ref_sequence: str, ref_type: str, text: str, sending_time: str) -> bytes:
    """BusinessMessageReject(j) of a MsgType the venue does not take"""
    body = f"45={ref_sequence}\x0158={text}\x01372={ref_type}\x01380=3\x01"
    return f"j\x01{sending_time}\x01{body}".encode("latin-1")


def logout(text: str, sending_time: str) -> bytes:
    """Logout(5)"""
    return f"5\x01{sending_time}\x0158={text}\x01".encode("latin-1")


def resend_request(first: int, now: str) -> bytes:
    """For all messages from `first` on."""
    return f"2\x01{now}\x017={first}\x0116=0\x01".encode("ascii")


def test_request(test_request_id: str, sending_time: str) -> bytes:
    """TestRequest(1)"""
    return f"1\x01{sending_time}\x01112={test_request_id}\x01".encode("ascii")


def resent(record: bytes, sending_time: str) -> bytes:
    """The record of the same message under a new number: PossResend(97)=Y, SendingTime now."""
    msg_type, _, body = record.split(b"\x01", 2)
    mark = b"" if body.startswith(b"97=Y\x01") else b"97=Y\x01"
    return msg_type + b"\x01" + sending_time.encode("ascii") + b"\x01" + mark + body
