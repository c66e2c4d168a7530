"""An operator's commands to a venue of our own, without a process for each."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import NoReturn

import msgspec

from fixgw.admin.arguments import add_arguments
from fixgw.admin.command import ask
from fixgw.admin.unreached import reason


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def operate(words: str, data: Path) -> str | None:
    """`fixgw admin WORDS`; why it was not done, None if it was."""
    parser = _Parser(prog="fixgw admin")
    add_arguments(parser)
    try:
        args = parser.parse_args([*shlex.split(words), "--data", str(data)])
        answer = ask(args.data, args.request(args))
    except ValueError as problem:
        return f"fixgw admin {words}: {problem}"
    except (OSError, msgspec.DecodeError) as problem:
        return f"fixgw admin {words}: {reason(data, problem)}"
    return None if answer.ok else f"fixgw admin {words}: {' '.join(answer.lines)}"
