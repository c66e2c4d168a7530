"""What the venue takes of a trade (docs/users.md, 8)."""

MILLION = 1_000_000
HIGHEST = 100_000
"""the highest rate: 10 %. With it a value below 2**62 and its fee stay below 2**63"""


def fee_of(value: int, rate: int) -> int:
    """`value` in smallest units of the quote currency, `rate` in millionths of it; rounded down.

    So the fees of parts never come to more than the fee of the whole: floor(a) + floor(b) <= floor(a + b).
    That is why what is reserved for an order at its highest rate always pays the fees of its trades."""
    return value * rate // MILLION
