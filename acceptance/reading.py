"""Scripts as YAML: all scalars are text, and every mapping knows its line."""

from __future__ import annotations

from collections.abc import Hashable
from difflib import get_close_matches
from pathlib import Path

from yaml.nodes import MappingNode

from fixgw.settings.reading import Mistake, TextLoader, read


class ScriptError(Exception):
    """A mistake in a script, as one line: the file, the line in it, what is wrong and what would be right."""

    def __init__(self, file: Path | str, line: int, text: str) -> None:
        super().__init__(f"{file}:{line}: {text}")


class Mapping(dict[str, object]):
    """With the line it begins on."""

    line = 1


class _Loader(TextLoader):
    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, object]:
        made = Mapping(super().construct_mapping(node, True))  # type: ignore[arg-type]
        made.line = node.start_mark.line + 1
        return made  # type: ignore[return-value]


def read_script(path: Path) -> Mapping:
    """The file's mapping; raises ScriptError."""
    try:
        content = read(path, _Loader)
    except Mistake as mistake:
        where, _, text = str(mistake).partition(": ")
        line = where.removeprefix("line ").partition(",")[0]
        raise ScriptError(path, int(line) if line.isdigit() else 1, text) from None
    if not isinstance(content, Mapping):
        raise ScriptError(path, 1, "must be a mapping that begins with `title:`")
    return content


def meant(word: str, known: list[str]) -> str:
    """ "; did you mean X?", if one of the known words is close."""
    close = get_close_matches(word, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
