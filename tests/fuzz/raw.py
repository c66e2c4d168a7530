"""Mistakes made by someone who knows nothing: bits, pieces and places of a stream, at random."""

from __future__ import annotations

from random import Random

from tests.fuzz.hostile import PIECES


def torn(chance: Random, stream: bytes, other: bytes) -> bytes:
    """The stream with a few places changed; `other` is one of which pieces may get into it."""
    data = bytearray(stream)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        if not data:
            break
        start = chance.randrange(len(data))
        end = min(start + chance.choice([1, 2, 8, 60, 400]), len(data))
        match chance.randrange(8):
            case 0:
                data[start] ^= 1 << chance.randrange(8)
            case 1:
                data[start] = chance.randrange(256)
            case 2:
                del data[start:end]
            case 3:
                data[start:start] = data[start:end] * chance.choice([1, 1, 2, 30])
            case 4:
                data[start:start] = chance.choice(PIECES)
            case 5:
                data[start:end] = chance.randbytes(end - start)
            case 6:
                place = chance.randrange(len(other))
                data[start:end] = other[place : place + end - start]
            case 7:
                if chance.random() < 0.2:
                    del data[start:]
    return bytes(data)
