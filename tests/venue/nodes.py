"""Two nodes as an operator runs them: M0-USD to M49-USD are on the market's node, all others on the home."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from fixgw.admin.command import ask
from fixgw.admin.words import Status
from tests.venue.floor import FREE, Floor, Member
from tests.venue.users import account, wait_for

HOME, MARKET = 1, 2
DISTANT = 50
UNITS = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
UNITS |= {"max_quantity": "1000", "max_price": "1000000"}
LOST = {"client": "BRAVO", "begin_string": "FIX.4.4", "cancel_on_disconnect": "loss"} | FREE
PENDING_NEW, PENDING_CANCEL, PENDING_REPLACE = "A", "6", "E"


class Nodes:
    def __init__(self, directory: Path, of_market: dict[str, Any] | None = None, **of_home: Any) -> None:
        (directory / "home").mkdir()
        (directory / "market").mkdir()
        there = {f"M{number}-USD": UNITS | {"node": MARKET} for number in range(DISTANT)}
        socket = "../market/node.sock"
        self.home = Floor(
            directory / "home",
            **{
                "instruments": there,
                "node": {"number": HOME, "peers": {str(MARKET): {"socket": socket}}},
                "sessions": {"BRAVO4": LOST},
            }
            | of_home,
        )
        node = {"number": MARKET, "socket": "node.sock", "peers": {str(HOME): {}}}
        self.market = Floor(directory / "market", **({"node": node} | (of_market or {})))

    def said(self, floor: Floor) -> str:
        """The line of `fixgw admin status` about the other node."""
        lines = ask(floor.data, Status(digest=False)).lines
        return next(line for line in lines if line.startswith("node "))

    def connected(self) -> bool:
        return all("connected;" in self.said(floor) for floor in (self.home, self.market))

    def wait_until_connected(self) -> None:
        wait_for(self.connected, "the nodes to be connected")
        wait_for(lambda: "market   M0-USD" in "".join(self.lines(self.home)), "the markets to be known")
        wait_for(lambda: "not reached" not in "".join(self.lines(self.home)), "the markets to be reached")

    def lines(self, floor: Floor) -> list[str]:
        return ask(floor.data, Status(digest=False)).lines

    def wait_for_rest(self) -> None:
        """All that was to be said was said, and is known to be."""
        quiet = " 0 not taken;"
        wait_for(
            lambda: self.connected() and all(quiet in self.said(each) for each in (self.home, self.market)),
            "the nodes to have said all",
        )


@contextmanager
def two_nodes(directory: Path, of_market: dict[str, Any] | None = None, **of_home: Any) -> Iterator[Nodes]:
    """Both must be alive at the end, and stop in good order."""
    nodes = Nodes(directory, of_market, **of_home)
    with nodes.market, nodes.home:
        try:
            nodes.wait_until_connected()
            yield nodes
        except BaseException as failure:
            for floor in nodes.home, nodes.market:
                failure.add_note(f"{floor.data} wrote:\n{floor.errors[-3000:]}")
            raise
        for floor in nodes.market, nodes.home:  # the one that was called first, with the link open
            assert floor.terminate() == 0, floor.errors
            assert "Traceback" not in floor.errors, floor.errors


def member(floor: Floor, number: int, session: str) -> Member:
    """Logged on, with nothing left to read."""
    found = Member(floor, f"M{number}-USD", session)
    found.logon(reset=True)
    found.settle()
    found.received.clear()
    return found


def funds(floor: Floor, name: str, currency: str) -> tuple[Decimal, Decimal]:
    """(total, reserved)"""
    return account(floor, name).balances[currency]
