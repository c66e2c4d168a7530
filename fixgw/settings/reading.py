"""YAML to plain dicts of text. Numbers stay text, so that 0.1 is never a binary fraction."""

from collections.abc import Hashable
from pathlib import Path

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode

MAX_BYTES = 16 << 20
"""largest YAML file"""


class Mistake(Exception):
    """Where (a path in the YAML, or a line) and one line: what is wrong and what would be right."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}")


class TextLoader(yaml.BaseLoader):
    """All scalars as text; a key twice in one mapping is a mistake, not the last one winning."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, object]:
        keys: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key.value, str):
                raise ConstructorError(None, None, "a key must be plain text", key.start_mark)
            if key.value in keys:
                raise ConstructorError(None, None, f"key {key.value!r} is there twice", key.start_mark)
            keys.add(key.value)
        return super().construct_mapping(node, deep)


def read(path: Path | str, loader: type[TextLoader] = TextLoader) -> object:
    """The file's content, all scalars as text; raises Mistake without the file's name."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Mistake("cannot be read", error.strerror or str(error)) from None
    if len(data) > MAX_BYTES:
        raise Mistake("too long", f"the file must be at most {MAX_BYTES >> 20} MiB")
    try:
        return yaml.load(data.decode(), loader)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Mistake(f"line {line}", f"byte 0x{data[error.start]:02x} is not UTF-8 text") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "YAML"
        raise Mistake(where, error.problem or "not valid YAML") from None
    except RecursionError:
        raise Mistake("YAML", "nested too deeply") from None
    except yaml.YAMLError as error:
        raise Mistake("YAML", str(error).splitlines()[0]) from None
