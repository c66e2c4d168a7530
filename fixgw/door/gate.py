"""Who may come in: decided on the fields of one complete, well-formed Logon."""

import logging
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from fixgw.door.attempts import Attempts, network_of
from fixgw.door.credentials import Credentials, objection_to_new_password
from fixgw.door.peer import Peer
from fixgw.door.visit import Occupied, Soon, Stay, Visit, Wrong
from fixgw.sessions.session import Session
from fixgw.settings import Session as SessionSettings
from fixgw.settings.tls import mark

SHOWN = 40
"""characters of what a stranger sent that go to the log"""

log = logging.getLogger("fixgw.door")
_network = lru_cache(maxsize=65536)(ip_network)


class Entry(NamedTuple):
    """What the gate found about a Logon that may come in."""

    session: Session
    """known and free"""
    objection: str
    """why the session must refuse it in words; "" if it need not"""
    new_password: tuple[str, str] | None
    """what the session keeps if the Logon is taken: hash of its NewPassword(925), mark of the one before"""


class Gate:
    def __init__(
        self,
        venue_comp_id: str,
        sessions: Mapping[str, Session],
        attempts: Attempts,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock`: the one of `attempts`"""
        self.attempts = attempts
        self.clock = clock
        self._venue_comp_id = venue_comp_id
        self._credentials = Credentials()
        self._sessions = {session.identity: session for session in sessions.values()}

    def add(self, session: Session) -> None:
        """From here on it can be logged on to."""
        self._sessions[session.identity] = session

    def remove(self, session: Session) -> None:
        del self._sessions[session.identity]

    def session_for(self, visit: Visit) -> Entry:
        """Raises Stay, Soon or Compute; after the last two the same Visit is decided anew, as things stand
        then."""
        logon = visit.logon
        if logon.get("35") != "A":
            raise Stay(f"the first message is 35={_shown(logon.get('35'))}, not a Logon")
        identity = (logon.get("8", ""), logon.get("49", ""))
        session = self._sessions.get(identity)
        if session is None or logon.get("56") != self._venue_comp_id:
            raise Stay(f"no session {identity[0]} {_shown(identity[1])} to {_shown(logon.get('56'))}")
        _check_open(session)
        _check_transport(session.name, session.settings, visit.peer)
        self._check_address(visit, session)
        self._check_credentials(visit, session)
        if session.connection is not None:
            if session.connection.closing:
                raise Soon
            raise Occupied(f"session {session.name} is logged on already")
        objection = _objection(session.settings, logon) or objection_to_new_password(visit, session)
        new_password = None if objection else self._credentials.new_password(visit, session)
        self.attempts.welcome(session.name, network_of(visit.peer.address))
        return Entry(session, objection, new_password)

    def _check_address(self, visit: Visit, session: Session) -> None:
        address, networks = visit.peer.address, session.settings.addresses
        if networks and not any(_holds(each, address) for each in networks):
            raise Stay(f"session {session.name}: not from this address")
        if not self.attempts.admits(session.name, network_of(address), self.clock()):
            raise Stay(f"session {session.name}: after too many failed Logons not from an unknown address")

    def _check_credentials(self, visit: Visit, session: Session) -> None:
        try:
            self._credentials.check(visit, session)
        except Wrong:
            if self.attempts.guess(session.name, self.clock()):
                log.warning(
                    "session %s: too many failed Logons; for %d s it takes them from known addresses only",
                    session.name,
                    self.attempts.settings.failed_logon_seconds,
                )
            raise


def _holds(network: str, address: str) -> bool:
    found = ip_address(address)
    return (getattr(found, "ipv4_mapped", None) or found) in _network(network)


def _shown(text: str | None) -> str:
    """Of a stranger's own words: not more than needed, and nothing that looks like a line of the log."""
    return repr(text if text is None or len(text) <= SHOWN else f"{text[:SHOWN]}...")


def _check_open(session: Session) -> None:
    if session.barred:
        raise Stay(f"session {session.name} {session.barred}")
    if session.mailbox.blocked:
        raise Stay(f"session {session.name} is blocked")


def _check_transport(name: str, settings: SessionSettings, peer: Peer) -> None:
    if settings.transport == "tls" and not peer.tls:
        raise Stay(f"session {name}: over the plain port, not over TLS")
    shown = peer.names | {f"sha256:{peer.fingerprint}"}
    if settings.certificates and shown.isdisjoint(map(mark, settings.certificates)):
        if not peer.fingerprint:
            raise Stay(f"session {name}: without a certificate, and it needs one")
        raise Stay(f"session {name}: not with certificate sha256:{peer.fingerprint}")


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


def _whole_number(text: str | None, low: int, high: int) -> bool:
    return (
        text is not None
        and len(text) <= 10
        and text.isdecimal()
        and text.isascii()
        and low <= int(text) <= high
    )
