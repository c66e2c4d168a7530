"""A password as the settings hold it: plain text, or the line that `fixgw passwd` prints, which holds a
scrypt hash of it (RFC 7914), its salt and what it cost."""

import hashlib
import hmac
import os
import re
from base64 import b64decode, b64encode
from typing import NamedTuple

PREFIX = "scrypt:"
LONGEST = 64
"""characters of a password"""
CHOSEN = re.compile(r"[!-~]{8,64}\Z")
"""a password someone may choose"""
CHOSEN_WORDS = "8 to 64 printable ASCII characters without blanks"

N, R, P = 2**14, 8, 1
"""what a new hash costs: 16 MiB, and 50 ms or so"""
COSTLIEST = 16 * N * R * P
"""n x r x p of a line that is taken: 256 MiB or a second, so that a wrong line cannot eat the machine"""
CHEAPEST = 2**10
"""n of a line that is taken"""
_SALT, _DIGEST = 16, 32
"""bytes"""
_LINE = re.compile(r"scrypt:(\d{1,8}):(\d{1,3}):(\d{1,3}):([A-Za-z0-9+/]{22}==):([A-Za-z0-9+/]{43}=)\Z")


class _Hash(NamedTuple):
    n: int
    r: int
    p: int
    salt: bytes
    digest: bytes


def is_hash(text: str) -> bool:
    return text.startswith(PREFIX)


def check_hash(line: str) -> None:
    """Raises ValueError, in words, for what `matches` cannot use."""
    _parse(line)


def make_hash(password: str) -> str:
    """The line for the settings. Takes long: not in the event loop."""
    salt = os.urandom(_SALT)
    digest = _scrypt(password, N, R, P, salt)
    return f"{PREFIX}{N}:{R}:{P}:{b64encode(salt).decode()}:{b64encode(digest).decode()}"


def matches(password: str, line: str) -> bool:
    """Whether the hash in `line` is that of `password`. Takes long: not in the event loop."""
    n, r, p, salt, digest = _parse(line)
    return hmac.compare_digest(_scrypt(password, n, r, p, salt), digest)


def same(known: str, offered: str) -> bool:
    """Whether two texts are equal; how long that takes tells nothing of `known`, not even its length."""
    return hmac.compare_digest(*(hashlib.sha256(text.encode()).digest() for text in (known, offered)))


def _parse(line: str) -> _Hash:
    found = _LINE.match(line)
    if found is None:
        raise ValueError("must be a whole line of `fixgw passwd`: scrypt:N:R:P:SALT:HASH")
    n, r, p = map(int, found.groups()[:3])
    if n < CHEAPEST or n & (n - 1) or not 0 < n * r * p <= COSTLIEST or n >= 2 ** (16 * r):
        raise ValueError(
            f"scrypt:N:R:P must have an N that is a power of two from {CHEAPEST} on and below 2**(16 x R), "
            f"and an N x R x P of at most {COSTLIEST}"
        )
    return _Hash(n, r, p, b64decode(found[4]), b64decode(found[5]))


def _scrypt(password: str, n: int, r: int, p: int, salt: bytes) -> bytes:
    room = 256 * r * (n + p + 4)  # twice what it needs; OpenSSL's own limit is lower
    return hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, maxmem=room, dklen=_DIGEST)
