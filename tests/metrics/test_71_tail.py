"""Feature 71: what makes the slowest turns slow appears by name. Each is provoked from outside, in a venue
that is as users start it: a disk that is slow to say that it has written (a library before the C library's),
a client that reads its replay slowly, users who come into memory by the ten thousand, a snapshot."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.user_commands import Row
from engine.user_events import BeginDehydrate
from fixgw.metrics.buckets import percentile
from fixgw.metrics.page import Looker, Page, Span
from fixgw.metrics.table import (
    CAUSES,
    GC_PAUSE,
    LONG_REPLAY,
    LONG_TURN,
    SLOW_COMMIT,
    SLOW_FSYNC,
    SNAPSHOT,
)
from fixgw.record.lmdb import LmdbRecord
from tests.raw import BUY, RawClient, new_order
from tests.venue.floor import Floor, logged_on, running
from tests.venue.operating import fixgw

HERE = Path(__file__).parent
MS = 1_000_000


def page_of(venue: Floor) -> Page:
    looker = Looker(venue.data)
    page = looker.look()
    assert page is not None
    looker.close()
    return page


def wait_for(venue: Floor, kind: str, true: Callable[[Span], bool] = lambda _: True) -> Span:
    """Returns the first span of this kind of which that is so."""
    deadline = time.monotonic() + 30
    while True:
        spans = page_of(venue).spans()
        for each in spans:
            if each.kind == kind and true(each):
                return each
        assert time.monotonic() < deadline, f"no {kind}; there were {spans}"
        time.sleep(0.05)


def until(venue: Floor, true: Callable[[Page], bool]) -> Page:
    """A turn is counted when what it has made is sent: who reads it may be faster."""
    deadline = time.monotonic() + 30
    while not true(page := page_of(venue)):
        assert time.monotonic() < deadline, f"waited in vain; there were {page.spans()}"
        time.sleep(0.01)
    return page


def tail(venue: Floor, *more: object) -> str:
    done = fixgw("metrics", "tail", "--data", venue.data, *more)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def slow_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_the_shell: None) -> Path:
    """While this file exists the disk of a venue that is started now is slow."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    library = tmp_path / "slow_disk.so"
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(HERE / "slow_disk.c"), "-ldl"]
    subprocess.run(command, check=True)
    slow = tmp_path / "slow"
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("SLOW_DISK", str(slow))
    return slow


def test_71_a_slow_fsync_is_named_and_is_the_cause_of_the_long_turns(tmp_path: Path, slow_disk: Path) -> None:
    with running(tmp_path) as venue, logged_on(venue, "M1-USD", "ALPHA") as (alpha,):
        for number in range(200):
            alpha.new(f"a{number}", BUY, 1, "100.00")
            alpha.told(f"a{number}", "0")
        before = page_of(venue)
        slow_disk.touch()
        for number in range(10):
            alpha.new(f"s{number}", BUY, 1, "100.00")
            alpha.told(f"s{number}", "0")
        slow_disk.unlink()
        page = until(venue, lambda page: page.number("long_turn_causes", SLOW_FSYNC) >= 10)
        assert page.number("spans", SLOW_FSYNC) >= before.number("spans", SLOW_FSYNC) + 10
        fsync = wait_for(venue, SLOW_FSYNC, lambda span: span.duration > 60 * MS)
        turn = wait_for(venue, LONG_TURN, lambda span: span.begin + span.duration > fsync.begin)
        assert CAUSES[turn.detail] == SLOW_FSYNC
        assert turn.begin - MS < fsync.begin < fsync.begin + fsync.duration < turn.begin + turn.duration + MS
        assert abs(turn.begin - time.time_ns()) < 60 * 10**9
        cycles = page.histogram("cycle_seconds")
        assert percentile(cycles, 0.5) < 60 * MS < percentile(cycles, 0.999), "they are the tail"
        text = tail(venue)
    heading, causes = text.split("long turns, above 25.00 ms")
    assert any(line.split()[0] == "turn" for line in heading.splitlines() if line)
    assert [name in causes.split("\n\n")[0] for name in (SLOW_FSYNC, GC_PAUSE)] == [True, False]
    assert "longest in it: slow fsync" in text


