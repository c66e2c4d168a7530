"""The signature of a Logon: RawData(96) is the base64 text of an HMAC-SHA256 or Ed25519 signature over the
values of SendingTime(52), MsgType(35), MsgSeqNum(34), SenderCompID(49), TargetCompID(56), joined by SOH."""

import binascii
import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

SIGNED = ("52", "35", "34", "49", "56")


class Key(Protocol):
    def verifies(self, text: bytes, signature: bytes) -> bool: ...


class HmacKey:
    """A secret that both sides share."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def sign(self, text: bytes) -> bytes:
        return hmac.digest(self._key, text, "sha256")

    def verifies(self, text: bytes, signature: bytes) -> bool:
        return hmac.compare_digest(self.sign(text), signature)


class PublicKey:
    """Ed25519: the venue knows nothing with which it could sign itself."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def verifies(self, text: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self._key).verify(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True


def key_of(hmac_key: str, public_key: str) -> Key | None:
    """The key in the settings of a session, both base64; None if there is none."""
    if hmac_key:
        return HmacKey(b64decode(hmac_key))
    return PublicKey(b64decode(public_key)) if public_key else None


def private_key(pem: bytes) -> Ed25519PrivateKey:
    """The key of an unencrypted PEM file; raises ValueError for anything else."""
    try:
        key = load_pem_private_key(pem, password=None)
    except TypeError:
        raise ValueError("the key is encrypted") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("the key is not an Ed25519 key")
    return key


def is_signed(logon: Mapping[str, str], key: Key) -> bool:
    """Whether RawData(96) of the Logon is its signature; RawDataLength(95) must be right if it is there."""
    raw_data = logon.get("96", "")
    if logon.get("95", str(len(raw_data))) != str(len(raw_data)):
        return False
    try:
        signature = b64decode(raw_data, validate=True)
    except binascii.Error:
        return False
    return key.verifies(_signed_text(logon), signature)


def signature(logon: Mapping[str, str], key: HmacKey | Ed25519PrivateKey) -> str:
    """RawData(96) for a Logon with these fields."""
    return b64encode(key.sign(_signed_text(logon))).decode("ascii")


def _signed_text(logon: Mapping[str, str]) -> bytes:
    return "\x01".join(logon.get(tag, "") for tag in SIGNED).encode("ascii")
