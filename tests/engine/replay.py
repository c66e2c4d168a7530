"""Run as a program: plays a fixed sequence of commands into a venue and writes every byte that comes out to
standard output, the digest last."""

from __future__ import annotations

import sys
from random import Random

from msgspec import msgpack

from tests.engine.chance import make
from tests.engine.pair import Pair
from tests.engine.themes import OPENING, THEMES


def play(seed: int, count: int) -> bytes:
    """So many commands of each theme, one day after the other."""
    out = []
    for theme in THEMES.values():
        choose, pair = Random(seed), Pair()
        for number in range(count):
            pair.send(OPENING[number] if number < len(OPENING) else make(choose, pair, theme))
            out += [msgpack.encode(event) for event in pair.events]
        out.append(pair.venue.digest().encode())
    return b"".join(out)


if __name__ == "__main__":
    sys.stdout.buffer.write(play(int(sys.argv[1]), int(sys.argv[2])))
