"""What the TLS port shows and whom it trusts: one context made of the files in the settings, as they are at
that moment. There is nothing to resume and nothing to renegotiate: each connection shows its certificate."""

import hashlib
import logging
import ssl
from asyncio import BaseTransport
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import cast

from cryptography import x509

from fixgw.door.peer import Peer
from fixgw.settings import Host, SettingsError, Tls
from fixgw.settings.reading import Mistake

READABLE_BY_OTHERS = 0o004

log = logging.getLogger("fixgw.door")


def server_context(tls: Tls, source: Path, now: datetime) -> ssl.SSLContext | None:
    """For connections from now on; None without `tls.certificate`. `source` is the file of the settings: it
    and all files they name are read here, so not in the event loop. Raises SettingsError."""
    if not tls.certificate:
        return None
    try:
        files = _Files(tls, source.parent, now)
        default = files.context("tls", tls)
        hosts = {name.lower(): files.context(f"tls.hosts.{name}", each) for name, each in tls.hosts.items()}
    except Mistake as mistake:
        raise SettingsError(f"{source}: {mistake}") from None
    except (ValueError, ssl.SSLError) as problem:  # what one library reads the other may not
        raise SettingsError(f"{source}: tls: its files cannot be used: {problem}") from None

    def choose(line: ssl.SSLObject | ssl.SSLSocket, name: str | None, _: ssl.SSLContext) -> None:
        line.context = hosts.get((name or "").lower(), default)

    if hosts:
        default.sni_callback = choose
    return default


def files_digest(tls: Tls, source: Path) -> str:
    """Of the bytes of all files that `tls` names; "" without a certificate. Raises SettingsError."""
    if not tls.certificate:
        return ""
    hosts = [name for each in tls.hosts.values() for name in (each.certificate, each.key)]
    digest = hashlib.sha256()
    for name in filter(None, [tls.certificate, tls.key, tls.client_ca, *hosts]):
        try:
            digest.update((source.parent / name).read_bytes() + b"\0")
        except OSError as problem:
            raise SettingsError(f"{source}: tls: {name}: {problem.strerror}") from None
    return digest.hexdigest()


def peer_of(transport: BaseTransport) -> Peer | None:
    """None if it is gone already. Over TLS with the certificate it has shown, which is one of client_ca's."""
    address = transport.get_extra_info("peername")
    if not address:
        return None
    line = cast(ssl.SSLObject | None, transport.get_extra_info("ssl_object"))
    if line is None:
        return Peer(address[0], address[1])
    certificate = line.getpeercert(binary_form=True)
    if not certificate:
        return Peer(address[0], address[1], tls=True)
    names = frozenset(_names(line.getpeercert() or {}))
    return Peer(address[0], address[1], True, hashlib.sha256(certificate).hexdigest(), names)


def _names(certificate: Mapping[str, object]) -> Iterable[str]:
    subject = cast(tuple[tuple[tuple[str, str], ...], ...], certificate.get("subject", ()))
    for part in subject:
        yield from (f"CN:{value}" for kind, value in part if kind == "commonName")
    others = cast(tuple[tuple[str, str], ...], certificate.get("subjectAltName", ()))
    yield from (f"DNS:{value.lower()}" for kind, value in others if kind == "DNS")


class _Files:
    """Reads them; a mistake names its place in the settings, and the file."""

    def __init__(self, tls: Tls, folder: Path, now: datetime) -> None:
        self._folder = folder
        self._now = now
        self._authorities = ""
        self._verify = ssl.CERT_NONE
        if tls.client_ca:
            self._authorities = self._trusted("tls.client_ca", tls.client_ca)
            required = tls.client_certificate == "required"
            self._verify = ssl.CERT_REQUIRED if required else ssl.CERT_OPTIONAL

    def context(self, path: str, host: Host | Tls) -> ssl.SSLContext:
        certificate, key = self._folder / host.certificate, self._folder / host.key
        for each in self._certificates(f"{path}.certificate", host.certificate):
            self._check_dates(f"{path}.certificate", certificate, each)
        self._read(f"{path}.key", host.key)
        if key.stat().st_mode & READABLE_BY_OTHERS:
            log.warning("%s.key: every user of this machine can read %s", path, key)
        context = self._bare()
        try:
            context.load_cert_chain(certificate, key, password="")
        except (ssl.SSLError, OSError) as problem:
            raise _mistake(path, problem, certificate, key) from None
        return context

    def _bare(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
        context.num_tickets = 0
        if self._authorities:
            context.load_verify_locations(cadata=self._authorities)
            # Whoever is listed is trusted, be it no root: with the certificate of one client, that client.
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.verify_mode = self._verify
        return context

    def _trusted(self, path: str, name: str) -> str:
        """One of them has to be valid: an old one may stay beside its successor."""
        found = self._certificates(path, name)
        if all(each.not_valid_after_utc < self._now for each in found):
            self._check_dates(path, self._folder / name, found[-1])
        return self._read(path, name).decode("ascii", "replace")

    def _certificates(self, path: str, name: str) -> list[x509.Certificate]:
        try:
            return x509.load_pem_x509_certificates(self._read(path, name))
        except ValueError:
            raise Mistake(
                path, f"{self._folder / name} holds no certificate that can be read (PEM)"
            ) from None

    def _check_dates(self, path: str, file: Path, certificate: x509.Certificate) -> None:
        first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        what = f"{certificate.subject.rfc4514_string()} in {file}"
        if last < self._now:
            raise Mistake(path, f"{what} expired on {last:%Y-%m-%d %H:%M:%S} UTC; renew it")
        if first > self._now:
            raise Mistake(path, f"{what} is not valid before {first:%Y-%m-%d %H:%M:%S} UTC")

    def _read(self, path: str, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError as problem:
            raise Mistake(path, f"{self._folder / name} cannot be read: {problem.strerror}") from None


def _mistake(path: str, problem: OSError, certificate: Path, key: Path) -> Mistake:
    reason = getattr(problem, "reason", None) or ""
    if reason == "KEY_VALUES_MISMATCH":
        return Mistake(f"{path}.key", f"{key} is not the key of {certificate}")
    if reason.startswith(("EE_KEY", "CA_")):  # too short, or signed too weakly, also in its chain
        return Mistake(f"{path}.certificate", f"{certificate}: {reason.replace('_', ' ').lower()}")
    return Mistake(f"{path}.key", f"{key} holds no private key without a passphrase (PEM)")
