"""A report as signed JSON: `{"key": "...", "report": {...}, "signature": "..."}`.

What is signed are the bytes of the report's own object as they stand in the file, brace to brace, so that any
tool can check them: UTF-8, keys in order, no blanks. Key and signature are Ed25519 (RFC 8032) in base64. The
signature is checked on the JSON as it came, whatever `Report` has become since: a report stays valid when
later versions add fields."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct, ValidationError, convert, to_builtins

from acceptance.results import Report

FORMAT = 1
"""of the reports that are understood here"""
_SURROGATE = re.compile("[\ud800-\udfff]")
"""what stands for a byte that is no text, and what JSON cannot say"""


class ReportError(Exception):
    """A report or its key cannot be used; the text says why, on one line."""


class Document(Struct, frozen=True):
    """A report and who vouches for it."""

    signed: bytes
    """the report, as canonical JSON"""
    signature: bytes
    key: bytes
    """the public key"""

    @property
    def genuine(self) -> bool:
        """The owner of `key` has signed exactly this."""
        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(self.signature, self.signed)
        except (InvalidSignature, ValueError):  # the latter for a key of another length
            return False
        return True

    def report(self) -> Report:
        """Raises ReportError if it is none, or one of a later version."""
        return from_json(self.signed)

    def to_bytes(self) -> bytes:
        """The whole file."""
        key, signature = base64.b64encode(self.key), base64.b64encode(self.signature)
        return b'{"key":"%s","report":%s,"signature":"%s"}\n' % (key, self.signed, signature)


def sign(report: Report, key: Ed25519PrivateKey) -> Document:
    """Numbers and texts that JSON cannot tell apart are made equal first, so that whoever reads the report
    back sees the same."""
    signed = to_json(from_json(to_json(report)))
    return Document(signed, key.sign(signed), key.public_key().public_bytes_raw())


def from_bytes(data: bytes) -> Document:
    """From a whole file, whether its signature is right or not. Raises ReportError."""
    with _none_in_it():
        found = json.loads(data)
        match found:
            case {"report": dict(report), "signature": str(signature), "key": str(key)}:
                return Document(_dump(report), _base64(signature), _base64(key))
            case {"report": dict()}:
                raise ReportError("there is no signature in it")
    raise ReportError("there is no report in it")


def to_json(report: Report) -> bytes:
    return _dump(to_builtins(report))


def from_json(data: bytes) -> Report:
    with _none_in_it():
        found = json.loads(data)
    version = found.get("format") if isinstance(found, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise ReportError(f"its format {version} is of a later version of fixgw, which can read it")
    try:
        return convert(found, Report)
    except ValidationError as problem:
        raise ReportError(f"there is no report in it: {problem}") from None


def _dump(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return _SURROGATE.sub(_escaped, text).encode()


def _escaped(found: re.Match[str]) -> str:
    """As text inside a JSON string: `\\xff` for the byte 255."""
    code = ord(found[0])
    return f"\\\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\\\u{code:04x}"


@contextmanager
def _none_in_it() -> Iterator[None]:
    try:
        yield
    except (ValueError, RecursionError):  # no JSON, or numbers and depths that none of ours has
        raise ReportError("there is no report in it") from None


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""  # fits no report
