"""What `$name` stands for in a script: something remembered, something of the target, or a new unique id."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from acceptance.profile import Member, Profile
from acceptance.wire import utc_timestamp

_NAME = r"[A-Za-z][A-Za-z0-9 _]*"
NAME = re.compile(_NAME)
_WHOLE = re.compile(rf"\$({_NAME}?)(?:\s*([-+*])\s*(\d+(?:\.\d+)?))?")
_INSIDE = re.compile(rf"\$\{{({_NAME})\}}")
_MEANT = re.compile(r"\$[A-Za-z]|.*\$\{", re.DOTALL)
"""how a text begins that refers to something, or means to"""
_CLOCK = re.compile(r"\$clock([+-]\d+)")
FARTHEST = 1_000_000_000
"""seconds from now"""
OF_SESSION = ("next", "expected")
GIVEN = ("price", "quantity", "symbol", "tick", "version", "venue", "now", "today", *OF_SESSION)
"""names that are known from the beginning; there are `account a` and `session a` of each role too"""


class Unknown(Exception):
    """One line: what cannot be worked out."""


class Variables:
    """Of one play of a script.

    `$now` is the time, `$now-300` five minutes ago, `$today` the date; `$price` the target's reference price
    and `$price+3` three ticks above; `$quantity*2` twice its usual quantity; `$next` a session's own next
    MsgSeqNum. Any other name that nothing was remembered under becomes a new id, unique for the target.
    `$Order` is `$order`."""

    def __init__(self, given: dict[str, str], tick: Decimal, new_id: Callable[[str], str]) -> None:
        self._known = dict(given)
        self._used: set[tuple[str, str]] = set()
        self._tick = tick
        self._new_id = new_id

    def remember(self, name: str, value: str) -> None:
        self._known[name_of(name)] = value

    def known(self, name: str) -> str | None:
        return self._known.get(name_of(name))

    def use(self, name: str, value: str) -> None:
        """Keeps a value that must not come again under this name."""
        self._used.add((name_of(name), value))

    def was_used(self, name: str, value: str) -> bool:
        return (name_of(name), value) in self._used

    def fill(self, text: str, numbers: dict[str, int] | None = None, form: Callable[[str], str] = str) -> str:
        """`text` with what it refers to; `numbers` are those of the session now. `form` is put over each
        value. Raises Unknown."""
        match = _WHOLE.fullmatch(text)
        if match is None:
            return _INSIDE.sub(lambda inside: form(self._value(name_of(inside[1]), numbers or {})), text)
        name, sign, operand = name_of(match[1]), match[2], match[3]
        if name == "now":
            seconds = float(operand or 0)
            return form(_moment(-seconds if sign == "-" else seconds))
        value = self._value(name, numbers or {})
        return form(value if sign is None else self._reckon(name, value, sign, Decimal(operand)))

    def _value(self, name: str, numbers: dict[str, int]) -> str:
        if name == "now":
            return _moment(0)
        if name == "today":
            return _moment(0)[: len("YYYYMMDD")]
        if name in numbers:
            return str(numbers[name])
        if name not in self._known:
            self._known[name] = self._new_id(name)
        return self._known[name]

    def _reckon(self, name: str, value: str, sign: str, operand: Decimal) -> str:
        try:
            number = Decimal(value)
        except ArithmeticError:
            raise Unknown(f"${name} is {value!r}: nothing can be added to it") from None
        if sign == "*":
            return plain(number * operand)
        step = self._tick if name == "price" else Decimal(1)
        return plain(number + operand * step * (1 if sign == "+" else -1))


def name_of(written: str) -> str:
    """`$Order` and `order` are one name."""
    return written.removeprefix("$").strip().lower()


def references(text: str) -> Iterator[tuple[str, bool]]:
    """The names a text refers to, and whether it reckons with them."""
    match = _WHOLE.fullmatch(text)
    if match is not None:
        yield name_of(match[1]), match[2] is not None
    else:
        yield from ((name_of(inside[1]), False) for inside in _INSIDE.finditer(text))


def is_reference(text: str) -> bool:
    return next(references(text), None) is not None


def misreferred(text: str) -> str | None:
    """What is wrong with a text that means to refer to something, in words; None if nothing is."""
    match = _WHOLE.fullmatch(text)
    if match is not None and name_of(match[1]) == "today" and match[2]:
        return f"{text!r}: $today is a date, and nothing can be added to it"
    if match is not None:
        far = match[1] == "now" and match[3] and (match[2] == "*" or float(match[3]) > FARTHEST)
        return f"{text!r} is too far from now: at most {FARTHEST} seconds" if far else None
    if _MEANT.match(_INSIDE.sub("", text)):
        return (
            f"{text!r} is none of $name, $name+1, $name*2, and inside of a text ${{name}}; "
            "{text: ...} takes it as it is"
        )
    return None


def _moment(seconds: float) -> str:
    """UTC, so many seconds from now."""
    if abs(seconds) > FARTHEST:
        raise Unknown(f"{seconds:g} seconds are too far from now")
    return utc_timestamp(datetime.now(UTC) + timedelta(seconds=seconds))


def plain(number: Decimal) -> str:
    """Without exponent and needless zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def variables(profile: Profile, version: str, symbol: str, cast: dict[str, str]) -> Variables:
    """What scripts may refer to: `$price`, `$quantity`, `$symbol`, `$version` (BeginString),
    `$venue` (its CompID), and of each role `$account a` and `$session a`."""
    given = {"price": profile.price, "quantity": profile.quantity, "symbol": symbol, "tick": profile.tick}
    given |= {"version": version, "venue": profile.comp_id}
    for role, name in cast.items():
        given[f"account {role.lower()}"] = profile.sessions.get(name, Member()).account
        given[f"session {role.lower()}"] = name
    prefix = f"{secrets.token_hex(4)}-"
    return Variables(given, profile.tick_size(), lambda name: prefix + name.replace(" ", "-"))


def timed(settings: dict[str, Any]) -> dict[str, Any]:
    """With the time of day, UTC, in place of `$clock+60`: so many minutes from now."""

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(each) for key, each in value.items()}
        found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
        return f"{datetime.now(UTC) + timedelta(minutes=int(found[1])):%H:%M}" if found else value

    made: dict[str, Any] = filled(settings)
    return made
