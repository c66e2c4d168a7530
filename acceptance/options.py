"""The words of `fixgw certify`: what there is, what goes with what, and values that cannot be meant."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from acceptance.script import VERSIONS
from fixgw.settings import port_number
from fixgw.settings.reading import Mistake

T = TypeVar("T")

DAY = 86_400.0
MOST_JOBS = 1000
PATIENCE, JOBS, KEY, VENUE_ID = 5.0, 4, Path("certify.pem"), "FIXGW"
PORT, ADDRESS = 9880, "127.0.0.1"
PERSON_WAIT, TEST_WAIT = 600.0, 60.0
"""seconds, attended and unattended"""
EXIT_CODES = """\
exit codes:
  0  at least one case passed, and none failed; what the venue does not offer is told
  1  a case failed; with --verify: the report is not valid, or cannot be read
  2  wrong usage, script, profile or key, or the report cannot be written
  3  no venue: the target cannot be reached, ours did not start, or the port cannot be had
  4  incomplete: nothing failed, but cases were not run, or nothing passed at all
  129, 130, 143  ended by SIGHUP, Ctrl-C or SIGTERM; a report says so and what was not played
"""

ACCEPTOR = ("unattended", "port", "address", "client_id", "scenario", "wait")
VENUE = ("paths", "target", "profile", "session", "symbol", "versions", "jobs")
RULES = (
    ("fingerprint", "verify"), ("key", "report"), ("profile", "target"), ("session", "target"),
    ("symbol", "target"), *((name, "acceptor") for name in ACCEPTOR),
)  # fmt: skip
"""what goes with what"""
CONTRARY = (
    *((name, "acceptor") for name in VENUE), ("session", "profile"), ("symbol", "profile"),
    ("report", "verify"), ("acceptor", "verify"), ("target", "verify"), ("acceptor", "schema"),
)  # fmt: skip
"""what does not go together"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing has a default here but flags: what was not said can be told from what was (see `complete`)."""
    parser.description = (
        "Plays certification scripts against a venue and says which pass. Without --target it starts a "
        "venue of its own."
    )
    parser.epilog = EXIT_CODES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("paths", nargs="*", type=Path, metavar="PATH", help="scripts or folders; default: all")
    add("--target", metavar="HOST:PORT", help="the venue; an IPv6 address in brackets")
    add("--profile", type=Path, metavar="FILE", help="its sessions, symbols and what it offers")
    add(
        "--session", action="append", metavar="ID[:VERSION[:ACCOUNT]]",
        help="in place of a profile: a session to use, such as ALPHA:FIX.4.4:ALPHA-1; may be repeated",
    )  # fmt: skip
    add("--symbol", action="append", help="what it trades; may be repeated")
    add("--venue-id", help=f"its CompID; default {VENUE_ID}")
    add("--version", action="append", choices=VERSIONS, dest="versions", help="only this one")
    add("--report", type=Path, metavar="DIR", help="writes the signed report there")
    add("--key", type=Path, metavar="FILE", help=f"signs it; made if missing; default {KEY}")
    add("--verify", type=Path, metavar="REPORT", help="checks a report, JSON or HTML")
    add("--fingerprint", metavar="sha256:HEX", help="of the key that must have signed it")
    add("--patience", type=seconds, help=f"seconds to wait for a message; default {PATIENCE:g}")
    add("--jobs", type=jobs, help=f"scripts at one time; default {JOBS}")
    add("--schema", action="store_true", help="the form of scripts as JSON Schema, for editors")
    add("--list", action="store_true", help="the scripts, without playing them")
    group = parser.add_argument_group("certifying a client", "the tool plays the venue")
    add = group.add_argument
    add("--acceptor", action="store_true", help="waits for a client and certifies it")
    add("--unattended", action="store_true", help="no one is asked: OrderQty(38) chooses the scenario")
    add("--port", type=port, help=f"to listen on, 0: a free one; default {PORT}")
    add("--address", help=f"to listen on; default {ADDRESS}")
    add(
        "--client-id", action="append", metavar="COMPID[:VERSION]", type=client,
        help="a client that may log on; may be repeated; default: any",
    )  # fmt: skip
    add("--scenario", action="append", metavar="NAME", help="only this one; may be repeated")
    add(
        "--wait", type=seconds, metavar="SECONDS",
        help=f"for what a person or a test does; default {PERSON_WAIT:g}, unattended {TEST_WAIT:g}",
    )  # fmt: skip


def complete(args: argparse.Namespace) -> None:
    """Fills in the defaults. Raises Mistake for words that do not go together: one that is not looked at
    would be taken for one that was."""
    for name, other in RULES:
        if _said(args, name) and not _said(args, other):
            raise Mistake(_option(name), f"goes with {_option(other)}")
    if args.acceptor and args.paths:
        raise Mistake("PATH", "goes with a venue, not with --acceptor; use --scenario NAME")
    for name, other in CONTRARY:
        if _said(args, name) and _said(args, other):
            raise Mistake(_option(name), f"does not go with {_option(other)}")
    wait = TEST_WAIT if args.unattended else PERSON_WAIT
    defaults = {
        "session": [], "symbol": [], "versions": list(VERSIONS), "client_id": [], "scenario": [],
        "patience": PATIENCE, "jobs": JOBS, "key": KEY, "venue_id": VENUE_ID, "port": PORT,
        "address": ADDRESS, "wait": wait,
    }  # fmt: skip
    for name, value in defaults.items():
        if getattr(args, name) is None:
            setattr(args, name, value)


def _said(args: argparse.Namespace, name: str) -> bool:
    value = getattr(args, name)
    return value is not None and value is not False and value != []


def _option(name: str) -> str:
    return "--" + {"versions": "version"}.get(name, name).replace("_", "-")


def version_of(text: str) -> str:
    """Raises ValueError."""
    if text not in VERSIONS:
        raise ValueError(f"{text!r} is none of {', '.join(VERSIONS)}")
    return text


def place(option: str, text: str) -> tuple[str, int]:
    """Host and port. Raises Mistake."""
    host, _, number = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    if ":" in bare and bare == host:
        raise Mistake(option, f"must be [ADDRESS]:PORT for IPv6, not {text!r}")
    try:
        bare.encode("idna")
        if bare and port_number(number):
            return bare, int(number)
    except ValueError:  # of either
        pass
    raise Mistake(option, f"must be HOST:PORT, not {text!r}")


def client(text: str) -> tuple[str, str]:
    """CompID, and its version or ""."""
    name, _, version = text.partition(":")
    try:
        return name, version and version_of(version)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _checked(convert: Callable[[str], T], right: Callable[[T], bool], words: str) -> Callable[[str], T]:
    def typed(text: str) -> T:
        try:
            value = convert(text)
        except ValueError:
            value = None
        if value is None or not right(value):
            raise argparse.ArgumentTypeError(f"must be {words}, not {text!r}")
        return value

    return typed


seconds = _checked(
    float, lambda value: math.isfinite(value) and 0 < value <= DAY, "seconds, above 0 and at most a day"
)
jobs = _checked(int, lambda value: 1 <= value <= MOST_JOBS, f"a whole number from 1 to {MOST_JOBS}")
port = _checked(port_number, lambda _: True, "a port from 0 to 65535")