def test_71_a_slow_commit_of_the_database_is_named(tmp_path: Path, slow_disk: Path) -> None:
    with running(tmp_path) as venue, logged_on(venue, "M1-USD", "ALPHA") as (alpha,):
        slow_disk.touch()
        alpha.new("a", BUY, 1, "100.00")
        alpha.told("a", "0")
        found = wait_for(venue, SLOW_COMMIT)
        slow_disk.unlink()
        assert found.duration > 60 * MS
        assert SLOW_COMMIT in tail(venue)


def test_71_a_long_replay_is_named(tmp_path: Path) -> None:
    """The client asks for everything again and again, more than the system holds, and reads nothing of it for
    more than a second. Each request begins before the one that waits, so that none is part of another."""
    orders, replays = 2500, 15
    with running(tmp_path, door={"resend_repeats": 100}) as venue:
        client = RawClient(venue.host, venue.port, "ALPHA", timeout=30)
        client.connect()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
        client.logon(reset=True)
        for number in range(orders):
            name = f"a{number:04}" + "x" * 40
            client.send(*new_order(name, BUY, 1, "100.00", symbol="M1-USD", account="ALPHA-1"))
            if number % 200 == 199:
                client.settle()
        client.settle()
        for first in range(replays + 1, 1, -1):
            client.send("2", [(7, first), (16, client.next_inbound - 1)])
        time.sleep(1.2)
        client.settle()
        found = wait_for(venue, LONG_REPLAY)
        assert orders - 2 * replays < found.detail <= orders and found.duration > 10**9
        assert f"{found.detail:,} messages" in tail(venue)
        client.logout()


@pytest.mark.slow
def test_71_a_garbage_collection_is_named(tmp_path: Path) -> None:
    """Users who come into memory are objects that the collector has to look at: it does so after 50,000."""
    users, most = 30_000, 200
    sections: dict[str, Any] = {
        "users": {"resident": 10**6, "idle_seconds": 86_400, "wait_seconds": 60},
        "snapshots": {"entries": 0},
    }
    with Floor(tmp_path, **sections) as venue:
        assert venue.terminate() == 0
        asyncio.run(fill(venue.data, users))
        venue.start()
        client = RawClient(venue.host, venue.port, "ALPHA", timeout=60)
        client.logon(reset=True)
        for number in range(users):
            order = new_order(f"a{number}", BUY, 1, "1.00", symbol="M1-USD", account=f"U{number:06}")
            client.send(*order)
            if number % most == most - 1:
                for _ in range(most):
                    assert client.receive()[150] == "0"
                if page_of(venue).number("spans", GC_PAUSE):
                    break
        found = wait_for(venue, GC_PAUSE)
        assert found.duration >= 4 * MS and found.detail == 0
        text = tail(venue)
        assert GC_PAUSE in text and "generation 0" in text
        client.logout()
        assert venue.terminate() == 0


async def fill(data: Path, users: int) -> None:
    """The record gets users with money."""
    record = LmdbRecord(data, 1 << 30)
    row = Row("ALPHA", (("BTC", 10**12), ("USD", 10**15)))
    for first in range(0, users, 2000):
        numbers = range(first, min(first + 2000, users))
        await record.write([BeginDehydrate(1, f"U{number:06}", "S1", 1, 0, row) for number in numbers])
    await record.close()


def test_71_a_snapshot_is_named(tmp_path: Path) -> None:
    with running(tmp_path, snapshots={"entries": 100}) as venue:
        found = wait_for(venue, SNAPSHOT)  # the markets alone are 100 entries
        assert found.detail >= 100 and found.duration > MS
        assert f"asked for at journal entry {found.detail}" in tail(venue)
        assert page_of(venue).number("snapshot_running") == 0


def test_the_tail_of_the_next_moments_leaves_out_what_was_before(tmp_path: Path) -> None:
    with running(tmp_path) as venue, logged_on(venue, "M1-USD", "ALPHA") as (alpha,):
        alpha.new("a", BUY, 1, "100.00")
        alpha.told("a", "0")
        text = tail(venue, "--seconds", 0.2)
        assert text.startswith("the last 0.2 s\n")
        turns = next(line for line in text.splitlines() if line.startswith("turn "))
        assert int(turns.split()[1]) < 5, "what came before is not of them"


def test_the_tail_of_a_venue_that_has_stopped_can_be_looked_at(tmp_path: Path) -> None:
    with running(tmp_path) as venue:
        pass
    assert "the venue does not run" in tail(venue)
    nothing = fixgw("metrics", "tail", "--data", tmp_path / "nothing")
    assert (nothing.returncode, "no numbers" in nothing.stderr) == (2, True)
