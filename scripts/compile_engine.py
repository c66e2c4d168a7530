"""`make compiled`: the engine as machine code, made by mypyc, in build/compiled. The default stays the Python
in `engine/`; the compiled one is used by whoever puts its directory first:

    PYTHONPATH=build/compiled .venv/bin/fixgw serve

It is as old as the last `make compiled`; `rm -r build/compiled` is the way back. Needs a C compiler."""

from __future__ import annotations

import ast
import os
import shutil
import sys
from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "build/compiled"
PLAIN = {"order": "Order", "terms": "Terms"}
"""Structs of msgspec that become plain classes, by module. In Python a Struct is made faster, and the garbage
collector does not see it; but mypyc has to look up each of its fields by name."""
AS_THEY_ARE = (
    *("__init__", "commands", "events", "refusals", "user_commands", "user_events"),
    *("peer_commands", "peer_messages", "peers"),
    *("routing", "snapshot"),  # and what little else stands beside Structs, off the path of orders
)
"""modules of Structs"""


def main() -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    shutil.copytree(ROOT / "engine", TARGET / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    for module, name in PLAIN.items():
        path = TARGET / f"engine/{module}.py"
        path.write_text(with_plain_class(path.read_text(), name))
    os.chdir(TARGET)
    paths = sorted(path for path in Path("engine").glob("*.py") if path.stem not in AS_THEY_ARE)
    settings = "--config-file", str(ROOT / "pyproject.toml")
    compiled = mypycify([*settings, *map(str, paths)], group_name="engine")
    setup(script_args=["--quiet", "build_ext", "--inplace"], ext_modules=compiled, packages=[])
    shutil.rmtree("build")
    for path in paths:  # what runs is not there to be edited
        path.unlink()
    print(f"compiled; to use it: PYTHONPATH={TARGET.relative_to(ROOT)} {sys.prefix}/bin/fixgw serve")


def with_plain_class(source: str, name: str) -> str:
    """The module with the Struct `name` as a class with the same fields, out of the garbage collector's sight
    as the Struct is."""
    tree = ast.parse(source)
    (node,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    names = [ast.unparse(field.target) for field in fields]
    plain = ast.parse(
        "from typing import ClassVar\n"
        "from mypy_extensions import mypyc_attr\n"
        "@mypyc_attr(acyclic=True)\n"
        f"class {name}:\n"
        f"    __struct_fields__: ClassVar[tuple[str, ...]] = {tuple(names)}\n"
        f"    def __init__(self, {', '.join(map(ast.unparse, fields))}) -> None:\n"
        + "".join(f"        self.{each} = {each}\n" for each in names)
    ).body
    assert isinstance(plain[-1], ast.ClassDef)
    plain[-1].body += [each for each in node.body if isinstance(each, ast.FunctionDef)]
    at = tree.body.index(node)
    tree.body[at : at + 1] = plain
    return ast.unparse(tree)


if __name__ == "__main__":
    main()
