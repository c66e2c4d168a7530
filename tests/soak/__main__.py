"""`python -m tests.soak`: many sessions reconnect at once, again and again, and the venue is killed now and
then. Prints each round, and says whether an order was lost or doubled and whether memory grew."""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

from tests.process import VenueProcess
from tests.soak.crowd import Crowd, write_config


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--orders", type=int, default=10, help="of each session before each storm")
    parser.add_argument("--kill-every", type=int, default=5, help="every n-th storm is a kill -9; 0: never")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        config = write_config(Path(folder) / "venue.yaml", args.sessions)
        begun = time.monotonic()
        with VenueProcess(Path(folder) / "data", config=config) as venue:
            print(f"{args.sessions} sessions, ready after {time.monotonic() - begun:.1f} s, {_machine()}")
            crowd = Crowd(venue, args.sessions)
            asyncio.run(_storms(crowd, args))
            print(f"{crowd.check()} orders, none lost, none doubled")
            assert venue.terminate(60) == 0, venue.errors[-2000:]


async def _storms(crowd: Crowd, args: argparse.Namespace) -> None:
    for number in range(1, args.rounds + 1):
        kill = bool(args.kill_every) and number % args.kill_every == 0
        took = await crowd.storm(args.orders, kill)
        memory = crowd.venue.memory_mib()["own_mib"]
        what = "killed" if kill else "dropped"
        print(f"storm {number:3}: {what:7}, all answered {took:6.1f} s later, {memory:6.0f} MiB", flush=True)


def _machine() -> str:
    return f"{os.cpu_count()} cores"


if __name__ == "__main__":
    main()
