"""What every message of the venue must have, whether a script names it or not: its version and CompIDs."""

from __future__ import annotations

from collections.abc import Collection

from acceptance.standard import Standard
from acceptance.wire import Message

ONCE = (8, 9, 35, 34, 49, 52, 56, 10)
"""tags that every message has, each one time"""


def header_fault(
    names: Standard, message: Message, expected: dict[int, str], named: Collection[int] = ()
) -> str | None:
    """The first that is wrong, in words. `expected`: what BeginString(8) and CompIDs are; `named`: tags that
    are looked at elsewhere."""
    for tag in ONCE:
        if tag not in named and sum(tag == other for other, _ in message.fields) > 1:
            return f"{names.label(tag)} is there twice"
    for tag, right in expected.items():
        came = message.get(tag)
        if tag not in named and came != right:
            return f"{names.label(tag)} is {came or 'missing'}, expected {right}"
    return None
