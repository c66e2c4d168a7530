"""A floor with a TLS port, and clients that speak to it."""

from __future__ import annotations

import ssl
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.door.authority import VENUE, Authority, Identity
from tests.raw import RawClient
from tests.venue.floor import Floor, Member, running
from tests.venue.trader import Trader


class Secure:
    """The floor, the authority that signed its certificate, and what its log says since `look`."""

    def __init__(self, floor: Floor, authority: Authority) -> None:
        self.floor, self.authority = floor, authority
        self._seen = 0

    @property
    def port(self) -> int:
        """The TLS port; that of plain FIX is the floor's."""
        return int(self.floor.ready_line.rpartition(":")[2])

    def look(self) -> None:
        self._seen = len(self.floor.errors.splitlines())

    def log(self, text: str, times: int = 1) -> list[str]:
        """All lines since `look`, once so many of them have `text`."""
        lines: list[str] = []
        while sum(text in line for line in lines) < times:
            assert self.floor.process.poll() is None, self.floor.errors
            lines = self.floor.errors.splitlines()[self._seen :]
        return lines

    def turned_away(self, why: str) -> None:
        """Once since `look`, and for this reason."""
        (line,) = [line for line in self.log("turned away: ") if "turned away: " in line]
        assert f"turned away: {why}" in line, line

    def context(self, identity: Identity | None = None) -> ssl.SSLContext:
        """Of a client that trusts the venue's authority and shows this certificate, or none."""
        context = ssl.create_default_context(cafile=str(self.authority.file))
        if identity is not None:
            context.load_cert_chain(identity.certificate, identity.key)
        return context

    def member(self, market: str, session: str, context: ssl.SSLContext) -> TlsMember:
        member = TlsMember(self.floor, market, session)
        member.address, member.context = (self.floor.host, self.port), context
        return member

    def trader(self, session: str, context: ssl.SSLContext) -> TlsTrader:
        trader = TlsTrader(self.floor.host, self.port, session)
        trader.context = context
        return trader


class OverTls(RawClient):
    context: ssl.SSLContext
    server_name: str | None = VENUE

    def connect(self) -> OverTls:
        super().connect()
        self._socket = self.context.wrap_socket(self.socket, server_hostname=self.server_name)
        return self

    @property
    def tls(self) -> ssl.SSLSocket:
        assert isinstance(self.socket, ssl.SSLSocket)
        return self.socket

    def leave(self) -> None:
        """Closes in good order, close_notify before the TCP connection; whether all was read or not."""
        with suppress(ssl.SSLError):  # there is more to read
            self._socket = self.tls.unwrap()
        self.close()


class TlsMember(OverTls, Member):
    pass


class TlsTrader(OverTls, Trader):
    pass


@contextmanager
def secure(directory: Path, tls: dict[str, Any] | None = None, **sections: Any) -> Iterator[Secure]:
    """A floor whose TLS port asks clients for a certificate of its authority; `tls` may say otherwise."""
    authority = Authority(directory)
    authority.issue("venue", VENUE)
    settings = {"certificate": "venue.pem", "key": "venue.key", "port": 0, "client_ca": "ca.pem"}
    with running(directory, tls=settings | (tls or {}), **sections) as floor:
        yield Secure(floor, authority)


def only(context: ssl.SSLContext, version: ssl.TLSVersion) -> ssl.SSLContext:
    """The context, for that version of TLS alone; also for one that is out of use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.maximum_version = context.minimum_version = version
    if version < ssl.TLSVersion.TLSv1_2:
        context.set_ciphers("ALL:@SECLEVEL=0")
    return context
