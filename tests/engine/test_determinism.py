"""The state is a function of the commands, and the digest tells any two states apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.order import Order
from engine.words import GOOD_TILL_CANCEL
from tests.engine.desk import Desk
from tests.engine.replay import play

ROOT = Path(__file__).resolve().parents[2]


def test_the_same_commands_give_the_same_bytes_in_any_process() -> None:
    """Feature 24: whatever the hash seed, every event and the digest agree to the byte."""
    outputs = []
    for hash_seed in "0", "1", "4242":
        environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tests.engine.replay", "7", "250"]
        outputs.append(subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True))
    first = outputs[0].stdout
    assert len(first) > 100_000, "too little came out to prove anything"
    assert all(output.stdout == first for output in outputs)
    assert play(7, 250) == first
    assert play(8, 250) != first


def desk() -> Desk:
    """Three orders in the book, one of them partly filled."""
    desk = Desk()
    desk.buy("b1", 3, 50, GOOD_TILL_CANCEL)
    desk.buy("b2", 3, 50)
    desk.sell("s1", 1, 50)
    desk.sell("s2", 2, 60)
    return desk


def test_the_digest_is_that_of_the_state() -> None:
    """Feature 65, its first half: the same way gives the same digest, and asking changes nothing."""
    one, other = desk(), desk()
    assert one.venue.digest() == one.venue.digest() == other.venue.digest()
    assert len(one.venue.digest()) == 64


@pytest.mark.parametrize(
    "name", [name for name in Order.__struct_fields__ if name not in ("previous", "next")]
)
def test_the_digest_sees_every_field_of_an_order(name: str) -> None:
    """Feature 65."""
    one, other = desk(), desk()
    order = other.venue.order("ALPHA", "b1")
    assert order is not None
    value = getattr(order, name)
    other_value = (
        not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value + "x"
    )
    setattr(order, name, other_value)
    assert one.venue.digest() != other.venue.digest()


def test_the_digest_sees_the_place_in_the_queue() -> None:
    """Feature 65: the very same orders, the other way round."""
    one, other = desk(), desk()
    order = other.venue.order("ALPHA", "b1")
    assert order is not None
    other.venue.markets["BTC-USD"].bids.remove(order)
    other.venue.markets["BTC-USD"].bids.add(order)
    assert other.bids() == one.bids()[::-1]
    assert one.venue.digest() != other.venue.digest()


@pytest.mark.parametrize("attribute", ["sequence", "match_id", "day", "killed"])
def test_the_digest_sees_the_counters_and_modes_of_the_venue(attribute: str) -> None:
    """Feature 65."""
    one, other = desk(), desk()
    changed = {"sequence": 99, "match_id": 99, "day": "2026-01-02", "killed": {("venue", ""): None}}
    setattr(other.venue, attribute, changed[attribute])
    assert one.venue.digest() != other.venue.digest()


@pytest.mark.parametrize("attribute", ["total", "reserved"])
def test_the_digest_sees_every_balance(attribute: str) -> None:
    """Feature 65."""
    one, other = desk(), desk()
    balance = other.venue.users["BRAVO-1"].balances["USD"]
    setattr(balance, attribute, getattr(balance, attribute) + 1)
    assert one.venue.digest() != other.venue.digest()


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("state", "halted"), ("reason", "restart"), ("last_price", 51), ("dynamic_reference", 51)],
)
def test_the_digest_sees_the_state_of_a_market(attribute: str, value: str | int) -> None:
    """Feature 65."""
    one, other = desk(), desk()
    setattr(other.venue.markets["BTC-USD"], attribute, value)
    assert one.venue.digest() != other.venue.digest()
