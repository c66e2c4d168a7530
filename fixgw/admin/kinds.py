"""Kinds of words on the command line of `fixgw admin …`."""

import argparse
from typing import Protocol

import msgspec

from fixgw.admin.words import Id, Number, Text


class Add(Protocol):
    """Makes the parser of an action."""

    def __call__(self, action: str, help: str, /) -> argparse.ArgumentParser: ...


def text(word: str) -> str:
    try:
        return msgspec.convert(word, Text)
    except msgspec.ValidationError:
        raise argparse.ArgumentTypeError("must be 1 to 200 printable ASCII characters") from None


def number(word: str) -> int:
    try:
        return msgspec.convert(word, Number, strict=False)
    except msgspec.ValidationError:
        raise argparse.ArgumentTypeError("must be a whole number from 1 to 2147483647") from None


def identifier(word: str) -> int:
    """An OrderID or ExecID of the venue's own."""
    try:
        return msgspec.convert(word, Id, strict=False)
    except msgspec.ValidationError:
        raise argparse.ArgumentTypeError("must be a whole number above 0") from None
