"""Who may come in: decided on the fields of one complete, well-formed Logon."""

import hmac
from collections.abc import Mapping

from fixgw.sessions.session import Session
from fixgw.settings import Session as SessionSettings

FIX50SP2 = "9"
"""DefaultApplVerID(1137); another one would switch QuickFIX's validation off"""


class Stay(Exception):
    """Stays outside, without a word; the text is for the venue's own log and holds no secret."""


class Soon(Exception):
    """The connection before is closing, but the session has not read its last bytes yet: try again."""


class Gate:
    def __init__(self, venue_comp_id: str, sessions: Mapping[str, Session]) -> None:
        self._venue_comp_id = venue_comp_id
        self._sessions = {session.identity: session for session in sessions.values()}

    def add(self, session: Session) -> None:
        """From here on it can be logged on to."""
        self._sessions[session.identity] = session

    def remove(self, session: Session) -> None:
        del self._sessions[session.identity]

    def session_for(self, logon: Mapping[str, str]) -> tuple[Session, str]:
        """The known, free session a Logon is for, and why it must refuse it, "" if it need not. Raises
        Stay or Soon."""
        if logon.get("35") != "A":
            raise Stay(f"the first message is 35={logon.get('35')!r}, not a Logon")
        identity = (logon.get("8", ""), logon.get("49", ""))
        session = self._sessions.get(identity)
        if session is None or logon.get("56") != self._venue_comp_id:
            raise Stay(f"no session {identity[0]} {identity[1]!r} to {logon.get('56')!r}")
        name, settings = session.name, session.settings
        if session.barred:
            raise Stay(f"session {name} {session.barred}")
        if session.mailbox.blocked:
            raise Stay(f"session {name} is blocked")
        self._check_credentials(name, settings, logon)
        if session.connection is not None:
            if session.connection.closing:
                raise Soon
            raise Stay(f"session {name} is logged on already")
        return session, _objection(settings, logon)

    def _check_credentials(self, name: str, settings: SessionSettings, logon: Mapping[str, str]) -> None:
        if settings.username and not _same(settings.username, logon.get("553", "")):
            raise Stay(f"session {name}: wrong Username")
        if settings.password and not _same(settings.password, logon.get("554", "")):
            raise Stay(f"session {name}: wrong Password")


def _objection(settings: SessionSettings, logon: Mapping[str, str]) -> str:
    """Why a client that has shown who it is cannot be logged on like this."""
    shortest, longest = settings.heartbeat_min_seconds, settings.heartbeat_max_seconds
    if not _whole_number(logon.get("108"), shortest, longest):
        return f"HeartBtInt(108) must be from {shortest} to {longest}"
    if not _whole_number(logon.get("789", "1"), 1, 2**31 - 1):
        return "NextExpectedMsgSeqNum(789) must be a number from 1 on"
    if logon.get("141") == "Y" and logon.get("34") != "1":
        return "MsgSeqNum(34) must be 1 with ResetSeqNumFlag(141)=Y"
    if logon.get("43") == "Y":
        return "a Logon cannot be a possible duplicate: PossDupFlag(43)"
    return ""


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
