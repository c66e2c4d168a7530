"""All messages of one order, and of no other."""

from __future__ import annotations

import pytest

from fixgw.codec.stream import WHOLE
from fixgw.messages.lines import CONNECT, IN, OUT
from fixgw.publish.chain import of_order, order_ids
from fixgw.publish.messages import Logged
from tests.wire import encode, frame

LOG = """
in  35=D 34=2 11=a
in  35=D 34=3 11=x
out 35=8 34=2 37=7 11=a 150=0
out 35=8 34=3 37=8 11=x 150=0
in  35=G 34=4 41=a 11=b
in  35=F 34=5 41=x 11=y
out 35=8 34=4 37=8 41=x 11=y 150=4
out 35=8 34=5 37=7 41=a 11=b 150=5
in  35=G 34=6 41=b 11=c
out 35=9 34=6 37=7 41=b 11=c
in  35=F 34=7 41=b 11=d
in  35=0 34=8
out 35=8 34=7 37=7 11=b 150=F
out 35=9 34=8 37=7 41=b 11=d
in  35=D 34=9 11=e
out 35=8 34=9 37=NONE 11=e 150=8
in  35=D 34=10 11=f
out 35=3 34=10 45=10
in  35=D 34=11 11=a
out 35=8 34=11 37=20 11=a 150=0
in  35=F 34=12 41=b 11=z
"""
"""`a` is replaced by `b`, partly filled, and used again on the next day; `z` is not answered"""

LINES = LOG.split("\n")[1:-1]
FIRST_DAY = [1, 3, 5, 8, 9, 10, 11, 13, 14]
"""places of the messages of the order 7, from 1 on"""


def log() -> list[Logged | None]:
    messages: list[Logged | None] = [Logged(0, CONNECT, b"from b", WHOLE)]
    for place, each in enumerate(LINES, 1):
        kind, *fields = each.split()
        pairs = [(int(tag), value) for tag, _, value in (field.partition("=") for field in fields)]
        text = frame("FIX.4.4", encode(pairs))
        messages.append(Logged(place, IN if kind == "in" else OUT, text, WHOLE))
    return messages


def places(wanted: str, messages: list[Logged | None]) -> list[int]:
    return [each.time for each in of_order(messages, wanted, order_ids(log(), wanted)) if each]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("7", [*FIRST_DAY, 21]),
        ("b", [*FIRST_DAY, 21]),
        ("c", [*FIRST_DAY, 21]),
        ("d", [*FIRST_DAY, 21]),
        ("8", [2, 4, 6, 7]),
        ("y", [2, 4, 6, 7]),
        ("20", [19, 20]),
        ("e", [15, 16]),
        ("f", [17, 18]),
        ("z", [21]),
        ("a", [*FIRST_DAY, 19, 20, 21]),
        ("nobody", []),
        ("", []),
    ],
)
def test_the_messages_of_an_order(wanted: str, expected: list[int]) -> None:
    """Under whatever name it is asked for, in the order of the log."""
    assert places(wanted, log()) == expected


def test_while_the_log_grows_each_comes_once() -> None:
    """Also if all that is known for now ends between a request and its answer."""
    messages: list[Logged | None] = []
    for each in log():
        messages += [each, None]
    assert places("b", messages) == [*FIRST_DAY, 21]
