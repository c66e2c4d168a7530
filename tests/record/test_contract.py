"""What every record does, whatever its kind is, in the event loop that the venue has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest
import uvloop

from engine.user_commands import Row
from fixgw.record.record import MOST, RecordError, Stored, Written
from tests.record.kinds import Place, flush, opened

ASCII = "".join(map(chr, range(1, 128)))
ODD = [ASCII[:64], ASCII[63:], "'; DROP TABLE users; --", "%s", '"', "\\", "a" * 64]
Test = Callable[[Place], Coroutine[Any, Any, None]]


def in_loop(test: Test) -> Callable[[Place], None]:
    @wraps(test)
    def run(place: Place) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(test(place))

    return run


@in_loop
async def test_what_was_written_is_read(place: Place) -> None:
    async with opened(place) as record:
        assert await record.read("A") is None
        assert await record.write([flush("A", 0, ("BTC", 5), ("USD", 0), references=("D1", "W2"))]) == [
            Written(True, 1)
        ]
        assert await record.read("A") == Stored(1, Row("ALPHA", (("BTC", 5), ("USD", 0)), ("D1", "W2")))
        assert await record.write([flush("A", 1, ("USD", 7), epoch=2)]) == [Written(True, 2)]
        assert await record.read("A") == Stored(2, Row("ALPHA", (("USD", 7),)))
        assert await record.write([]) == []


@in_loop
async def test_extremes_are_exact(place: Place) -> None:
    most = tuple((f"C{number:02}", MOST - number) for number in range(30))
    odd = tuple((name, number) for number, name in enumerate(sorted(ODD)))
    references = tuple(f"{number:016}{ASCII}" for number in range(16))
    async with opened(place) as record:
        flushes = [flush("MOST", 0, *most), flush("NONE"), flush("B", 0, *odd, references=references)]
        flushes += [flush(name, 0, ("USD", 1), client=name, shard=name, epoch=MOST) for name in ODD]
        assert await record.write(flushes) == [Written(True, 1)] * len(flushes)
        for each in flushes:
            assert await record.read(each.user) == Stored(1, each.row), each.user
        assert await record.write(flushes) == [Written(True, 1)] * len(flushes), "written before"


@in_loop
async def test_balances_are_in_order_of_currencies_whatever_they_came_in(place: Place) -> None:
    async with opened(place) as record:
        given = flush("A", 0, ("b", 1), ("USD", 2), ("AA", 3), ("A", 4))
        assert await record.write([given, given]) == [Written(True, 1)] * 2
        stored = await record.read("A")
        assert stored is not None and [name for name, _ in stored.row.balances] == ["A", "AA", "USD", "b"]


@in_loop
async def test_many_reads_at_once_are_answered_each_for_itself(place: Place) -> None:
    names = [f"U{number:03}" for number in range(500)]
    async with opened(place) as record:
        await record.write([flush(name, 0, ("USD", n)) for n, name in enumerate(names)])
        found = await asyncio.gather(*(record.read(name) for name in [*names, "X", *names, "Y"]))
        balances = [each and dict(each.row.balances)["USD"] for each in found]
        assert balances == [*range(500), None, *range(500), None]


@in_loop
async def test_many_are_read_in_one_go(place: Place) -> None:
    names = [f"U{number:03}" for number in range(100)]
    async with opened(place) as record:
        await record.write([flush(name, 0, ("USD", n)) for n, name in enumerate(names)])
        found = await record.read_all([*names, "X", "Ä", "a" * 65, ""])
        assert found == {name: Stored(1, Row("ALPHA", (("USD", n),))) for n, name in enumerate(names)}
        assert await record.read_all([]) == {}


@in_loop
async def test_who_has_written_reads_what_it_wrote(place: Place) -> None:
    """However many read the same users at the same time."""
    async with opened(place) as record:

        async def read(name: str, until: int) -> None:
            last = 0
            while last < until:
                stored = await record.read(name)
                version = stored.version if stored else 0
                assert last <= version
                last = version

        async def write(name: str, until: int) -> None:
            for version in range(until):
                await record.write([flush(name, version, epoch=version)])
                stored = await record.read(name)
                assert stored is not None and stored.version == version + 1

        await asyncio.gather(*(work(f"U{n}", 15) for n in range(8) for work in (write, read, read)))


@in_loop
async def test_who_stops_waiting_for_a_read_takes_nothing_from_others(place: Place) -> None:
    async with opened(place) as record:
        await record.write([flush("A")])
        reads = [asyncio.create_task(record.read("A")) for _ in range(9)]
        await asyncio.sleep(0)
        for each in reads[::2]:
            each.cancel()
        found = await asyncio.gather(*reads, return_exceptions=True)
        assert found[1::2] == [Stored(1, Row("ALPHA", ()))] * 4
        assert all(isinstance(each, asyncio.CancelledError) for each in found[::2])


@in_loop
async def test_a_user_is_new_once(place: Place) -> None:
    async with opened(place) as record:
        assert await record.write([flush("A", 0, ("USD", 1))]) == [Written(True, 1)]
        assert await record.write([flush("A", 0, ("USD", 2), epoch=2)]) == [Written(False, 1)]
        assert await record.read("A") == Stored(1, Row("ALPHA", (("USD", 1),)))


@in_loop
async def test_a_stale_version_changes_nothing(place: Place) -> None:
    """Feature 36; users.md 2.8."""
    async with opened(place) as record:
        for version in range(3):
            await record.write([flush("A", version, ("USD", version), epoch=version)])
        for expected in (0, 1, 2, 4, MOST - 1):
            found = await record.write([flush("A", expected, ("USD", 99), shard="S2", epoch=9)])
            assert found == [Written(False, 3)], expected
        assert await record.read("A") == Stored(3, Row("ALPHA", (("USD", 2),)))
        assert await record.write([flush("B", 1, ("USD", 99))]) == [Written(False, 0)]
        assert await record.read("B") is None


@in_loop
async def test_the_same_flush_again_is_done_already(place: Place) -> None:
    """users.md 2.6: after a crash what is to be written is written again."""
    async with opened(place) as record:
        first, second = flush("A", 0, ("USD", 1)), flush("A", 1, ("USD", 2), epoch=2)
        for each in (first, first, second, second):
            assert await record.write([each]) == [Written(True, each.expected + 1)]
        assert await record.write([first]) == [Written(False, 2)], "someone came after it"
        assert await record.read("A") == Stored(2, second.row)


@in_loop
async def test_the_same_version_by_another_is_a_conflict(place: Place) -> None:
    """users.md 2.8. Two venues may have shards of the same name, so the row has to be the same, too."""
    async with opened(place) as record:
        await record.write([flush("A", 0, ("USD", 1))])
        others = [
            flush("A", 0, ("USD", 1), shard="S2"),
            flush("A", 0, ("USD", 1), epoch=2),
            flush("A", 0, ("USD", 2)),
            flush("A", 0, ("USD", 1), client="BRAVO"),
            flush("A", 0, ("USD", 1), references=("D1",)),
        ]
        assert [await record.write([each]) for each in others] == [[Written(False, 1)]] * len(others)
        assert await record.read("A") == Stored(1, Row("ALPHA", (("USD", 1),)))


@in_loop
async def test_one_conflict_leaves_the_others_of_its_batch_alone(place: Place) -> None:
    async with opened(place) as record:
        await record.write([flush(name, 0, ("USD", 1)) for name in "ABC"])
        batch = [
            flush("A", 1, ("USD", 2), epoch=2),
            flush("B", 7, ("USD", 2), epoch=2),
            flush("D", 0, ("USD", 2)),
            flush("C", 0, ("USD", 2), epoch=2),
            flush("E", 1, ("USD", 2)),
            flush("F", 0, ("USD", 2)),
        ]
        wanted = [(True, 2), (False, 1), (True, 1), (False, 1), (False, 0), (True, 1)]
        assert await record.write(batch) == wanted
        assert await record.totals() == {"USD": 2 + 1 + 2 + 1 + 2}


@in_loop
async def test_a_user_twice_in_a_batch_is_written_in_order(place: Place) -> None:
    async with opened(place) as record:
        batch = [
            flush("A", 0, ("USD", 1)),
            flush("B", 0, ("USD", 1)),
            flush("A", 1, ("USD", 2), epoch=2),
            flush("A", 1, ("USD", 3), epoch=3),
            flush("A", 2, ("USD", 4), epoch=4),
        ]
        wanted = [(True, 1), (True, 1), (True, 2), (False, 2), (True, 3)]
        assert await record.write(batch) == wanted
        assert await record.read("A") == Stored(3, batch[-1].row)


@in_loop
async def test_of_many_who_write_one_user_at_once_one_wins(place: Place) -> None:
    """users.md 2.8"""
    async with opened(place) as record:
        await record.write([flush("A")])
        for version in range(1, 20):
            writers = [[flush("A", version, ("USD", n), shard=f"S{n}", epoch=n)] for n in range(8)]
            found = await asyncio.gather(*map(record.write, writers))
            won = [each for (written,), each in zip(found, writers, strict=True) if written.done]
            assert [written.version for (written,) in found] == [version + 1] * 8
            assert len(won) == 1 and await record.read("A") == Stored(version + 1, won[0][0].row)


@in_loop
async def test_batches_that_cross_each_other_all_come_through(place: Place) -> None:
    """Each has all users, in another order, half of them new."""
    names = [f"U{number:03}" for number in range(100)]
    async with opened(place) as record:
        await record.write([flush(name) for name in names[::2]])

        async def write(shard: int) -> list[Written]:
            mixed = sorted(names, key=lambda name: hash((name, shard)))
            return await record.write(
                [flush(name, 1 - int(name[1:]) % 2, ("USD", 1), shard=f"S{shard}") for name in mixed]
            )

        found = await asyncio.gather(*map(write, range(8)))
        assert sum(written.done for each in found for written in each) == len(names)
        assert await record.totals() == {"USD": len(names)}


@in_loop
async def test_users_come_in_pages_in_order_of_bytes(place: Place) -> None:
    names = sorted(["a", "B", "_", "A", "A-1", "A.1", "AA", "Z", "z" * 64, "0", "~", " "])
    async with opened(place) as record:
        assert await record.users(None, "", 5) == {}
        await record.write([flush(name, 0, ("USD", 1), client="ab"[len(name) % 2]) for name in names])
        for most in (1, 3, 12, 100):
            found: list[str] = []
            while page := await record.users(None, found[-1] if found else "", most):
                assert len(page) <= most
                found += page
            assert found == names
        assert await record.users("c", "", 9) == {}
        assert list(await record.users("b", "A", 3)) == [n for n in names if len(n) % 2 and n > "A"][:3]
        assert list(await record.users("a", "", 99)) == [n for n in names if not len(n) % 2]
        assert await record.users(None, "AA", 1) == {"B": Stored(1, Row("b", (("USD", 1),)))}


@in_loop
async def test_pages_miss_no_one_who_was_there_while_others_come(place: Place) -> None:
    there = [f"U{number:03}" for number in range(0, 100, 2)]
    async with opened(place) as record:
        await record.write([flush(name) for name in there])
        found: list[str] = []
        for number in range(1, 100, 2):
            page = await record.users("ALPHA", found[-1] if found else "", 3)
            found += page
            await record.write([flush(f"U{number:03}"), flush(f"T{number:03}")])
        while page := await record.users("ALPHA", found[-1], 3):
            found += page
        assert found == sorted(set(found)) and set(there) <= set(found)


@in_loop
async def test_a_user_whose_client_changes_is_listed_once(place: Place) -> None:
    async with opened(place) as record:
        await record.write([flush("A")])
        await record.write([flush("A", 1, client="BRAVO", epoch=2)])
        assert await record.users("ALPHA", "", 9) == {}
        assert await record.users("BRAVO", "", 9) == {"A": Stored(2, Row("BRAVO", ()))}


@in_loop
async def test_totals_are_exact_beyond_64_bits_and_of_one_moment(place: Place) -> None:
    names = [f"U{number:04}" for number in range(2500)]
    async with opened(place) as record:
        assert await record.totals() == {}
        await record.write([flush(name, 0, ("BTC", MOST), ("EUR", 0)) for name in names])
        assert await record.totals() == {"BTC": MOST * len(names), "EUR": 0}

        async def move(version: int) -> None:
            """All of the last to the first, or back: one moment has it once."""
            there = MOST if version % 2 else 0
            batch = [(names[0], MOST - there), (names[-1], there)]
            await record.write([flush(name, version, ("BTC", n), epoch=9) for name, n in batch])

        await record.write([flush(names[0], 1, ("BTC", 0)), flush(names[-1], 1, ("BTC", MOST))])
        for version in range(2, 12):
            totals, _ = await asyncio.gather(record.totals(), move(version))
            assert totals["BTC"] == MOST * (len(names) - 1)


@in_loop
async def test_what_was_written_is_there_after_reopening(place: Place) -> None:
    async with opened(place) as record:
        await record.write([flush("A", 0, ("USD", 1))])
    async with opened(place) as record:
        assert await record.write([flush("A", 0, ("USD", 1)), flush("A", 1, ("USD", 2))]) == [
            (True, 1),
            (True, 2),
        ]
        assert await record.totals() == {"USD": 2}


@in_loop
async def test_it_is_known_by_an_identity_of_its_own(place: Place) -> None:
    async with opened(place) as record:
        identity = await record.identity()
        await record.write([flush("A")])
    async with opened(place) as record:
        assert identity and await record.identity() == identity
    async with opened(place.another()) as record:
        assert await record.identity() != identity


@in_loop
async def test_after_its_end_everything_is_refused_in_words(place: Place) -> None:
    record = place.make()
    await record.write([flush("A")])
    begun = [asyncio.create_task(record.read("A")) for _ in range(3)]
    await asyncio.sleep(0)
    await record.close()
    for each in await asyncio.gather(*begun, return_exceptions=True):
        assert each == Stored(1, Row("ALPHA", ())) or isinstance(each, RecordError)
    await record.close()
    calls = [
        record.open(),
        record.read("A"),
        record.read_all(["A"]),
        record.write([flush("A", 1)]),
        record.users(None, "", 1),
        record.totals(),
    ]
    for call in calls:
        with pytest.raises(RecordError, match="is closed"):
            await call


@in_loop
async def test_a_record_that_was_never_used_can_be_closed(place: Place) -> None:
    await place.make().close()


@in_loop
async def test_names_that_no_one_can_have_are_unknown(place: Place) -> None:
    """What a client sends as Account(1) may be anything."""
    async with opened(place) as record:
        await record.write([flush("A")])
        for name in ["", "A\0", "\0", "Ä", "\udcff", "a" * 65, "A" * 100_000, "A\0" * 40]:
            assert await record.read(name) is None


@in_loop
async def test_what_cannot_be_kept_is_refused_in_words(place: Place) -> None:
    async with opened(place) as record:
        bad = [
            flush(""),
            flush("a" * 65),
            flush("A", client="Ä"),
            flush("A", 0, ("\0", 1)),
            flush("A", 0, ("USD", -1)),
            flush("A", 0, ("USD", MOST + 1)),
            flush("A", 0, ("USD", 1), ("USD", 1)),
            flush("A", references=("\0",)),
        ]
        for each in bad:
            with pytest.raises(RecordError, match=r"user '.*' cannot be written: ") as caught:
                await record.write([flush("GOOD"), each])
            assert not caught.value.passing
        assert await record.users(None, "", 9) == {}
