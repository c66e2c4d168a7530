"""Who may come in: decided on the fields of one complete, well-formed Logon."""

import hmac
from collections.abc import Mapping

from fixgw.sessions.session import Session
from fixgw.settings import Session as SessionSettings

FIX50SP2 = "9"
"""DefaultApplVerID(1137); another one would switch QuickFIX's validation off"""


class Stay(Exception):
    """Stays outside, without a word; the text is for the venue's own log and holds no secret."""


class Gate:
    def __init__(
        self, venue_comp_id: str, settings: Mapping[str, SessionSettings], sessions: Mapping[str, Session]
    ) -> None:
        self._venue_comp_id = venue_comp_id
        self._settings = settings
        self._sessions = sessions
        self._names: dict[tuple[str, str], str] = {
            (each.begin_string, each.comp_id): name for name, each in settings.items()
        }

    def session_for(self, logon: Mapping[str, str]) -> Session:
        """The known, free session a Logon is for; raises Stay."""
        if logon.get("35") != "A":
            raise Stay(f"the first message is 35={logon.get('35')!r}, not a Logon")
        identity = (logon.get("8", ""), logon.get("49", ""))
        name = self._names.get(identity)
        if name is None or logon.get("56") != self._venue_comp_id:
            raise Stay(f"no session {identity[0]} {identity[1]!r} to {logon.get('56')!r}")
        settings = self._settings[name]
        self._check_credentials(name, settings, logon)
        if not _whole_number(logon.get("108"), 1, settings.heartbeat_max_seconds):
            limit = settings.heartbeat_max_seconds
            raise Stay(f"session {name}: HeartBtInt {logon.get('108')!r} is not from 1 to {limit}")
        if not _whole_number(logon.get("789", "1"), 1, 2**31 - 1):
            raise Stay(f"session {name}: NextExpectedMsgSeqNum {logon['789']!r} is not a number")
        if settings.begin_string == "FIXT.1.1" and logon.get("1137") != FIX50SP2:
            raise Stay(f"session {name}: DefaultApplVerID {logon.get('1137')!r} is not {FIX50SP2} (FIX50SP2)")
        session = self._sessions[name]
        if session.connection is not None:
            raise Stay(f"session {name} is logged on already")
        return session

    def _check_credentials(self, name: str, settings: SessionSettings, logon: Mapping[str, str]) -> None:
        if settings.username and not _same(settings.username, logon.get("553", "")):
            raise Stay(f"session {name}: wrong Username")
        if settings.password and not _same(settings.password, logon.get("554", "")):
            raise Stay(f"session {name}: wrong Password")


def _same(known: str, offered: str) -> bool:
    return hmac.compare_digest(known.encode(), offered.encode("utf-8", "surrogateescape"))


def _whole_number(text: str | None, low: int, high: int) -> bool:
    return (
        text is not None
        and len(text) <= 10
        and text.isdecimal()
        and text.isascii()
        and low <= int(text) <= high
    )
