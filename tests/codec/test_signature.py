"""What the signature of a Logon covers, and that nothing else passes for one."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.signature import HmacKey, PublicKey, hmac_key, is_signed, private_key, public_key, signature

LOGON = {"8": "FIX.4.4", "35": "A", "34": "7", "49": "ALPHA", "52": "20260101-00:00:00.123", "56": "FIXGW"}
TEXT = b"20260101-00:00:00.123\x01A\x017\x01ALPHA\x01FIXGW"
SECRET = b"0123456789abcdef"
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEYS: list[tuple[HmacKey | Ed25519PrivateKey, HmacKey | PublicKey]] = [
    (HmacKey(SECRET), hmac_key(b64encode(SECRET).decode())),
    (PRIVATE, public_key(b64encode(PRIVATE.public_key().public_bytes_raw()).decode())),
]


@pytest.mark.parametrize(("ours", "theirs"), KEYS)
def test_it_signs_what_it_says(ours: HmacKey | Ed25519PrivateKey, theirs: HmacKey | PublicKey) -> None:
    signed = LOGON | {"96": signature(LOGON, ours)}
    assert is_signed(signed, theirs)
    assert is_signed(signed | {"95": str(len(signed["96"]))}, theirs)
    raw = b64decode(signed["96"])
    if isinstance(ours, HmacKey):
        assert raw == hmac.new(SECRET, TEXT, hashlib.sha256).digest()
    else:
        PRIVATE.public_key().verify(raw, TEXT)


@pytest.mark.parametrize(("ours", "theirs"), KEYS)
@given(
    tag=st.sampled_from(["34", "35", "49", "52", "56", "95", "96"]), value=st.text("0123A=/+", max_size=90)
)
def test_nothing_else_passes(
    ours: HmacKey | Ed25519PrivateKey, theirs: HmacKey | PublicKey, tag: str, value: str
) -> None:
    right = LOGON | {"96": signature(LOGON, ours)}
    right["95"] = str(len(right["96"]))
    assert is_signed(right | {tag: value}, theirs) == (value == right[tag])


@given(st.binary(max_size=80))
def test_no_bytes_break_it(data: bytes) -> None:
    for _, theirs in KEYS:
        assert not theirs.verifies(TEXT, data)
    assert not PublicKey(data[:32].ljust(32, b"\xff")).verifies(TEXT, bytes(64))


def test_a_private_key_is_read_or_refused_in_words() -> None:
    def pem(key: object, how: object) -> bytes:
        return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how)  # type: ignore[attr-defined, no-any-return]

    assert private_key(pem(PRIVATE, NoEncryption())).private_bytes_raw() == bytes(range(32))
    with pytest.raises(ValueError, match="another kind"):
        private_key(pem(generate_private_key(SECP256R1()), NoEncryption()))
    for damaged in (b"", b"-----BEGIN", pem(PRIVATE, BestAvailableEncryption(b"secret"))):
        with pytest.raises(ValueError, match="damaged, or has a passphrase"):
            private_key(damaged)
