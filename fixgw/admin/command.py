"""`fixgw admin …`: the operator's side of the socket."""

import argparse
import socket
import sys
import time
from pathlib import Path

import msgspec

from fixgw.admin.arguments import add_arguments
from fixgw.admin.table import table
from fixgw.admin.unreached import reason
from fixgw.admin.words import SOCKET, Answer, EndOfDay, Reload, Request, Reset, Sessions, SessionState
from fixgw.store.directory import short_path

__all__ = ["add_arguments", "admin_command", "ask"]

PATIENCE = 10.0
"""seconds the venue has to answer"""
LONG_PATIENCE = 600.0
"""for what may take many turns, or a long one"""


def admin_command(args: argparse.Namespace) -> int:
    """Exit code: 0, 1 if the venue refused, 2 for arguments that do not fit together, 3 if there is none."""
    try:
        request: Request = args.request(args)
    except ValueError as problem:
        print(f"fixgw admin: {problem}", file=sys.stderr)
        return 2
    try:
        answer = ask(args.data, request)
    except (OSError, msgspec.DecodeError) as problem:
        print(f"fixgw admin: {reason(args.data, problem)}", file=sys.stderr)
        return 3
    lines = answer.lines
    if isinstance(request, Sessions) and answer.ok and not args.json:
        lines = table([msgspec.json.decode(line, type=SessionState) for line in lines], time.time_ns())
    print("\n".join(lines), file=sys.stdout if answer.ok else sys.stderr)
    return 0 if answer.ok else 1


def ask(directory: Path, request: Request) -> Answer:
    """Raises OSError or DecodeError if no venue answers there."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(LONG_PATIENCE if isinstance(request, EndOfDay | Reload | Reset) else PATIENCE)
        with short_path(directory, SOCKET) as path:
            line.connect(path)
        line.sendall(msgspec.json.encode(request) + b"\n")
        with line.makefile("rb") as file:
            return msgspec.json.decode(file.readline(), type=Answer)
