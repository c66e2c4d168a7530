"""What a scenario says a message has, as tags and values."""

from __future__ import annotations

from acceptance.script import Values
from acceptance.standard import Standard
from acceptance.values import Variables


class Filling:
    def __init__(self, names: Standard, variables: Variables) -> None:
        self._names = names
        self._variables = variables

    def fill(self, text: str) -> str:
        return self._variables.fill(text)

    def tags(self, fields: Values) -> list[tuple[int, str]]:
        names = self._names
        return [
            (tag, names.value(tag, self.fill(str(value))))
            for name, value in fields.items()
            if (tag := names.tag(name)) is not None
        ]

    def over(self, body: list[tuple[int, str]], fields: Values) -> list[tuple[int, str]]:
        """`fields` in place of those of `body`, new ones at the end; `absent` leaves one out."""
        over = dict(self.tags(fields))
        made = [(tag, over.pop(tag, value)) for tag, value in body]
        return [(tag, value) for tag, value in [*made, *over.items()] if value != "absent"]
