"""A trading floor with drop copy sessions, and who reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.events import Execution
from fixgw.store.follow import Follower
from tests.raw import Received
from tests.venue.floor import FREE, Floor
from tests.venue.trader import Trader
from tests.venue.users import wait_for


class CopyFloor(Floor):
    """`copy_port`: of its drop copy, as it is now."""

    def __init__(self, directory: Path, drop_copy: dict[str, Any], **sections: dict[str, Any]) -> None:
        named = {name: FREE_ACCESS | each for name, each in drop_copy.pop("sessions").items()}
        super().__init__(directory, drop_copy={"port": 0, "sessions": named} | drop_copy, **sections)
        self.readers: dict[str, Trader] = {}

    @property
    def copy_port(self) -> int:
        """Once it is ready."""

        def said() -> str:
            return self.status().get("output", "")

        wait_for(lambda: "ready fixgw drop-copy" in said(), "the drop copy to be ready")
        found = re.search(r"127\.0\.0\.1:(\d+)", said())
        assert found is not None
        return int(found[1])

    def reader(self, name: str, version: str = "FIX.4.4") -> Trader:
        """Logged on, with the numbers that it had before, and with all that is there already."""
        reader = self.readers.setdefault(name, Trader("127.0.0.1", 0, name, version))
        reader.recover(self.copy_port)
        return reader


FREE_ACCESS = {"messages_per_second": FREE["messages_per_second"]}


@contextmanager
def copying(directory: Path, drop_copy: dict[str, Any], **sections: dict[str, Any]) -> Iterator[CopyFloor]:
    with CopyFloor(directory, drop_copy, **sections) as floor:
        try:
            yield floor
        except BaseException as failure:
            failure.add_note(f"the venue wrote:\n{floor.errors[-3000:]}")
            raise
        assert floor.terminate() == 0, floor.errors
        assert "Traceback" not in floor.errors, floor.errors


def executions(data: Path) -> dict[int, Execution]:
    """By sequence, all of the log; of a venue that does not run."""
    follower, found = Follower(data), {}
    while entries := follower.entries(10_000):
        for _, entry in entries:
            numbered = enumerate(entry.events, entry.first_event)
            found |= {sequence: event for sequence, event in numbered if type(event) is Execution}
    follower.close()
    return found


def catch_up(reader: Trader, last: int) -> None:
    """Returns when the copy of event `last` is there, and nothing is missing."""
    there = any(each.get(17) == str(last) for each in reader.reports.values())
    while not there:
        there = reader.take().get(17) == str(last)
    reader.fence()


def copies(reader: Trader) -> list[Received]:
    return [each for _, each in sorted(reader.reports.items()) if each.msg_type == "8"]
