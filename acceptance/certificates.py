"""Certificates of a venue of our own and of its clients, made when it starts and gone with it."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)
HOST = "127.0.0.1"


Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class Certificates:
    """An authority whose certificate is `authority.pem` in `directory`, and what it has signed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = named("authority of a certification")
        mark = x509.BasicConstraints(ca=True, path_length=None)
        own = builder(self._name, self._name, self._key).add_extension(mark, critical=True)
        self.authority = directory / "authority.pem"
        self.authority.write_bytes(_pem(own.sign(self._key, hashes.SHA256())))

    def settings(self, clients: bool) -> dict[str, str]:
        """The venue's section `tls`; `clients`: it asks for certificates of clients."""
        certificate, key = self._issue("venue")
        found = {"certificate": str(certificate), "key": str(key), "address": HOST, "port": "0"}
        return found | ({"client_ca": str(self.authority)} if clients else {})

    def context(self, name: str) -> ssl.SSLContext:
        """Of a client that shows a certificate with this CommonName; with "" it has none."""
        context = ssl.create_default_context(cafile=str(self.authority))
        if name:
            context.load_cert_chain(*self._issue(name))
        return context

    def _issue(self, name: str) -> tuple[Path, Path]:
        """Certificate and key."""
        key = ec.generate_private_key(ec.SECP256R1())
        host = x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))])
        signed = builder(named(name), self._name, key).add_extension(host, critical=False)
        place = self._directory / f"{name}-{x509.random_serial_number():x}"
        certificate, secret = place.with_suffix(".pem"), place.with_suffix(".key")
        certificate.write_bytes(_pem(signed.sign(self._key, hashes.SHA256())))
        secret.touch(0o600)
        secret.write_bytes(secret_of(key))
        return certificate, secret


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def builder(
    subject: x509.Name, issuer: x509.Name, key: Key, first: timedelta = -DAY, last: timedelta = DAY
) -> x509.CertificateBuilder:
    """Of a certificate that is valid from `first` to `last`, counted from now."""
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + first)
        .not_valid_after(now + last)
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def secret_of(key: Key) -> bytes:
    """PEM, without a password."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
