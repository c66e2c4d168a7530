"""Plain `.def` scripts, as the engines of the QuickFIX family are tested with: a line is a step.

    iCONNECT, iDISCONNECT      opens, closes the connection
    I8=FIX.4.4|35=A|...        sends this message (R: the same); BodyLength and CheckSum are added if missing
    E8=FIX.4.4|9=57|35=A|...   the next message must have these fields, in this order, and no others
    eDISCONNECT                the other side closes the connection
    I2,8=FIX.4.4|...           the same on connection 2

Fields end with SOH, shown as | here. <TIME>, <TIME+n> and <TIME-n> stand for the time, n seconds on or back.
In a `fields.fmt` in the script's folder or above it, `52=\\d{8}-.*` says that a field is compared with a
regular expression in place of the value that is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from acceptance.flow import flow_mistake
from acceptance.masking import SOH, masked
from acceptance.patterns import Patterns, is_in, patterns_for
from acceptance.reading import ScriptError
from acceptance.results import Difference
from acceptance.script import VERSIONS, Script, Step
from acceptance.standard import Standard
from acceptance.values import FARTHEST
from acceptance.wire import Message, encode, field_of, frame

SUFFIX = ".def"
_LINE = re.compile(r"([iIeER])(?:(\d),)?(.*)")
_TIME = re.compile(rb"<TIME(?:([+-])(\d+))?>")
_LENGTH = re.compile(rb"\x019=[^\x01]*\x01")
_CHECKSUM = re.compile(rb"\x0110=[^\x01]*\x01?$")
_VERSION = re.compile(r"8=([^\x01]*)\x01")


def load_definition(path: Path) -> Script:
    """Raises ScriptError."""
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as problem:
        raise ScriptError(path, 1, problem.strerror or str(problem)) from None
    steps = list(_steps(path, text))
    if not steps:
        raise ScriptError(path, 1, "has no steps")
    sent = _VERSION.search(text)
    version = sent[1] if sent else ""
    if version not in VERSIONS:
        raise ScriptError(path, 1, f"speaks {version or 'no version'}, not one of {', '.join(VERSIONS)}")
    mistake = flow_mistake(steps, list(dict.fromkeys(step.on for step in steps)), plain=True)
    if mistake is not None:
        raise ScriptError(path, mistake[0].line, mistake[1])
    comments = [line[1:].strip() for line in text.splitlines() if line.startswith("#")]
    title = comments[0] if comments else path.stem
    roles = list(dict.fromkeys(step.on for step in steps))
    return Script(
        path, title, steps, [path.stem], [version], roles,
        venue=_venue(text, version), plain=True, patterns=patterns_for(path),
    )  # fmt: skip


def _venue(text: str, version: str) -> dict[str, Any]:
    """Settings of a venue that knows who logs on here first."""
    logon = next((line for line in text.splitlines() if line[:1] in "IR" and "\x0135=A\x01" in line), "")
    client, venue = (re.search(rf"\x01{tag}=([^\x01]+)", logon) for tag in (49, 56))
    if not (client and venue):
        return {}
    session = {"client": "A", "begin_string": version}
    return {"venue": {"comp_id": venue[1]}, "sessions": {client[1]: session}}


def _steps(path: Path, text: str) -> Iterator[Step]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ScriptError(path, number, "a line begins with i, I, e, E, R or #")
        kind, connection, rest = match[1], match[2] or "1", match[3]
        shown = masked(line.encode("utf-8", "surrogateescape"))
        if kind in "ie":
            verb, what = _action(path, number, kind + rest.strip(), connection)
        else:
            verb, what = ("expect exactly" if kind == "E" else "send plain"), rest
            problem = _message_mistake(rest, expected=kind == "E")
            if problem:
                raise ScriptError(path, number, problem)
        yield Step(verb, what, number, shown, connection)


def _action(path: Path, line: int, action: str, connection: str) -> tuple[str, str]:
    known = {"iCONNECT": ("connect", connection), "iDISCONNECT": ("disconnect", connection)}
    known["eDISCONNECT"] = ("expect", "disconnect")
    if action not in known:
        why = ": such a script plays the venue" if action == "eCONNECT" else ""
        raise ScriptError(path, line, f"{action!r} is none of {', '.join(known)}{why}")
    return known[action]


def _message_mistake(text: str, expected: bool) -> str | None:
    """What is wrong with it, in words; None if nothing is. What is sent may be no FIX."""
    if "|" in text and "\x01" not in text:
        return "fields end with SOH (byte 1), not with |"
    for time in _TIME.finditer(_raw(text)):
        if int(time[2] or 0) > FARTHEST:
            return f"{time[0].decode()} is too far from now: at most {FARTHEST} seconds"
    try:
        return None if not expected or _fields(text) else "a message has fields"
    except ValueError as problem:
        return str(problem)


def _fields(text: str) -> list[tuple[int, str]]:
    """Of an `E` line. Raises ValueError."""
    return [field_of(field) for field in _raw(text).strip(SOH).split(SOH)]


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def as_sent(text: str, now: datetime | None = None) -> bytes:
    """The bytes of an `I` line."""
    moment = now or datetime.now(UTC)

    def time(match: re.Match[bytes]) -> bytes:
        seconds = int(match[2] or 0) * (-1 if match[1] == b"-" else 1)
        return (moment + timedelta(seconds=seconds)).strftime("%Y%m%d-%H:%M:%S").encode()

    raw = _TIME.sub(time, _raw(text))
    head, soh, rest = raw.partition(SOH)
    if not head.startswith(b"8=") or not soh:
        return raw
    length, checksum = _LENGTH.search(soh + rest), _CHECKSUM.search(raw)
    if length and checksum:
        return raw if raw.endswith(SOH) else raw + SOH
    body = _CHECKSUM.sub(SOH, raw)[len(head) + 1 :]
    if not length:
        return frame(head[2:].decode(), body, checksum=_value(checksum))
    start = head + soh + body
    return start + encode([(10, _value(checksum) or f"{sum(start) % 256:03d}")])


def _value(field: re.Match[bytes] | None) -> str | None:
    return field[0].strip(SOH).partition(b"=")[2].decode() if field else None


def compare(names: Standard, text: str, message: Message, known: Patterns) -> list[Difference]:
    """Field by field in the order on the wire."""
    expected = _fields(text)
    came = message.fields
    found: list[Difference] = []
    for place in range(max(len(expected), len(came))):
        tag, value = expected[place] if place < len(expected) else (0, "")
        other, received = came[place] if place < len(came) else (0, "")
        if tag != other:
            wanted = names.label(tag) if tag else "no more fields"
            got = f"{names.label(other)} = {names.word(other, received)}" if other else ""
            return [*found, Difference(f"field {place + 1}", wanted, got, False)]
        pattern = known.get(tag)
        right = value == received if pattern is None else is_in(pattern, received)
        said = names.word(tag, value) if pattern is None else f"pattern {pattern.pattern}"
        found.append(Difference(names.label(tag), said, names.word(tag, received), right))
    return found
