"""What `$name` stands for in a script: something remembered, something of the target, or a new unique id."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from acceptance.wire import utc_timestamp

_WHOLE = re.compile(r"\$([a-z][a-z0-9 _]*?)(?:\s*([-+*])\s*(\d+(?:\.\d+)?))?")
_INSIDE = re.compile(r"\$\{([a-z][a-z0-9 _]*)\}")
_CLOCK = re.compile(r"\$clock([+-]\d+)")


class Unknown(Exception):
    """One line: what cannot be worked out."""


class Variables:
    """Of one play of a script.

    `$now` is the time, `$now-300` five minutes ago; `$price` the target's reference price and `$price+3`
    three ticks above; `$quantity*2` twice its usual quantity; `$next` a session's own next MsgSeqNum. Any
    other name that nothing was remembered under becomes a new id, unique for the target."""

    def __init__(self, given: dict[str, str], tick: Decimal, new_id: Callable[[str], str]) -> None:
        self._known = dict(given)
        self._used: set[tuple[str, str]] = set()
        self._tick = tick
        self._new_id = new_id

    def remember(self, name: str, value: str) -> None:
        self._known[name.removeprefix("$")] = value

    def known(self, name: str) -> str | None:
        return self._known.get(name)

    def use(self, name: str, value: str) -> None:
        """Keeps a value that must not come again under this name."""
        self._used.add((name, value))

    def was_used(self, name: str, value: str) -> bool:
        return (name, value) in self._used

    def fill(self, text: str, numbers: dict[str, int] | None = None) -> str:
        """`text` with what it refers to; `numbers` are those of the session now. Raises Unknown."""
        match = _WHOLE.fullmatch(text)
        if match is None:
            return _INSIDE.sub(lambda inside: self._value(inside[1], numbers or {}), text)
        name, sign, operand = match.groups()
        if name == "now":
            seconds = float(operand or 0)
            return utc_timestamp(datetime.now(UTC) + timedelta(seconds=-seconds if sign == "-" else seconds))
        value = self._value(name, numbers or {})
        return value if sign is None else self._reckon(name, value, sign, Decimal(operand))

    def _value(self, name: str, numbers: dict[str, int]) -> str:
        if name == "now":
            return utc_timestamp(datetime.now(UTC))
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


def plain(number: Decimal) -> str:
    """Without exponent and needless zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def timed(settings: dict[str, Any]) -> dict[str, Any]:
    """With the time of day, UTC, in place of `$clock+60`: so many minutes from now."""

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(each) for key, each in value.items()}
        found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
        return f"{datetime.now(UTC) + timedelta(minutes=int(found[1])):%H:%M}" if found else value

    made: dict[str, Any] = filled(settings)
    return made
