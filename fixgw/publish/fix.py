"""`fixgw log fix SESSION`: what went over the wire, in words, while the venue runs or after."""

import argparse
import re
import sys
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from fixgw.codec.readable import printable, readable
from fixgw.codec.standard import LAYERS, names
from fixgw.codec.stream import message_type
from fixgw.messages.files import directory_of
from fixgw.messages.lines import IN, OUT, SECOND, timestamp
from fixgw.publish.chain import of_order, order_ids
from fixgw.publish.messages import Logged, logged
from fixgw.settings.building import close
from fixgw.store.directory import data_path
from fixgw.store.failures import StoreError

PAUSE = 0.1
"""seconds between looks with --follow"""
ALWAYS = 2**63
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?", re.ASCII)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Print the message log of a session, one line per message, oldest first. Times are UTC: "
        "YYYY-MM-DD, YYYY-MM-DDTHH:MM[:SS[.fff]], or HH:MM[:SS[.fff]] of today."
    )
    parser.add_argument("name", metavar="SESSION", help="the session's name")
    parser.add_argument("--data", type=data_path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.add_argument("--follow", action="store_true", help="go on as messages are added, until Ctrl-C")
    parser.add_argument(
        "--from", dest="first", type=moment, default=0, metavar="TIME", help="not before TIME"
    )
    parser.add_argument("--to", type=moment, default=ALWAYS, metavar="TIME", help="before TIME")
    parser.add_argument(
        "--type",
        dest="types",
        type=_message_type,
        action="append",
        metavar="TYPE",
        help="messages of this MsgType, such as D or NewOrderSingle; may be repeated",
    )
    parser.add_argument(
        "--order",
        metavar="ID",
        help="messages of the order with this ClOrdID or OrderID, under all ClOrdIDs it has had",
    )
    parser.add_argument("--raw", action="store_true", help="the messages as they were, with | for SOH")


def fix_command(args: argparse.Namespace) -> int:
    """Exit code: 0. Raises StoreError for a log that is not there or cannot be read."""
    try:
        known = _sessions(args.data / "fix")
        if args.name not in known:
            there = ", ".join(known) or "none"
            raise StoreError(
                f"no messages of session {args.name!r} in {args.data}; there are those of: {there}"
            )
        for each in _chosen(directory_of(args.data, args.name), args):
            if each is not None:
                print(_line(each, args.raw))
            else:
                sys.stdout.flush()
                time.sleep(PAUSE)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise StoreError(f"{problem.filename}: {problem.strerror}") from None
    return 0


def _sessions(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir()) if directory.is_dir() else []


def _chosen(directory: Path, args: argparse.Namespace) -> Iterator[Logged | None]:
    messages = logged(directory, args.first if args.order is None else 0, args.follow)
    if args.order is not None:
        messages = of_order(messages, args.order, order_ids(logged(directory, 0, False), args.order))
    for each in messages:
        if each is None:
            yield None
        elif args.first <= each.time < args.to and (args.types is None or _has_type(each, args.types)):
            yield each


def _has_type(each: Logged, types: list[str]) -> bool:
    return each.kind in (IN, OUT) and message_type(each.text) in types


def _line(each: Logged, raw: bool) -> str:
    text = each.text.decode("utf-8", "surrogateescape")
    if each.kind in (IN, OUT) and not (raw or each.state):
        text = readable(text)
    else:
        text = printable(text.rstrip("\n").replace("\x01", "|"))
    mark = f"{each.state}: " if each.state else ""
    return f"{timestamp(each.time).decode()} {each.kind.decode():<3} {mark}{text}"


def moment(text: str) -> int:
    """Nanoseconds since the epoch of a time on the command line."""
    day, mark, clock = text.removesuffix("Z").rpartition("T")
    if not mark and "-" in clock:
        day, clock = clock, "00:00"
    found = _CLOCK.fullmatch(clock)
    try:
        if found is None:
            raise ValueError("wanted is YYYY-MM-DD, YYYY-MM-DDTHH:MM[:SS[.fff]] or HH:MM[:SS[.fff]]")
        hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
        on = date.fromisoformat(day) if day else datetime.now(UTC).date()
        whole = datetime(on.year, on.month, on.day, hour, minute, second, tzinfo=UTC)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: {problem}") from None
    return int(whole.timestamp()) * SECOND + int((found[4] or "0").ljust(9, "0"))


def _message_type(text: str) -> str:
    """MsgType(35) of a code or a name on the command line."""
    codes = {code: name for version in LAYERS for code, name in names(version).messages.items()}
    by_name = {name: code for code, name in codes.items()}
    if text in by_name:
        return by_name[text]
    if text in codes or re.fullmatch("U[A-Za-z0-9]{1,2}", text):
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not a message of the standard{close(text, by_name)}")
