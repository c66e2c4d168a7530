"""`make bench`: echo, venue and disk in one run, in interleaved rounds; one table, raw JSON beside it."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import measure
from tests.bench.measure import Plan, Row
from tests.bench.table import machine, medians, render

RESULTS = Path(__file__).parent / "results"

ROUNDS = {
    "disk": measure.disk,
    "echo": measure.echo,
    "venue": measure.venue,
    "unlogged": measure.unlogged,
    "mirror": measure.mirror,
}
"""measured in turn, round after round, so that a noisy minute hits all of them"""

NOTES = """
echo       bare QuickFIX in Python, memory store: the ceiling of the session layer (the better of two ways)
unlogged   the venue without its message log
mirror     canned answers without FIX: the ceiling of the load generator
generator  share of one core the load generator used; at 100 % it may be the limit
mapped     pages of the store's file, which the system takes back when it needs them
A window (closed loop) hides coordinated omission: a stalled venue is sent fewer orders, so its stall counts
for few of them. The row at a fixed rate (open loop) counts each latency from the intended send time."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, fewer stored ids")
    parser.add_argument("--only", action="append", choices=[*ROUNDS, "open", "ids"], help="may be repeated")
    parser.add_argument("--rounds", type=int, help="default 3")
    parser.add_argument("--rate", type=int, help="of the open loop; default half of what the window carried")
    parser.add_argument("--directory", type=Path, help="the disk to measure (default: this checkout's)")
    args = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.directory or RESULTS) as folder:
        if args.quick:
            plan = Plan(Path(folder), args.rounds or 1, (500, 3_000, 10_000), 500_000)
        else:
            plan = Plan(Path(folder), args.rounds or 3)
        rows = run(plan, args.only or [*ROUNDS, "open", "ids"], args.rate)
    file = RESULTS / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
    file.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1))
    print(f"{machine()}\nmedians of {plan.rounds} rounds; raw figures in {file}\n")
    print("\n".join(render(medians(rows))))
    print(NOTES)


def run(plan: Plan, parts: list[str], rate: int | None) -> list[Row]:
    rows: list[Row] = []
    for number in range(plan.rounds):
        for part in filter(parts.__contains__, ROUNDS):
            print(f"round {number + 1} of {plan.rounds}: {part}", file=sys.stderr, flush=True)
            rows += ROUNDS[part](plan)
    if "open" in parts:
        print("open loop", file=sys.stderr, flush=True)
        rows += measure.open_loop(plan, rate or half_of(rows))
    if "ids" in parts:
        print(f"{plan.stored_ids:,} stored ids", file=sys.stderr, flush=True)
        rows += measure.stored_ids(plan)
    return rows


def half_of(rows: list[Row]) -> int:
    """Half of the orders a second the venue carried at the largest window, while orders traded."""
    carried = [
        row["orders_per_second"]
        for row in medians(rows)
        if row["server"] == "venue" and row["crossing"] > 0 and row.get("window") == measure.WINDOWS[-1]
    ]
    return int(carried[0] / 2) if carried else 5_000


if __name__ == "__main__":
    main()
