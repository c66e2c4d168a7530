"""Run as a program: plays a fixed sequence of commands into a venue and writes every byte that comes out
to standard output, the digest last."""

from __future__ import annotations

import sys
from random import Random

from msgspec import msgpack

from engine.venue import Venue
from tests.engine.chance import OPENING, make


def play(seed: int, count: int) -> bytes:
    choose, venue = Random(seed), Venue()
    out = []
    for sequence in range(count):
        command = OPENING[sequence] if sequence < len(OPENING) else make(choose, venue)
        if venue.refusal(command) is None:
            out += [msgpack.encode(event) for event in venue.apply(sequence + 1, command)]
    return b"".join([*out, venue.digest().encode()])


if __name__ == "__main__":
    sys.stdout.buffer.write(play(int(sys.argv[1]), int(sys.argv[2])))
