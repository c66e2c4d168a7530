"""A start from a snapshot and the journal after it: feature 65."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import lmdb
import msgspec
import pytest
import yaml

from engine.commands import SetKill
from engine.events import Execution
from fixgw.admin.words import Reload
from fixgw.snapshots import files
from fixgw.store import journal
from fixgw.store.keys import number_key
from tests.process import ROOT
from tests.raw import BUY
from tests.snapshots.busy import SETTINGS, cut, read_only, recovered, snapshots
from tests.venue.floor import CANCELED, IOC, NEW, Floor, logged_on, running
from tests.venue.operating import done, fixgw
from tests.venue.test_users_kill import burst
from tests.venue.trader import Trader
from tests.venue.users import CLIENTS, QUICK, money, wait_for


def make(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return fixgw("snapshot", "--data", data, *words)


def made(data: Path) -> int:
    """Makes one, and returns its journal sequence."""
    said = make(data)
    assert (said.returncode, said.stderr) == (0, ""), said
    [newest, *_] = snapshots(data)
    assert f"journal entry {newest}" in said.stdout
    return newest


def last_entry(data: Path) -> int:
    return recovered(data).sequence


def started(venue: Floor) -> tuple[str, str]:
    """(its state as the ready line has it, what it wrote), of a start that is stopped again."""
    with venue:
        state = venue.ready_line.split("state=")[1].split()[0]
        assert venue.terminate() == 0
    return state, venue.errors


def test_65_a_start_from_a_snapshot_has_the_state_of_one_that_replays_all(venue: Floor) -> None:
    sequence = made(venue.data)
    assert sequence == last_entry(venue.data)
    from_snapshot, _ = started(venue)
    shutil.rmtree(venue.data / "snapshots")
    assert started(venue)[0] == from_snapshot


def test_65_a_snapshot_at_any_position_and_the_rest_of_the_journal_give_the_same(
    stopped: Floor, tmp_path: Path
) -> None:
    """With a mass cancel, moves and writes under way."""
    full = recovered(stopped.data)
    digest, last = full.venue.digest(), full.sequence
    with read_only(stopped.data) as store, store.read() as transaction:
        kinds = [type(entry.command).__name__ for _, entry in journal.entries(store, transaction)]
    within = {
        kinds.index(kind) + 1 for kind in ("CancelMany", "ContinueMany", "MoveWave", "SetShard", "MoveUsers")
    }
    within |= {kinds.index("SweepUsers") + 1, kinds.index("FlushComplete") + 1, kinds.index("Deposit") + 1}
    for at in sorted(within | set(range(last // 8, last, last // 8))):
        data = cut(stopped.data, tmp_path / f"{at}", at)
        assert made(data) == at
        shutil.copy(stopped.data / "venue.mdb", data / "venue.mdb")
        again = recovered(data)
        assert (again.venue.digest(), again.sequence) == (digest, last)
        assert (again.replayed, again.event_sequence) == (last - at, full.event_sequence)


def test_65_the_snapshot_of_a_mass_cancel_has_it_under_way(stopped: Floor, tmp_path: Path) -> None:
    """So that the test above is about that, too."""
    with read_only(stopped.data) as store, store.read() as transaction:
        at = next(
            number
            for number, entry in journal.entries(store, transaction)
            if type(entry.command).__name__ == "CancelMany"
        )
    venue = recovered(cut(stopped.data, tmp_path / "cut", at)).venue
    assert venue.canceling and venue.live_orders and venue.to_move


def test_a_snapshot_is_made_again_only_of_what_is_new(venue: Floor) -> None:
    sequence = made(venue.data)
    again = make(venue.data)
    assert (again.returncode, again.stdout) == (0, f"nothing new since journal entry {sequence}\n")


def test_there_is_nothing_to_make_one_of(tmp_path: Path) -> None:
    said = make(tmp_path)
    assert said.returncode == 2
    assert said.stderr == f"fixgw snapshot: {tmp_path}: holds no venue's data (there is no venue.mdb in it)\n"
    assert not list(tmp_path.iterdir())


@pytest.fixture
def two(venue: Floor, stopped: Floor, tmp_path: Path) -> Floor:
    """With an old snapshot and one of all that there is."""
    made(cut(stopped.data, tmp_path / "cut", 200))
    shutil.copytree(tmp_path / "cut" / "snapshots", venue.data / "snapshots")
    made(venue.data)
    assert snapshots(venue.data)[1:] == [200]
    return venue


def flip(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def not_to_be_read(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (flip, "is damaged: its checksum is wrong"),
        (halve, "is damaged: its checksum is wrong"),
        (empty, "is damaged: its checksum is wrong"),
        (not_to_be_read, "Is a directory"),
    ],
)
def test_65_when_a_snapshot_is_damaged_the_one_before_it_is_taken(
    two: Floor, stopped: Floor, damage: object, said: str
) -> None:
    newest = files.found(two.data)[0]
    damage(newest)  # type: ignore[operator]
    state, errors = started(two)
    assert f"{newest}: {said}; the one before it is taken" in errors
    shutil.rmtree(two.data / "snapshots")
    assert started(two)[0] == state
    assert recovered(stopped.data).venue.digest().startswith(state)


def test_65_when_all_are_damaged_all_is_replayed_and_a_new_one_can_be_made(two: Floor) -> None:
    for path in files.found(two.data):
        flip(path)
    _, errors = started(two)
    assert errors.count("is damaged: its checksum is wrong") == 2
    said = make(two.data)
    assert said.returncode == 0 and "entries replayed and compared" in said.stdout
    assert "is damaged" not in started(two)[1]


def test_a_folder_that_is_empty_or_has_something_else_in_it(venue: Floor) -> None:
    folder = venue.data / "snapshots"
    folder.mkdir()
    before, errors = started(venue)
    (folder / "00000000000000000007.new").write_bytes(b"left behind")
    (folder / "notes.txt").write_text("mine")
    after, _ = started(venue)
    assert (after, "snapshot" in errors) == (before, False)
    made(venue.data)
    assert sorted(path.suffix for path in folder.iterdir()) == [".snapshot", ".txt"]


def test_a_snapshot_of_another_venue_is_not_taken(venue: Floor, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with running(tmp_path / "x", clients=CLIENTS) as other:
        assert other.terminate() == 0
        made(other.data)
        shutil.copytree(other.data / "snapshots", venue.data / "snapshots")
        other.start()
    [foreign] = files.found(venue.data)
    state, errors = started(venue)
    assert f"{foreign}: is of another venue's store; the one before it is taken" in errors
    assert recovered(venue.data).venue.digest().startswith(state)


def test_a_snapshot_that_is_newer_than_the_journal_is_passed_over(stopped: Floor, tmp_path: Path) -> None:
    """An older copy of the data was put back, and the journal has gone on otherwise since."""
    data = shutil.copytree(stopped.data, tmp_path / "data")
    newest = made(data)
    older = cut(stopped.data, tmp_path / "older", 1000)
    shutil.copytree(data / "snapshots", older / "snapshots")
    said = make(older)
    assert said.returncode == 0
    assert "is passed over: the journal ends at entry 1000" in said.stderr
    assert snapshots(older) == [1000]
    shutil.copytree(data / "snapshots", older / "snapshots", dirs_exist_ok=True)
    assert snapshots(older) == [newest, 1000]
    grow(older, newest + 5)
    said = make(older)
    assert said.returncode == 0, said
    assert f"is passed over: journal entry {newest} is another one now" in said.stderr
    assert f"{newest + 5 - 1000} entries replayed and compared" in said.stdout


def grow(data: Path, sequence: int) -> None:
    """The journal goes on to there, with something else than before."""
    again = recovered(data)
    venue, number = again.venue, again.event_sequence + 1
    with lmdb.open(str(data / "venue.mdb"), subdir=False, max_dbs=64, map_size=1 << 30) as environment:
        table = environment.open_db(b"journal")
        with environment.begin(write=True) as transaction:
            for each in range(again.sequence + 1, sequence + 1):
                command = SetKill(1, "client", "NO-ONE", each % 2 == 0)
                events = venue.apply(each, command)
                entry = journal.Entry(command, number, events)
                transaction.put(number_key(each), journal.encode_entry(each, entry), db=table)
                number += len(events)


def tamper(data: Path) -> int:
    """One event of the journal says something else than what came of its command; its checksum is right."""
    with read_only(data) as store, store.read() as transaction:
        number, entry = next(
            (number, entry)
            for number, entry in journal.entries(store, transaction, 300)
            if any(isinstance(event, Execution) for event in entry.events)
        )
    events = [
        msgspec.structs.replace(event, leaves_quantity=event.leaves_quantity + 1)
        if isinstance(event, Execution)
        else event
        for event in entry.events
    ]
    body = journal.encode_entry(number, msgspec.structs.replace(entry, events=events))
    with lmdb.open(str(data / "venue.mdb"), subdir=False, max_dbs=64, map_size=1 << 30) as environment:
        table = environment.open_db(b"journal")
        with environment.begin(write=True) as transaction:
            transaction.put(number_key(number), body, db=table)
    return number


def test_a_journal_that_does_not_give_what_it_gave_before_is_noticed(venue: Floor) -> None:
    number = tamper(venue.data)
    said = make(venue.data)
    assert said.returncode == 2
    assert said.stderr == (
        f"fixgw snapshot: the events of journal entry {number} differ from what comes of it now: "
        "it was written by a release that decides otherwise\n"
    )
    assert not snapshots(venue.data)


def test_a_snapshot_that_cannot_be_written_is_said_in_words(venue: Floor) -> None:
    path = venue.data / "snapshots" / f"{last_entry(venue.data):020d}.new"
    path.mkdir(parents=True)
    said = make(venue.data)
    assert (said.returncode, said.stderr) == (1, f"fixgw snapshot: {path}: Is a directory\n")


def test_65_snapshots_are_made_as_the_journal_grows_and_a_start_goes_on_from_the_last(tmp_path: Path) -> None:
    """By the venue itself, while it trades: some stay, and the state is that of a replay."""

    settings = {
        "users": QUICK | {"resident": 10},
        "clients": CLIENTS,
        "snapshots": {"entries": 50, "keep": 2},
    }
    chance = random.Random(7)
    with running(tmp_path, **settings) as venue:  # type: ignore[arg-type]
        traders = [Trader("127.0.0.1", venue.port, name) for name in ("ALPHA", "BRAVO")]
        for trader in traders:
            trader.recover(venue.port)
        seen: set[int] = set()
        while len(seen) < 4:
            for trader in traders:
                burst(trader, chance)
                trader.fence()
            seen |= set(snapshots(venue.data))
            assert len(snapshots(venue.data)) <= 3
        for trader in traders:
            trader.close()
        wait_for(lambda: venue.status()["users"].endswith(" 0 orders wait"), "all to be decided")
        had = money(venue)
        venue.kill9()
        newest = snapshots(venue.data)[0]
        venue.start()
        wait_for(lambda: "entries replayed" in venue.errors, "it to say so")
        replayed = int(venue.errors.split("the last stop was not clean; ")[1].split()[0])
        assert replayed < newest
        assert money(venue) == had
        assert venue.terminate() == 0
        from_snapshot = recovered(venue.data)
        shutil.rmtree(venue.data / "snapshots")
        all_of_it = recovered(venue.data)
        assert from_snapshot.venue.digest() == all_of_it.venue.digest()
        assert from_snapshot.replayed < all_of_it.replayed == all_of_it.sequence
        venue.start()
        assert money(venue) == had


def test_65_kills_of_the_snapshotter_and_of_the_venue_while_one_is_made(venue: Floor) -> None:
    """What is there under a snapshot's name is whole, whenever a process dies."""
    for delay in (0.05, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8):
        process = subprocess.Popen(
            [sys.executable, "-m", "fixgw", "snapshot", "--data", str(venue.data)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for path in files.found(venue.data):
            with read_only(venue.data) as store, store.read() as transaction:
                owner = transaction.get(b"id", db=store.meta)
            assert owner is not None
            files.read(path, owner)
            path.unlink()
    made(venue.data)
    assert [path.suffix for path in (venue.data / "snapshots").iterdir()] == [".snapshot"]


def test_one_is_made_at_a_time(venue: Floor) -> None:
    with files.one_at_a_time(venue.data):
        said = make(venue.data)
    assert (said.returncode, said.stderr) == (1, "fixgw snapshot: another one is being made\n")


@pytest.fixture
def eager(tmp_path: Path, stopped: Floor) -> Iterator[Floor]:
    """A copy of the busy venue that has a snapshot made with every entry."""
    shutil.copytree(stopped.data, tmp_path / "data")
    with Floor(tmp_path, **SETTINGS, snapshots={"entries": 1}) as venue:  # type: ignore[arg-type]
        yield venue
        assert venue.terminate() == 0


def test_the_venue_trades_on_when_its_journal_does_not_give_what_it_gave(venue: Floor) -> None:
    """And says so, once: from then on no snapshot is made on which a start would rely."""
    made(venue.data)
    number = tamper(venue.data)  # before the snapshot, so that a start does not notice
    settings = yaml.safe_load(venue.config.read_text())
    settings["snapshots"]["entries"] = 1
    with venue:
        shutil.rmtree(venue.data / "snapshots")
        venue.config.write_text(yaml.safe_dump(settings))
        done(venue, Reload())
        with logged_on(venue, "M9-USD", "CHARLIE") as (one,):
            one.new("a", BUY, "1", "100")
            one.told("a", NEW)
            said = "no more snapshots are made until the next start: "
            wait_for(lambda: said in venue.errors, "the venue to notice")
            assert f"the events of journal entry {number} differ" in venue.errors
            one.cancel("c", "a")
            one.told("c", CANCELED)
        assert not snapshots(venue.data)
        assert venue.terminate() == 0


def test_a_snapshotter_that_is_killed_is_started_again(eager: Floor) -> None:
    """It dies, say, for want of memory: then the next one is made."""
    kill_the_snapshotter(eager)
    wait_for(lambda: "no snapshot was made: its process ended with -9" in eager.errors, "the venue to notice")
    with logged_on(eager, "M9-USD", "CHARLIE") as (one,):
        for number in range(1000):
            one.new(f"a{number}", BUY, "1", "100", time_in_force=IOC)
            one.told(f"a{number}", NEW)
            one.told(f"a{number}", CANCELED)
            if snapshots(eager.data):
                break
        wait_for(lambda: snapshots(eager.data), "a snapshot")


def test_the_snapshotter_ends_with_its_venue(eager: Floor) -> None:
    """In good order; who follows a venue that was killed comes to its end by itself."""
    pid = wait_for(lambda: snapshotter(eager), "a snapshotter")
    assert eager.terminate() == 0
    assert "Traceback" not in eager.errors
    wait_for(lambda: not Path(f"/proc/{pid}").exists(), "its end")
    eager.start()
    wait_for(lambda: snapshotter(eager), "a snapshotter")
    eager.kill9()
    eager.start()
    wait_for(lambda: snapshots(eager.data), "a snapshot")


def snapshotter(venue: Floor) -> int:
    """The process that makes a snapshot for the venue now; 0 if there is none."""
    children = Path(f"/proc/{venue.pid}/task/{venue.pid}/children").read_text().split()
    for child in children:
        try:
            if b"snapshot" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return 0


def kill_the_snapshotter(venue: Floor) -> None:
    os.kill(wait_for(lambda: snapshotter(venue), "a snapshotter"), signal.SIGKILL)
