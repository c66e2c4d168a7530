"""`fixgw passwd`: a password to the line that the settings hold in its place."""

import argparse
import sys
from getpass import getpass

from fixgw.settings.password import CHOSEN, CHOSEN_WORDS, make_hash

MISUSED, INTERRUPTED = 2, 130
"""exit codes"""


class Unusable(Exception):
    """One line for people."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Ask for a password twice, without showing it, and print the line for `password` of a session in the "
        "settings: a salted scrypt hash. Without a terminal it reads the password from a line of its input."
    )


def passwd_command(args: argparse.Namespace) -> int:
    """Returns the exit code."""
    try:
        password = _ask() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
        if not CHOSEN.match(password):
            raise Unusable(f"a password must be {CHOSEN_WORDS}")
    except Unusable as problem:
        print(f"fixgw passwd: {problem}", file=sys.stderr)
        return MISUSED
    except (KeyboardInterrupt, EOFError):
        return INTERRUPTED
    print(make_hash(password))
    return 0


def _ask() -> str:
    password = getpass("Password: ")
    if getpass("The same again: ") != password:
        raise Unusable("that was not the same")
    return password
