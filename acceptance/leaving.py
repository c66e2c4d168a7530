"""When a script is over: its orders are cancelled and its sessions logged out, so that the next one finds an
empty book and no reports that wait. Nothing here is a step, or changes a verdict."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import suppress

from acceptance.script import Values
from acceptance.speaker import Gone, Silent, Speaker, Unconnected
from acceptance.wire import Malformed, Message

WITHIN = 2.0
"""seconds for the venue's next word"""
NEW_ORDER, REPORT, CANCEL, CANCEL_REJECT, LOGON, LOGOUT = "D", "8", "F", "9", "A", "5"
ANSWERS = (REPORT, CANCEL_REJECT)
ORIGINAL, CL_ORD_ID, SIDE, SYMBOL, LEAVES, STATUS = 41, 11, 54, 55, 151, 39

Draft = Callable[[str, Values], list[tuple[int, str]]]
"""MsgType and fields to a message's body, with what the venue cannot do without"""


class Orders:
    """What one session has in the book, told by its own reports."""

    def __init__(self) -> None:
        self.live: dict[str, tuple[str, str]] = {}
        """ClOrdID to (Symbol, Side)"""
        self.traded = False
        """it has sent an order"""
        self.logons = 0

    def sent(self, raw: bytes) -> None:
        self.traded = self.traded or b"\x0135=D\x01" in raw
        self.logons += b"\x0135=A\x01" in raw

    def heard(self, message: Message) -> None:
        if message.msg_type != REPORT or CL_ORD_ID not in message or message.get(STATUS) == "8":
            return
        self.live.pop(message.get(ORIGINAL, "") or "", None)
        if (message.get(LEAVES, "0") or "0").strip("0.") == "":
            self.live.pop(message[CL_ORD_ID], None)
        else:
            self.live[message[CL_ORD_ID]] = (message.get(SYMBOL, "") or "", message.get(SIDE, "") or "")


def leave(speaker: Speaker, orders: Orders, draft: Draft) -> None:
    """One that has traded and is not connected any more comes back for it."""
    with suppress(Gone, Unconnected, Silent, Malformed, OSError):
        try:
            _leave(speaker, orders, draft)
        except Gone:  # it was gone before, as after `restart: kill`, and nobody had looked
            _leave(speaker, orders, draft)
    speaker.hang_up(WITHIN)


def _leave(speaker: Speaker, orders: Orders, draft: Draft) -> None:
    if not speaker.connected:
        if not orders.traded:
            return
        speaker.connect()
        speaker.next_out = speaker.next_in = 1
        speaker.send(LOGON, draft(LOGON, {"ResetSeqNumFlag": "Y"}))
        _until(speaker, LOGON)
    _cancel_all(speaker, orders, draft)
    if orders.traded and speaker.over_tls:
        _prove(speaker)
    speaker.send(LOGOUT, [])
    _until(speaker, LOGOUT)


def _prove(speaker: Speaker) -> None:
    """A Logout over TLS proves no delivery. Who asks for the last message again has all before it."""
    speaker.send("1", [(112, "certify-proves")])
    answer = _read(speaker, lambda message: message.get(112) == "certify-proves")
    speaker.send("2", [(7, answer.get(34) or "1"), (16, "0")])
    _until(speaker, "4")


def _cancel_all(speaker: Speaker, orders: Orders, draft: Draft) -> None:
    if not orders.traded:
        return
    if orders.logons > 1:  # what an earlier connection was sent has arrived for sure only if it comes again
        speaker.send("2", [(7, "1"), (16, "0")])
    speaker.send("1", [(112, "certify-leaves")])
    _until(speaker, "0")
    live = dict(orders.live)  # only now, as reports that nobody had read may speak of more
    for original, (symbol, side) in live.items():
        fields = {"ClOrdID": secrets.token_hex(6), "OrigClOrdID": original, "Symbol": symbol, "Side": side}
        speaker.send(CANCEL, draft(CANCEL, fields))
    for _ in live:
        _read(speaker, lambda message: message.msg_type in ANSWERS and not message.possible_duplicate)


def _until(speaker: Speaker, msg_type: str) -> None:
    _read(speaker, lambda message: message.msg_type == msg_type)


def _read(speaker: Speaker, arrived: Callable[[Message], bool]) -> Message:
    """Up to this message. Raises Silent if it does not come in time, whatever else does."""
    deadline = time.monotonic() + 2 * WITHIN
    while time.monotonic() < deadline:
        message = speaker.receive(WITHIN)
        if speaker.is_of_course(message):
            speaker.count(message)
            speaker.answer(message)
        if arrived(message):
            return message
    raise Silent
