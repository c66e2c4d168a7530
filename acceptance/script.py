"""What a script says, after its file was read: see README.md for the way it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct, field

from acceptance.patterns import Patterns

VERSIONS = ("FIX.4.4", "FIXT.1.1")

OR = " or "
"""between the messages of a step that takes one of several"""

Values = dict[str, Any]
"""field names to what is sent or expected: text, a list of groups, or a mapping of conditions"""


class Step(Struct):
    """One step. `verb` says what happens, and to what: `send NewOrderSingle`, `expect disconnect`."""

    verb: str
    what: str
    line: int
    text: str
    """as it was written, on one line"""
    on: str = "A"
    """whose connection"""
    fields: Values = field(default_factory=dict)
    within: float | None = None
    """seconds it may take; None: the patience of the run"""
    after: float = 0.0
    """seconds it must take"""
    skip: list[str] = field(default_factory=list)
    """messages that may come before the one expected"""
    over: str = "tcp"
    """tcp, tls, or an output"""
    certificate: str = ""
    """CommonName of the client's own, over TLS; none: it has none"""
    refused: str = ""
    """what the venue must answer an operator whose command it does not carry out; none: it carries it out"""
    steps: list[Step] = field(default_factory=list)
    """of a group in any order"""
    template: str = ""
    """file and line of the template it comes from, if it does"""


class Script(Struct):
    file: Path
    title: str
    steps: list[Step]
    proves: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=lambda: list(VERSIONS))
    sessions: list[str] = field(default_factory=lambda: ["A"])
    """roles; the letter is the client, so A2 is another session of A's"""
    needs: list[str] = field(default_factory=list)
    """what the target must offer"""
    venue: dict[str, Any] = field(default_factory=dict)
    """settings of the venue it needs; played against a venue of its own"""
    by_hand: list[str] = field(default_factory=list)
    """what the speaker does not do by itself here: answer test requests, send heartbeats"""
    plain: bool = False
    """its messages are whole: no session is cast, and the speaker does nothing by itself"""
    patterns: Patterns = field(default_factory=dict)
    """for fields of plain messages"""
    alone: bool = False
    """it stops or changes the whole venue"""
