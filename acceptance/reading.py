"""Scripts as YAML: all scalars are text, and every mapping knows its line."""

from __future__ import annotations

from collections.abc import Hashable
from difflib import get_close_matches
from pathlib import Path

from yaml.composer import ComposerError
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node

from fixgw.settings.reading import Mistake, TextLoader, read

LARGEST = 256 << 10
"""bytes of a script: more cannot be read in a second or two"""


class ScriptError(Exception):
    """A mistake in a script, as one line: the file, the line in it, what is wrong and what would be right."""

    def __init__(self, file: Path | str, line: int, text: str) -> None:
        super().__init__(f"{file}:{line}: {text}")


class Mapping(dict[str, object]):
    """With the line it begins on, and those of its keys."""

    line = 1
    template = ""
    """file and line of the template it comes from, if it does"""

    def __init__(self, *content: object) -> None:
        super().__init__(*content)
        self.lines: dict[str, int] = {}

    def line_of(self, key: object) -> int:
        return self.lines.get(str(key), self.line)


class _Loader(TextLoader):
    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, object]:
        made = Mapping(super().construct_mapping(node, True))
        made.line = node.start_mark.line + 1
        made.lines = {key.value: key.start_mark.line + 1 for key, _ in node.value}
        return made  # type: ignore[return-value]

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        if self.check_event(AliasEvent):
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise ComposerError(None, None, "an alias is not taken here; a template says things once", mark)
        return super().compose_node(parent, index)


def read_script(path: Path) -> Mapping:
    """The file's mapping; raises ScriptError."""
    try:
        if path.stat().st_size > LARGEST:
            raise ScriptError(path, 1, f"too long: a script has at most {LARGEST >> 10} KiB")
        content = read(path, _Loader)
    except OSError as problem:
        raise ScriptError(path, 1, problem.strerror or str(problem)) from None
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
