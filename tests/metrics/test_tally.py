"""What is counted of the log, and that every entry is counted once whatever dies when."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
import pytest

from engine.commands import NewOrder, SetState
from engine.events import Event, Execution, RequestDenied, StateSet
from engine.refusals import Refusal
from fixgw.metrics import counter as module
from fixgw.metrics.counter import Counter
from fixgw.metrics.tally import Tally, count
from fixgw.store.journal import Entry
from tests.metrics.scripted import play
from tests.venue.floor import running


def execution(exec_type: str, side: str = "1", **more: object) -> Execution:
    order = 1, "C", "S", "A", "X-USD", "id", "", side, "2", "0", 5, 100, 0, 5, 0
    return msgspec.structs.replace(Execution(7, exec_type, "0", *order), **more)


def counted(*entries: list[Event]) -> Tally:
    tally = Tally()
    command = NewOrder(7, "C", "S", "A", "X-USD", "id", "1", "2", "0", 5, 100)
    first = 1
    for sequence, events in enumerate(entries, 1):
        count(tally, sequence, Entry(command, first, events))
        first += len(events)
    return tally


def test_a_trade_is_one_whoever_hears_of_it() -> None:
    """Both sides are of the venue, or one is of another node; an auction has many trades in one entry."""
    fills = [
        execution("F", side, last_quantity=quantity, last_price=price, match_id=match)
        for match, quantity, price in ((1, 2, 100), (2, 3, 101))
        for side in "12"
    ]
    alone = execution("F", "2", last_quantity=4, last_price=99, match_id=3)
    bust = execution("H", "2", last_quantity=4, last_price=99, match_id=3)
    tally = counted([execution("0"), *fills], [alone], [bust])
    assert tally.trades == {"X-USD": 3}
    assert tally.lots == {"X-USD": 2 + 3 + 4}
    assert tally.value == {"X-USD": 200 + 303 + 396}
    assert tally.executions == {"X-USD": {"0": 1, "F": 5, "H": 1}}
    assert (tally.sequence, tally.event, tally.time) == (3, 7, 7)


def test_reasons_of_other_nodes_are_of_a_fixed_list() -> None:
    denied = [
        RequestDenied(7, "D", 1, "C", "S", "A", "X-USD", "id", "", Refusal(reason))
        for reason in ("kill switch", "of a later release", "and another")
    ]
    assert counted(denied).denied == {"kill switch": 1, "other": 2}


def test_the_last_state_of_a_market_is_kept() -> None:
    tally = Tally()
    for sequence, state in enumerate(("halted", "continuous", "closed"), 1):
        count(tally, sequence, Entry(SetState(1, "X-USD", state), sequence, [StateSet(1, "X-USD", state)]))
    assert tally.states == {"X-USD": "closed"} and tally.commands == {"SetState": 3}


def test_it_dies_anywhere_and_counts_every_entry_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes next goes on from what was saved last, in the database or only in the tail."""
    monkeypatch.setattr(module, "BATCH", 7)
    chance = Random(3)
    with running(tmp_path) as venue:
        known = play(venue, 60)
        resumed = 0
        while True:
            counter = Counter(venue.data)
            resumed += counter.sequence > 0
            more = [counter.step() for _ in range(chance.randrange(1, 6))][-1]
            if chance.random() < 0.7:
                counter.save()
            tally = counter.tally()
            counter._follower.close()  # nothing is saved: it was killed
            if not more and tally is not None:
                break
        assert resumed > 5
        monkeypatch.setattr(module, "BATCH", 10_000)
        (venue.data / "metrics" / "tally.json").unlink()
        whole = Counter(venue.data)
        while whole.step():
            pass
        found = whole.tally()
        assert found is not None and found.commands["NewOrder"] == known["new"]
        assert msgspec.structs.replace(found, mark="") == msgspec.structs.replace(tally, mark="")
        whole.close()
