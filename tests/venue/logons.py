"""Logons with credentials, made without the code under test: hashes for the settings, and signatures."""

from __future__ import annotations

import hashlib
import hmac
import os
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.raw import RawClient, utc_now

Sign = Callable[[bytes], bytes]

CHEAP = 2**10
"""scrypt's n of a hash that takes a millisecond or so"""
COSTLY = 2**16
"""... and of one that takes a third of a second or so"""


def hashed(password: str, n: int = CHEAP) -> str:
    salt = os.urandom(16)
    digest = hashlib.scrypt(password.encode(), salt=salt, n=n, r=8, p=1, maxmem=2**30, dklen=32)
    return f"scrypt:{n}:8:1:{b64encode(salt).decode()}:{b64encode(digest).decode()}"


def hmac_key() -> tuple[dict[str, str], Sign]:
    """A new key: the setting, and what signs with it."""
    key = os.urandom(32)
    return {"hmac_key": b64encode(key).decode()}, lambda text: hmac.new(key, text, hashlib.sha256).digest()


def ed25519_key() -> tuple[dict[str, str], Sign]:
    key = Ed25519PrivateKey.generate()
    return {"public_key": b64encode(key.public_key().public_bytes_raw()).decode()}, key.sign


def send_signed(
    client: RawClient,
    sign: Sign,
    *,
    reset: bool = False,
    sequence: int | None = None,
    sending_time: str | None = None,
    signed: dict[int, str] | None = None,
    raw_data: Callable[[str], str] = str,
    length: int | None = None,
    extra: tuple[tuple[int, Any], ...] = (),
) -> bytes:
    """Sends a signed Logon and returns its bytes. `signed`: other values for what is signed; `raw_data`
    changes the signature, `length` is the RawDataLength, 0 for none."""
    if reset:
        client.next_outbound = client.next_inbound = 1
    number = client.next_outbound if sequence is None else sequence
    values = {
        52: sending_time or utc_now(), 35: "A", 34: str(number), 49: client.comp_id, 56: client.target,
    }  # fmt: skip
    text = "\x01".join((values | (signed or {})).values()).encode()
    data = raw_data(b64encode(sign(text)).decode())
    fields: list[tuple[int, Any]] = [(98, 0), (108, 30), *([(141, "Y")] if reset else [])]
    fields += [(1137, 9)] if client.begin_string == "FIXT.1.1" else []
    fields += [] if length == 0 else [(95, len(data) if length is None else length)]
    fields += [(96, data)] if data else []
    if sequence is None:
        client.next_outbound += 1
    return client.send("A", [*fields, *extra], sequence=number, sending_time=values[52])
