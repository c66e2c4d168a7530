"""A stream that was logged: cut into its messages, whatever it holds, and what they name."""

import re
from typing import Final, NamedTuple

from fixgw.codec.frame import checksum
from fixgw.codec.masking import STARS
from fixgw.codec.reports import NO_ORDER

WHOLE: Final = ""
GARBLED: Final = "garbled"
CUT: Final = "cut"
"""begun and never finished"""

_END = re.compile(rb"\x0110=[^\x01]*\x01|\x01(?=8=FIX)")
_IDS = re.compile(rb"\x01(11|34|37|41|45)=([^\x01]+)")
_MSG_TYPE = re.compile(rb"\x0135=([^\x01]+)")
_WHOLE = re.compile(rb"8=FIX[^\x01]+\x019=(\d{1,9})\x01(35=[^\x01]+\x01.*\x01)10=(\d{3})\x01", re.DOTALL)


class Message(NamedTuple):
    text: bytes
    state: str
    """WHOLE, GARBLED or CUT"""


class Splitter:
    """One direction of one connection."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, data: bytes) -> list[Message]:
        """The messages that end in `data`."""
        data = self._rest + data
        messages = []
        start = 0
        for end in _END.finditer(data):
            messages.append(_judged(data[start : end.end()]))
            start = end.end()
        self._rest = data[start:]
        return messages

    def end(self) -> list[Message]:
        """What is left when the stream is over."""
        rest, self._rest = self._rest, b""
        return [Message(rest, CUT if rest.startswith(b"8=FIX") else GARBLED)] if rest else []


def _judged(text: bytes) -> Message:
    """BodyLength and CheckSum cannot be right where a secret was masked."""
    whole = _WHOLE.fullmatch(text)
    if whole is None:
        unfinished = text.startswith(b"8=FIX") and b"\x0110=" not in text
        return Message(text, CUT if unfinished else GARBLED)
    right = int(whole[1]) == len(whole[2]) and int(whole[3]) == checksum(text[: whole.end(2)])
    return Message(text, WHOLE if right or b"=%b\x01" % STARS in text else GARBLED)


class Ids(NamedTuple):
    """What a message names; empty where it does not."""

    cl_ord_id: str
    """ClOrdID(11)"""
    orig_cl_ord_id: str
    """OrigClOrdID(41)"""
    order_id: str
    """OrderID(37), but not the one that says there is none"""
    sequence: str
    """MsgSeqNum(34)"""
    reference: str
    """RefSeqNum(45)"""


def ids(text: bytes) -> Ids:
    found = {tag: value.decode("utf-8", "surrogateescape") for tag, value in _IDS.findall(text)}
    order_id = found.get(b"37", "")
    return Ids(
        found.get(b"11", ""),
        found.get(b"41", ""),
        "" if order_id == NO_ORDER else order_id,
        found.get(b"34", ""),
        found.get(b"45", ""),
    )


def message_type(text: bytes) -> str:
    """MsgType(35); empty where there is none."""
    found = _MSG_TYPE.search(text)
    return found[1].decode("utf-8", "surrogateescape") if found else ""
