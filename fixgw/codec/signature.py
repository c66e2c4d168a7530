"""The signature of a Logon: RawData(96) is the base64 text of an HMAC-SHA256 or Ed25519 signature over the
values of SendingTime(52), MsgType(35), MsgSeqNum(34), SenderCompID(49), TargetCompID(56), joined by SOH."""

import binascii
import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

SIGNED = ("52", "35", "34", "49", "56")


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


def hmac_key(text: str) -> HmacKey:
    """From base64, as the settings have it."""
    return HmacKey(b64decode(text))


def public_key(text: str) -> PublicKey:
    """From the base64 text of its 32 bytes, as the settings have it."""
    return PublicKey(b64decode(text))


def private_key(pem: bytes) -> Ed25519PrivateKey:
    """The key of a PEM file without a passphrase; raises ValueError for anything else."""
    try:
        key = load_pem_private_key(pem, password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise ValueError("it is damaged, or has a passphrase") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("it is of another kind")
    return key


def is_signed(logon: Mapping[str, str], key: HmacKey | PublicKey) -> bool:
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
