"""Mistakes in what a session asks of who logs on to it: addresses, password, keys. No secret is shown."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from ipaddress import ip_network

from fixgw.settings.password import LONGEST, check_hash, is_hash
from fixgw.settings.reading import Mistake
from fixgw.settings.session import Access

HMAC_KEY = (16, 128)
"""bytes, from and to"""
PUBLIC_KEY = (32, 32)


def check_credentials(section: str, sessions: Mapping[str, Access]) -> None:
    """Of the sessions of one port. Raises Mistake for the first thing that is wrong."""
    keys: dict[tuple[str, str], str] = {}
    for name, session in sessions.items():
        path = f"{section}.{name}"
        _check_networks(f"{path}.addresses", session.addresses)
        _check_password(f"{path}.password", session.password)
        _check_key(f"{path}.hmac_key", session.hmac_key, HMAC_KEY)
        _check_key(f"{path}.public_key", session.public_key, PUBLIC_KEY)
        if session.hmac_key and session.public_key:
            raise Mistake(f"{path}.public_key", "there is an hmac_key already; a session has one key")
        key = session.hmac_key or session.public_key
        if session.username and not (session.password or key):
            raise Mistake(f"{path}.password", "a session with a username needs a password or a key")
        # The signed text names both CompIDs, but not the version.
        first = keys.setdefault((session.comp_id, key), name) if key else name
        if first != name:
            field = "hmac_key" if session.hmac_key else "public_key"
            raise Mistake(
                f"{path}.{field}",
                f"session {first} has the same CompID and key, so a Logon signed for one would open the "
                "other; give it another key",
            )


def _check_networks(path: str, networks: list[str]) -> None:
    for text in networks:
        try:
            ip_network(text)
        except ValueError as problem:
            hint = ""
            if "host bits" in str(problem):
                hint = f"; {ip_network(text, strict=False)} or {text.partition('/')[0]} would be right"
            raise Mistake(path, f"{text!r} is not an IP address or network{hint}") from None


def _check_password(path: str, password: str) -> None:
    if not is_hash(password):
        if len(password) > LONGEST:
            raise Mistake(path, f"must be at most {LONGEST} characters, or a line of `fixgw passwd`")
        return
    try:
        check_hash(password)
    except ValueError as problem:
        raise Mistake(path, str(problem)) from None


def _check_key(path: str, key: str, sizes: tuple[int, int]) -> None:
    if not key:
        return
    shortest, longest = sizes
    size = f"{shortest}" if shortest == longest else f"{shortest} to {longest}"
    try:
        found = len(b64decode(key, validate=True))
    except binascii.Error:
        raise Mistake(path, f"must be the base64 text of {size} bytes") from None
    if not shortest <= found <= longest:
        raise Mistake(path, f"must be the base64 text of {size} bytes, not of {found}")
