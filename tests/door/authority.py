"""Certificates for tests, made when they are needed: authorities that sign them, right and wrong ones."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from acceptance.certificates import builder, named, secret_of

VENUE = "fix.example.com"
"""the name on the venue's own certificate"""
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Identity:
    """A certificate and its key, as files."""

    certificate: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the DER, hexadecimal."""
        found = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        return hashlib.sha256(found.public_bytes(serialization.Encoding.DER)).hexdigest()


class Authority:
    """Signs; its own certificate is the file NAME.pem of its directory."""

    def __init__(self, directory: Path, name: str = "ca") -> None:
        self.directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = named(f"authority {x509.random_serial_number():x}")
        found = builder(self._name, self._name, self._key)
        found = found.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.file = _write(directory / f"{name}.pem", found.sign(self._key, hashes.SHA256()))

    def issue(
        self,
        name: str,
        *hosts: str,
        first: timedelta = -DAY,
        last: timedelta = DAY,
        file: str = "",
        self_signed: bool = False,
        weak: bool = False,
    ) -> Identity:
        """A certificate with that CommonName and, as further names, `hosts`; valid from `first` to `last`,
        counted from now. `weak`: with a key too short for OpenSSL."""
        key = rsa.generate_private_key(65537, 1024) if weak else ec.generate_private_key(ec.SECP256R1())
        issuer, signer = (named(name), key) if self_signed else (self._name, self._key)
        made = builder(named(name), issuer, key, first, last)
        if hosts:
            made = made.add_extension(x509.SubjectAlternativeName(list(map(_host, hosts))), False)
        path = self.directory / f"{file or name}.pem"
        found = Identity(_write(path, made.sign(signer, hashes.SHA256())), path.with_suffix(".key"))
        found.key.write_bytes(secret_of(key))
        found.key.chmod(0o600)
        return found


def _host(name: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(name)) if name[0].isdigit() else x509.DNSName(name)


def _write(path: Path, certificate: x509.Certificate) -> Path:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return path
