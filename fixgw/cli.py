"""The one program, `fixgw`. Each command brings its own arguments; this page says which there are."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from fixgw import __version__

COMMANDS = {
    "serve": ("fixgw.serve", "run the venue"),
    "demo": ("fixgw.client.demo", "a venue and two FIX clients that trade, start to end"),
    "order": ("fixgw.client.order", "send, cancel or replace one order and see its reports"),
    "log": ("fixgw.publish.log", "print journal, events, audit or a session's messages"),
    "passwd": ("fixgw.admin.passwd", "a password as a line for the settings, which does not show it"),
    "certify": ("acceptance.command", "play certification scripts against a venue"),
    "publish": ("fixgw.publish.command", "run one output alone: drop copy, market data and more"),
    "history": ("fixgw.history.command", "ask for orders, fills and accounts of now and before"),
    "metrics": ("fixgw.metrics.command", "what makes the slowest turns slow, by name"),
    "snapshot": ("fixgw.snapshots.follower", "replay and compare the journal, write a snapshot of the state"),
    "admin": ("fixgw.admin.command", "the operator's hand: status, sessions, reload, cancel-only and more"),
}
"""name: module with add_arguments(parser) and NAME_command(arguments) -> exit code; a line of help"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code. 0 done, 1 refused, 2 wrong usage, settings or data, 3 no venue reached."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="fixgw",
        description="A FIX order-entry venue: durable, deterministic, restartable.",
        epilog="`fixgw COMMAND --help` says more. New here? Start with `fixgw demo`.",
    )
    parser.add_argument("--version", action="version", version=f"fixgw {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        if words and words[0] == name:  # only what is asked for is imported
            import_module(module).add_arguments(command)
    chosen = parser.parse_args(words)
    try:
        run = getattr(import_module(COMMANDS[chosen.command][0]), f"{chosen.command}_command")
        return int(run(chosen))
    except BrokenPipeError:
        sys.stderr.close()
        return 1
