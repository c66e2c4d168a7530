"""`fixgw admin …`: the operator's side of the socket."""

import argparse
import socket
import sys
from pathlib import Path

import msgspec

from fixgw.admin.words import SOCKET, Answer, CancelOnly, EndOfDay, Request, Status
from fixgw.store.directory import short_path

PATIENCE = 10.0
"""seconds the venue has to answer"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Speak to the venue that runs on a data directory, through the socket in it."
    parser.add_argument("--data", type=Path, default=Path("data"), help="the venue's data directory")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--data", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("status", parents=[common], help="sessions, markets, journal")
    cancel_only = actions.add_parser(
        "cancel-only",
        parents=[common],
        help="refuse new orders and replaces, let cancels pass; kept over restarts",
    )
    cancel_only.add_argument("switch", choices=("on", "off"))
    cancel_only.add_argument("symbol", nargs="?", metavar="SYMBOL", help="one market; else the venue")
    end_of_day = actions.add_parser(
        "end-of-day", parents=[common], help="end the trading day now: DAY orders expire, ClOrdIDs are free"
    )
    end_of_day.add_argument(
        "--again", action="store_true", help="end also a day that has not begun by the calendar"
    )


def admin_command(args: argparse.Namespace) -> int:
    """Exit code: 0, 1 if the venue refused, 3 if there is none."""
    request: Request = Status()
    if args.action == "cancel-only" and args.symbol == "":
        print("fixgw admin: an empty SYMBOL; leave it out to mean the whole venue", file=sys.stderr)
        return 2
    if args.action == "cancel-only":
        request = CancelOnly(args.switch == "on", args.symbol or "")
    elif args.action == "end-of-day":
        request = EndOfDay(args.again)
    try:
        answer = ask(args.data, request)
    except (OSError, msgspec.DecodeError):
        print(f"fixgw admin: no venue runs on {args.data}, or this user may not speak to it", file=sys.stderr)
        return 3
    print("\n".join(answer.lines), file=sys.stdout if answer.ok else sys.stderr)
    return 0 if answer.ok else 1


def ask(directory: Path, request: Request) -> Answer:
    """Raises OSError if no venue answers there."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE)
        with short_path(directory, SOCKET) as path:
            line.connect(path)
        line.sendall(msgspec.json.encode(request) + b"\n")
        with line.makefile("rb") as file:
            return msgspec.json.decode(file.readline(), type=Answer)
