"""Plays so many seeds, from one on. What fails is told,
shortened and kept in tests/simulation/kept, where pytest plays it again."""

from __future__ import annotations

import argparse
import logging
import sys
import time

from tests.simulation.script import Script, generate, keep
from tests.simulation.shrink import failure_of, shrink, story


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="the first one (default 1)")
    parser.add_argument("--steps", type=int, default=0, help="of each; as the seed says if left out")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    began, failed = time.monotonic(), 0
    for seed in range(arguments.seed, arguments.seed + arguments.seeds):
        if (seed - arguments.seed) % 500 == 499:
            print(f"so far up to seed {seed - 1}: {failed or 'none'} failed", flush=True)
        script = generate(seed, arguments.steps)
        found = failure_of(script)
        if found is not None:
            failed += 1
            report(script, *found)
    took = time.monotonic() - began
    print(f"{arguments.seeds} seeds from {arguments.seed} on in {took:.0f} s: {failed or 'none'} failed")
    return 1 if failed else 0


def report(script: Script, place: str, problem: BaseException) -> None:
    print(f"seed {script.seed}: {place}: {problem}")
    shorter = shrink(script, place)
    again = failure_of(shorter)
    print(f"the last of {len(shorter.steps)} steps, of {len(script.steps)}, that lead to it:")
    print(story(again[1] if again else problem))
    print(f"kept as {keep(shorter, f'seed-{script.seed}')}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
