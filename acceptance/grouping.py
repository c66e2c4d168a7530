"""Repeating groups: which fields of a message are its own, and which belong to entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from acceptance.wire import whole

Fields = Sequence[tuple[int, str]]


@dataclass(frozen=True)
class Group:
    count: str
    """as the counter says"""
    entries: list[Fields]

    @property
    def right(self) -> bool:
        return whole(self.count) == len(self.entries)

    def __str__(self) -> str:
        """How many entries it has, for people."""
        found = len(self.entries)
        return self.count if self.right else f"{self.count}, with {found} entr{'y' if found == 1 else 'ies'}"


def apart(fields: Fields, members: Callable[[int], frozenset[int]]) -> tuple[Fields, dict[int, Group]]:
    """The message's own fields, counters among them, and its groups by their counters. `members` says which
    tags may follow a counter; none: it is none."""
    own: list[tuple[int, str]] = []
    groups: dict[int, Group] = {}
    place = 0
    while place < len(fields):
        tag, value = fields[place]
        own.append(fields[place])
        place += 1
        inside = members(tag)
        if inside:
            end = place
            while end < len(fields) and fields[end][0] in inside:
                end += 1
            groups.setdefault(tag, Group(value, entries(fields[place:end])))
            place = end
    return own, groups


def unknown(fields: Fields, counter: int) -> Group | None:
    """A group that no dictionary has: its entries reach to the end of the message."""
    start = next((place for place, (tag, _) in enumerate(fields, 1) if tag == counter), None)
    if start is None:
        return None
    count = fields[start - 1][1]
    return Group(count, [] if count == "0" else entries(fields[start:]))


def entries(fields: Fields) -> list[Fields]:
    """Each begins with the tag that stands first."""
    begins = [place for place, (tag, _) in enumerate(fields) if tag == fields[0][0]]
    return [fields[begin:end] for begin, end in pairwise([*begins, len(fields)])]
