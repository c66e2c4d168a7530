"""Keeps passwords and keys out of what the tool shows: reports, terminal, errors. Every text that leaves it
goes through here."""

from __future__ import annotations

import re
from collections.abc import Iterable

SOH = b"\x01"
SECRET = {
    96: "RawData",
    554: "Password",
    925: "NewPassword",
    1402: "EncryptedPassword",
    1404: "EncryptedNewPassword",
}
"""tags whose values nobody is shown"""
HIDDEN = "***"
SHORTEST = 4
"""characters of a secret that is looked for in other fields too; shorter ones are parts of innocent words"""

_TAGS = "|".join(map(str, SECRET))
_FIELD = re.compile(rf"(?:^|(?<=\x01))(?:{_TAGS})=".encode())
_LENGTH = re.compile(rb"(?:^|\x01)(?:95|1401|1403)=(\d{1,7})\x01$")
"""of the data in the field that follows"""
_NEXT = re.compile(rb"\x01\d+=|\x01?$")
_QUOTED = re.compile(rf"(^|[|\x01\s:'\"])({_TAGS})=.*?(?=[|\x01]\d+=|$)", re.DOTALL)


def is_secret(name: str) -> bool:
    """Of a field by its name or number."""
    return name in SECRET.values() or (name.isdecimal() and int(name[-9:]) in SECRET)


def readable(raw: bytes) -> str:
    """As it is, with | for SOH."""
    return raw.replace(SOH, b"|").decode("utf-8", "backslashreplace")


def masked(raw: bytes) -> str:
    """A message as text, | for SOH, without secrets. Data may hold SOH: it ends where its length says, or
    where the next field begins, whichever is later."""
    parts, start = [], 0
    while found := _FIELD.search(raw, start):
        length = _LENGTH.search(raw, 0, found.start())
        end = _NEXT.search(raw, min(found.end() + (int(length[1]) if length else 0), len(raw)))
        parts += [raw[start : found.end()], HIDDEN.encode()]
        start = end.start() if end else len(raw)
    return readable(b"".join([*parts, raw[start:]]))


class Secrets:
    """Of one play: what its script and its profile say in secret fields is hidden wherever it comes up."""

    def __init__(self, values: Iterable[str]) -> None:
        known = {value for value in values if len(value) >= SHORTEST}
        self._known = sorted(known, key=len, reverse=True)

    def message(self, raw: bytes) -> str:
        return self.text(masked(raw))

    def text(self, text: str) -> str:
        for value in self._known:
            text = text.replace(value, HIDDEN)
        return unquoted(text)


def unquoted(text: str) -> str:
    """A text that may quote a message, with | or SOH between its fields."""
    return _QUOTED.sub(rf"\1\2={HIDDEN}", text)


def said_in_secret(fields: object) -> set[str]:
    """All that stands under secret names, at any depth, and may be a secret."""
    if isinstance(fields, list):
        return {text for each in fields for text in said_in_secret(each)}
    if not isinstance(fields, dict):
        return set()
    found = {
        text
        for name, value in fields.items()
        for text in (texts_in(value) if is_secret(str(name)) else said_in_secret(value))
    }
    return {text for text in found if not text.startswith("$") and text not in ("absent", "present")}


def texts_in(value: object) -> set[str]:
    if isinstance(value, dict | list):
        inside = value.values() if isinstance(value, dict) else value
        return {text for each in inside for text in texts_in(each)}
    return {str(value)}
