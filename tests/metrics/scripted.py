"""One client that does the same things in the same order each time."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.process import ServerProcess
from tests.raw import BUY, SELL, RawClient, cancel, new_order, replace

ACCOUNT = "ALPHA-1"


def play(venue: ServerProcess, steps: int = 250) -> dict[str, int]:
    """Returns how many messages there were of each kind."""
    chance = Random(1)
    client = RawClient(venue.host, venue.port, "ALPHA")
    client.logon(reset=True)
    client.settle()
    live: list[tuple[str, str]] = []
    counts = dict.fromkeys(("new", "cancel", "replace", "wrong"), 0)
    for step in range(steps):
        name, side = f"S{step}", chance.choice((BUY, SELL))
        how: dict[str, Any] = {"symbol": f"M{chance.randrange(5)}-USD"}
        kind = chance.choices(("new", "cancel", "replace", "wrong"), (6, 1, 1, 2))[0]
        if kind in ("cancel", "replace") and not live:
            kind = "new"
        counts[kind] += 1
        if kind == "new":
            price = chance.randrange(90, 111)
            client.send(*new_order(name, side, chance.randrange(1, 5), price, account=ACCOUNT, **how))
            live.append((name, side))
        elif kind == "wrong":
            client.send(*new_order(name, side, 1, "100.001", account=ACCOUNT, **how))
        else:
            # It may be gone, or of another market: then the request is refused, which is as good.
            original, side = live.pop(chance.randrange(len(live)))
            if kind == "cancel":
                client.send(*cancel(name, original, side, **how))
            else:
                client.send(*replace(name, original, side, 3, 100, account=ACCOUNT, **how))
        client.settle()
    client.logout()
    return counts
