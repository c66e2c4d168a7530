"""`fixgw admin …`: the operator's side of the socket."""

import argparse
import socket
import sys
from pathlib import Path

import msgspec

from fixgw.admin.unreached import reason
from fixgw.admin.words import SOCKET, Answer, CancelOnly, Request, Status
from fixgw.store.directory import data_path, short_path

PATIENCE = 10.0
"""seconds the venue has to answer"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Speak to the venue that runs on a data directory, through the socket in it."
    parser.add_argument("--data", type=data_path, default=Path("data"), help="the venue's data directory")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--data", type=data_path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("status", parents=[common], help="sessions, markets, journal")
    cancel_only = actions.add_parser(
        "cancel-only",
        parents=[common],
        help="refuse new orders and replaces, let cancels pass; kept over restarts",
    )
    cancel_only.add_argument("switch", choices=("on", "off"))
    cancel_only.add_argument("symbol", nargs="?", metavar="SYMBOL", help="one market; else the venue")


def admin_command(args: argparse.Namespace) -> int:
    """Exit code: 0, 1 if the venue refused, 3 if there is none."""
    request: Request = Status()
    if args.action == "cancel-only" and args.symbol == "":
        print("fixgw admin: an empty SYMBOL; leave it out to mean the whole venue", file=sys.stderr)
        return 2
    if args.action == "cancel-only":
        request = CancelOnly(args.switch == "on", args.symbol or "")
    try:
        answer = ask(args.data, request)
    except (OSError, msgspec.DecodeError) as problem:
        print(f"fixgw admin: {reason(args.data, problem)}", file=sys.stderr)
        return 3
    print("\n".join(answer.lines), file=sys.stdout if answer.ok else sys.stderr)
    return 0 if answer.ok else 1


def ask(directory: Path, request: Request) -> Answer:
    """Raises OSError or DecodeError if no venue answers there."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE)
        with short_path(directory, SOCKET) as path:
            line.connect(path)
        line.sendall(msgspec.json.encode(request) + b"\n")
        with line.makefile("rb") as file:
            return msgspec.json.decode(file.readline(), type=Answer)
