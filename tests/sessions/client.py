"""What the tests of the session layer share: the two versions, and clients with fresh numbers."""

from __future__ import annotations

import itertools

from tests.process import VenueProcess
from tests.raw import RawClient, Received, new_order
from tests.wire import Fields

VERSIONS = {"ALPHA": "FIX.4.4", "CHARLIE": "FIXT.1.1"}

_ids = itertools.count(1)


class Client(RawClient):
    """A raw client that sets the venue's own TestRequests aside: they come when they want to."""

    def __init__(self, venue: VenueProcess, name: str = "ALPHA", timeout: float = 10.0) -> None:
        version = VERSIONS.get(name, "FIX.4.4")
        super().__init__(venue.host, venue.port, name, begin_string=version, timeout=timeout)
        self.probes: list[Received] = []

    def receive(self, timeout: float | None = None) -> Received:
        while (message := super().receive(timeout)).get(112, "").startswith("fixgw-"):  # type: ignore[union-attr]
            self.probes.append(message)
        return message

    def begin(self, heartbeat: int = 30) -> None:
        """Logs on with numbers that begin again, and with nothing left from before."""
        self.logon(heartbeat, reset=True)
        if self.settle():
            self.logout()
            self.logon(heartbeat, reset=True)
            assert not self.settle(), "a clean logout must prove that all has arrived"

    def order_fields(self, **changed: object) -> Fields:
        """A limit order that rests, under a ClOrdID of its own."""
        values: dict[str, object] = {"price": "100.00", "account": f"{self.comp_id}-1", **changed}
        return new_order(f"{self.comp_id}-{next(_ids)}", **values)[1]  # type: ignore[arg-type]

    def order(self, **changed: object) -> str:
        """Sends a limit order that rests and returns its ClOrdID."""
        fields = self.order_fields(**changed)
        self.send("D", fields)
        return str(fields[0][1])

    def refused_order(self) -> str:
        """Sends an order the venue answers at once and does not keep: its price is off the tick."""
        return self.order(price="100.001")

    def session_fields(self) -> Fields:
        """What a Logon needs beyond HeartBtInt."""
        return [(98, 0), (1137, 9)] if self.begin_string == "FIXT.1.1" else [(98, 0)]

    def fill_gap(self, first: int, end: int) -> None:
        """SequenceReset-GapFill over the numbers [first, end)."""
        self.send("4", [(123, "Y"), (36, end)], sequence=first, possdup=True)


def content(message: Received) -> list[tuple[int, str]]:
    """What must be the same whenever a number comes again: all but the header fields of the sending."""
    return [pair for pair in message.fields if pair[0] not in (9, 10, 34, 43, 52, 97, 122)]
