"""Feature 24: the engine cannot reach a clock, chance, the outside, or an order that is not fixed. A check
of its source, and of the check itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import engine

SOURCES = sorted(Path(engine.__file__).parent.rglob("*.py"))
IMPORTS = ("engine", "msgspec", "sortedcontainers", "typing", "collections", "hashlib", "bisect", "__future__")
NAMES = (
    "open input print breakpoint eval exec compile globals locals vars dir __import__ __builtins__ __loader__ "
    "time random os sys io socket datetime uuid secrets id hash float complex set frozenset"
).split()
ATTRIBUTES = "__class__ __dict__ __hash__ __subclasses__ __globals__ __builtins__ hash_seed".split()


def impurities(source: str) -> list[str]:
    """What in the source the engine must not contain, each as `line: what`."""
    tree = ast.parse(source)
    members = {node.comparators[0] for node in ast.walk(tree) if isinstance(node, ast.Compare) if _is_in(node)}
    found = [(node.lineno, what) for node in ast.walk(tree) for what in _look(node, members)]
    return [f"{line}: {what}" for line, what in sorted(found)]
