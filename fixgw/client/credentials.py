"""What a client shows to be let in: from the venue's settings as far as they hold it, else from the user."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fixgw.codec.signature import HmacKey, hmac_key, private_key
from fixgw.settings import Session
from fixgw.settings.password import is_hash

PASSWORD_VARIABLE = "FIXGW_PASSWORD"


class NoLogin(Exception):
    """One line for people: what is missing or unknown, and what there is."""


@dataclass(frozen=True)
class Credentials:
    username: str = ""
    password: str = field(default="", repr=False)
    key: HmacKey | Ed25519PrivateKey | None = None
    """signs the Logon"""


def credentials(
    name: str, session: Session, password_file: Path | None = None, key_file: Path | None = None
) -> Credentials:
    """Those of the session `name`; the password from the file, the environment or the settings, the first
    that has one. Raises NoLogin."""
    password, key = _password(name, session, password_file), _key(name, session, key_file)
    return Credentials(session.username, password, key)


def _password(name: str, session: Session, file: Path | None) -> str:
    if file is not None:
        lines = _read(file).decode("ascii", "replace").splitlines()
        return lines[0] if lines else ""
    given = os.environ.get(PASSWORD_VARIABLE, "")
    if given or not is_hash(session.password):
        return given or session.password
    raise NoLogin(
        f"the settings have a hash of the password of session {name} only; give the password with "
        f"--password-file, or in the environment as {PASSWORD_VARIABLE}"
    )


def _key(name: str, session: Session, file: Path | None) -> HmacKey | Ed25519PrivateKey | None:
    if session.hmac_key:
        return hmac_key(session.hmac_key)
    if not session.public_key:
        return None
    if file is None:
        raise NoLogin(f"session {name} signs its Logon; give its private key with --key-file (PEM)")
    try:
        return private_key(_read(file))
    except ValueError as problem:
        raise NoLogin(f"{file}: no Ed25519 private key in PEM: {problem}") from None


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        raise NoLogin(f"{file}: {problem.strerror}") from None
