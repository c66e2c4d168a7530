"""The venue's Ed25519 key, with which its reports are signed: one PEM file (PKCS #8) that only its owner
may read."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from acceptance.report.document import ReportError

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def fingerprint(key: bytes | Ed25519PrivateKey) -> str:
    """Of a public key of 32 bytes, or of a private key's public half: `sha256:` and 64 hexadecimal digits. It
    is what people compare, so the venue gives it to them by another way than the report."""
    raw = key if isinstance(key, bytes) else key.public_key().public_bytes_raw()
    return f"sha256:{hashlib.sha256(raw).hexdigest()}"


def load_or_make(path: Path) -> Ed25519PrivateKey:
    """The key in this file. If there is no file, makes a key, and the directories it needs. Several processes
    may do that at once: all get the same key. Raises ReportError, on one line."""
    try:
        if not os.path.lexists(path):
            _make(path)
    except OSError as problem:
        raise ReportError(f"{path}: the key cannot be made here: {problem.strerror}") from None
    return load(path)


def load(path: Path) -> Ed25519PrivateKey:
    """Raises ReportError, also for a file that others than its owner may read or change."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ReportError(f"{path}: is not a file, so it holds no key")
        if status.st_mode & OTHERS:
            mode = stat.S_IMODE(status.st_mode)
            raise ReportError(
                f"{path}: others may use this key (its mode is {mode:04o}); `chmod 600` makes it yours alone"
            )
        text = path.read_bytes()
    except OSError as problem:
        raise ReportError(f"{path}: the key cannot be read: {problem.strerror}") from None
    return _key(path, text)


def _key(path: Path, text: bytes) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(text, password=None)
    except TypeError:
        raise ReportError(f"{path}: the key is locked with a password; store it without one") from None
    except (ValueError, UnsupportedAlgorithm):
        raise ReportError(
            f"{path}: holds no private key that can be read (PEM); it is damaged, or another file"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ReportError(f"{path}: holds a key of another kind; reports are signed with Ed25519")
    return key


def _make(path: Path) -> None:
    """The file appears whole or not at all, and never in place of another."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # with mode 0600
    try:
        with open(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(name, path)
    except FileExistsError:
        pass  # another process was first
    finally:
        os.unlink(name)
