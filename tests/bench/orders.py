"""The orders of a measurement, as bytes, all made before the clock starts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.wire import frame, utc_now

MIDDLE = 50_000_00
"""cents; resting bids lie below it, resting offers above"""
LEVELS = 100
QUANTITY = "0.0001"


def cl_ord_id(chance: random.Random, random_ids: bool, run: int, number: int) -> str:
    """8 hexadecimal digits, 0 or random; 4 for the run (0 to 65535); 8 decimal ones for the order."""
    return f"{chance.getrandbits(32) if random_ids else 0:08x}{run:04x}{number:08d}"


def reported(run: int) -> re.Pattern[bytes]:
    """Finds the number of the order in each report on an order of this run."""
    return re.compile(rb"\x0111=.{8}%04x(\d{8})\x01" % run)


@dataclass(frozen=True)
class Flow:
    """What kind of orders: `crossing` is the share (0 to 1) that trades at once with one resting order;
    `random_ids` makes ClOrdIDs come in no order at all."""

    crossing: float = 0.0
    random_ids: bool = False
    time_in_force: str = "0"
    account: Callable[[int], str] | None = field(default=None, repr=False)
    """of an order, by its number; else the first of the session"""


def build(comp_id: str, numbers: range, flow: Flow, first_sequence: int, run: int) -> list[bytes]:
    """One NewOrderSingle for each order number; `run` keeps the ClOrdIDs of several runs apart.

    All orders have the same quantity, so that a crossing one fills exactly one resting order."""
    chance = random.Random(f"{comp_id} {run} {flow}")
    account = flow.account or (lambda number: f"{comp_id}-1")
    now = utc_now()
    messages = []
    for sequence, number in enumerate(numbers, first_sequence):
        name = cl_ord_id(chance, flow.random_ids, run, number)
        side, price = _limit(chance, chance.random() < flow.crossing)
        body = (
            f"35=D\x0134={sequence}\x0149={comp_id}\x0152={now}\x0156=FIXGW\x0111={name}\x01"
            f"1={account(number)}\x0155=BTC-USD\x0154={side}\x0160={now}\x0138={QUANTITY}\x0140=2\x01"
            f"44={price // 100}.{price % 100:02d}\x0159={flow.time_in_force}\x01"
        )
        messages.append(frame("FIX.4.4", body.encode()))
    return messages


def _limit(chance: random.Random, crosses: bool) -> tuple[str, int]:
    """Side and price in cents; a crossing price reaches the other side's deepest level."""
    side = chance.choice("12")
    distance = LEVELS + 1 if crosses else -chance.randint(1, LEVELS)
    return side, MIDDLE + distance if side == "1" else MIDDLE - distance
