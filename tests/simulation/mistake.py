"""A deliberate mistake: a line or two of the code are others."""

from __future__ import annotations

from typing import NamedTuple


class Change(NamedTuple):
    where: str
    """module:function or module:Class.function"""
    old: str
    new: str


class Mistake(NamedTuple):
    name: str
    """in words"""
    clause: str
    """that says that it is wrong, or what else does"""
    changes: tuple[Change, ...]


def mistake(name: str, clause: str, where: str, old: str, new: str, *more: Change) -> Mistake:
    return Mistake(name, clause, (Change(where, old, new), *more))
