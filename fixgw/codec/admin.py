"""What the venue must know of session messages: those QuickFIX writes and those clients send."""

from typing import NamedTuple

from fixgw.codec.fields import fields


class Replay(NamedTuple):
    """QuickFIX fills the gap [first, end) for a client that asked for it again."""

    first: int
    end: int


class Unsupported(NamedTuple):
    """QuickFIX refused a MsgType its small dictionary does not know."""

    sequence: int
    record: bytes
    """the BusinessMessageReject to send if the standard knows the type"""
    msg_type: str


class ResetLogon(NamedTuple):
    """The Logon that answers one with ResetSeqNumFlag(141)=Y."""


def outbound(message: bytes) -> Replay | Unsupported | ResetLogon | None:
    """What a message of QuickFIX asks of the venue beyond being sent; None for most."""
    if b"\x0135=4\x01" in message[:32]:
        found = fields(message.decode("latin-1"))
        return Replay(int(found["34"]), int(found["36"]))
    if b"\x0135=3\x01" in message[:32]:
        found = fields(message.decode("latin-1"))
        if found.get("373") == "11" and "372" in found:
            return Unsupported(int(found["34"]), _business_reject(found), found["372"])
    if b"\x0135=A\x01" in message[:32] and b"\x01141=Y\x01" in message:
        return ResetLogon()
    return None


def _business_reject(reject: dict[str, str]) -> bytes:
    msg_type = reject["372"]
    body = f"45={reject['45']}\x0158=Unsupported MsgType {msg_type}\x01372={msg_type}\x01380=3\x01"
    return f"j\x01{reject['52']}\x01{body}".encode("latin-1")


def test_request(test_request_id: str, sending_time: str) -> bytes:
    """The record of a TestRequest(1)."""
    return f"1\x01{sending_time}\x01112={test_request_id}\x01".encode("ascii")


def is_logout(text: str) -> bool:
    return "\x0135=5\x01" in text[:32]


def answered_test_request(text: str) -> str | None:
    """TestReqID(112) of a Heartbeat that answers a TestRequest."""
    if "\x0135=0\x01" not in text[:32]:
        return None
    return fields(text).get("112")


def resent(record: bytes, sending_time: str) -> bytes:
    """The record of the same message under a new number: PossResend(97)=Y, SendingTime now."""
    msg_type, _, body = record.split(b"\x01", 2)
    mark = b"" if body.startswith(b"97=Y\x01") else b"97=Y\x01"
    return msg_type + b"\x01" + sending_time.encode("ascii") + b"\x01" + mark + body
