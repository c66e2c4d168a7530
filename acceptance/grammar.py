"""The words scripts are written with: keys, verbs and what each takes; for loading and for the schema."""

from __future__ import annotations

import re
from dataclasses import dataclass

ROLE = re.compile(r"[A-Z]\d?")
NO_MESSAGE = ("nothing", "disconnect")
BY_HAND = ("test requests", "heartbeats")
OUTPUTS = ("market data", "drop copy")
"""ports for something else than orders, each with a section of settings of that name"""


@dataclass(frozen=True)
class Verb:
    """How a step is written."""

    takes: str
    """its value: role, message, text, words, steps or numbers"""
    options: frozenset[str]
    help: str


def _verb(takes: str, options: str, help: str) -> Verb:
    return Verb(takes, frozenset(options.split()), help)


VERBS = {
    "connect": _verb("role", "over certificate", "opens a connection, without a Logon"),
    "disconnect": _verb("role", "", "closes it, without a Logout"),
    "logon": _verb("role", "fields within", "connects if need be, sends a Logon, expects the venue's"),
    "logout": _verb("role", "fields within", "sends a Logout, expects the venue's, and closes"),
    "send": _verb("message", "on fields", "a message by name; `fields` go over its defaults"),
    "send raw": _verb("text", "on", "these bytes, | for SOH"),
    "expect": _verb(
        "expected", "on fields within after skip for", "the next message, or nothing, or disconnect"
    ),
    "any order": _verb("steps", "", "these expects, whichever comes first"),
    "numbers": _verb("numbers", "on", "the speaker's own next MsgSeqNum: {next out: 5, next in: 2}"),
    "admin": _verb("words", "refused", "runs `fixgw admin WORDS` on the venue; `refused`: it must say no"),
    "restart": _verb("restart", "", "stops the venue (`stop`) or kills it (`kill`), and starts it again"),
    "note": _verb("words", "", "a line in the report"),
}
TOP = {
    "title": "one line: what the script does",
    "proves": "cases of the standard and features, such as [1B.a, feature 50]",
    "versions": "FIX.4.4, FIXT.1.1; default both",
    "sessions": "roles, such as [A, B, A2]; default [A]",
    "needs": "what the venue must offer",
    "venue": "settings the venue must have; it is played against one of its own then",
    "by hand": "what the speaker leaves to the script: test requests, heartbeats",
    "alone": "yes: it restarts or operates the venue, and has one to itself",
    "steps": "what happens",
    "matrix": "in place of steps: a table for each scenario",
}
