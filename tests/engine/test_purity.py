"""Feature 24: the engine cannot reach a clock, chance, the outside world, inexact numbers, or an order that
is not fixed. A check of its source, and a proof of the check."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine

SOURCES = sorted(Path(engine.__file__).parent.rglob("*.py"))
IMPORTS = {
    "engine",
    "msgspec",
    "sortedcontainers",
    "typing",
    "collections",
    "hashlib",
    "bisect",
    "operator",
    "itertools",
    "__future__",
}
NAMES = {
    *("open", "input", "print", "breakpoint", "eval", "exec", "compile", "__import__", "__builtins__"),
    *("globals", "locals", "vars", "dir", "getattr", "setattr", "delattr"),
    *("time", "datetime", "random", "secrets", "uuid", "os", "sys", "io", "socket", "threading"),
    *("id", "hash", "set", "frozenset", "float", "complex", "pow"),
}
ATTRIBUTES = {"__class__", "__dict__", "__globals__", "__hash__", "__builtins__", "__subclasses__"}


def impurities(source: str) -> list[str]:
    """What the engine must not contain, each as `line: what`."""
    found = [(node, what) for node in ast.walk(ast.parse(source)) for what in _look(node)]
    return [f"{getattr(node, 'lineno', 0)}: {what}" for node, what in found]


def _look(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (f"import {name.name}" for name in names if name.name.split(".")[0] not in IMPORTS)
        case ast.ImportFrom(level=level, module=module, names=names):
            if level or module is None or module.split(".")[0] not in IMPORTS or names[0].name == "*":
                yield f"from {'.' * level}{module or ''} import {names[0].name}"
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            yield f"the name {name}"
        case ast.Attribute(attr=name) if name in ATTRIBUTES:
            yield f"the attribute {name}"
        case ast.Constant(value=float() | complex() as value):
            yield f"the number {value}"
        case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            yield "true division"
        case ast.BinOp(op=ast.Pow(), right=right) | ast.AugAssign(op=ast.Pow(), value=right):
            if not (isinstance(right, ast.Constant) and isinstance(right.value, int)):
                yield "a power that may be a fraction"
        case ast.Set() | ast.SetComp():
            yield "a set, whose order is not fixed"
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub(), left=left, right=right):
            if _is_view(left) or _is_view(right):
                yield "a set made of dict views"
        case ast.Global():
            yield "state outside the venue"
        case ast.AsyncFunctionDef() | ast.Await():
            yield "waiting"


def _is_view(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in ("keys", "items")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_engine_is_pure(path: Path) -> None:
    """Feature 24."""
    assert impurities(path.read_text()) == []


def test_all_of_the_engine_is_looked_at() -> None:
    assert {"venue", "market", "book", "shard", "order", "checks"} <= {path.stem for path in SOURCES}


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import time", "1: import time"),
        ("import msgspec, os.path", "1: import os.path"),
        ("def f():\n    from random import choice", "2: from random import choice"),
        ("from fixgw.codec import tags", "1: from fixgw.codec import tags"),
        ("from ..fixgw import codec", "1: from ..fixgw import codec"),
        ("from typing import *", "1: from typing import *"),
        ("import enginery", "1: import enginery"),
        ("x = open('f')", "1: the name open"),
        ("x = time.time()", "1: the name time"),
        ("x = random.random()", "1: the name random"),
        ("x = os.environ", "1: the name os"),
        ("sorted(orders, key=id)", "1: the name id"),
        ("x = hash(order)", "1: the name hash"),
        ("__import__('time')", "1: the name __import__"),
        ("getattr(x, 'name')", "1: the name getattr"),
        ("x = ().__class__", "1: the attribute __class__"),
        ("x = 0.5", "1: the number 0.5"),
        ("x = 1e3", "1: the number 1000.0"),
        ("x = 2j", "1: the number 2j"),
        ("x = float(y)", "1: the name float"),
        ("x = a / b", "1: true division"),
        ("x /= 2", "1: true division"),
        ("x = 2 ** y", "1: a power that may be a fraction"),
        ("x = 2 ** -1", "1: a power that may be a fraction"),
        ("for x in {1, 2}:\n    pass", "1: a set, whose order is not fixed"),
        ("x = [y for y in {z for z in w}]", "1: a set, whose order is not fixed"),
        ("for x in set(y):\n    pass", "1: the name set"),
        ("x = list(frozenset(y))", "1: the name frozenset"),
        ("for x in a.keys() & b:\n    pass", "1: a set made of dict views"),
        ("def f():\n    global x\n    x = 1", "2: state outside the venue"),
        ("async def f():\n    pass", "1: waiting"),
    ],
)
def test_the_check_sees(source: str, what: str) -> None:
    """Feature 24: each impurity alone, on the line where it is."""
    assert impurities(source) == [what]


def test_the_check_is_content_with_what_is_pure() -> None:
    """Feature 24: whole division, powers of two, dicts and a field that happens to be called time."""
    source = "class A:\n    time: int\nx = 7 // 2 + 2**62\nfor key in {1: 2}:\n    y = a.time | b\n"
    assert impurities(source) == []
