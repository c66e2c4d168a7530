"""What can happen to a file: a process that is killed, a bit that flips, no room, another release."""

from __future__ import annotations

import asyncio
import random
import stat
import subprocess
import sys
import time
from pathlib import Path

import lmdb
import pytest

from engine.user_commands import Row
from fixgw.record.record import Found, RecordError, Stored, Written
from tests.process import ROOT
from tests.record.kinds import MIB, Lmdb, flush, opened
from tests.record.writer import USERS

BALANCES = (("BTC", 7), ("USD", 123456))


def fill(place: Lmdb, *names: str) -> Found:
    async def write() -> Found:
        async with opened(place) as record:
            await record.write([flush(name, 0, *BALANCES) for name in names])
            return await record.users(None, "", 99)

    return asyncio.run(write())


def read(place: Lmdb, user: str = "A") -> Stored | None:
    async def look() -> Stored | None:
        async with opened(place) as record:
            return await record.read(user)

    return asyncio.run(look())


def failure(place: Lmdb, user: str = "A") -> str:
    """What is said when it is read."""
    with pytest.raises(RecordError) as caught:
        read(place, user)
    assert not caught.value.passing
    return str(caught.value)


def test_what_was_acknowledged_outlives_sigkill(tmp_path: Path) -> None:
    """Feature 34. A batch is there as a whole or not at all, and the next process goes on from there."""
    chance = random.Random(6)
    acknowledged = 0
    for _ in range(8):
        command = [sys.executable, "-m", "tests.record.writer", str(tmp_path)]
        writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(chance.random() / 10)
        writer.kill()
        said = [first, *writer.stdout.readlines()]
        whole = [line for line in said if line.endswith("\n")]
        assert whole, "it has begun"
        last = int(whole[-1].split()[1])
        assert last > acknowledged
        acknowledged = last
        assert versions(Lmdb(tmp_path)) in ({last}, {last + 1})


def versions(place: Lmdb) -> set[int]:
    async def look() -> set[int]:
        async with opened(place) as record:
            found = await record.users("ALPHA", "", 99)
            assert sorted(found) == USERS
            assert all(each.row.balances == (("USD", each.version),) for each in found.values())
            return {each.version for each in found.values()}

    return asyncio.run(look())


def test_every_flipped_bit_of_a_row_is_noticed(tmp_path: Path) -> None:
    """Also of its key: a user whose name was damaged must not be taken for one that is not known."""
    place = Lmdb(tmp_path)
    right = fill(place, "ALPHA-1", "BRAVO-1", "CHARLIE-1")
    path = tmp_path / "accounts.mdb"
    row = raw(path, b"BRAVO-1")
    whole = path.read_bytes()
    assert whole.count(row) == 1
    place_in_file = whole.index(row)
    for where in range(place_in_file, place_in_file + len(row)):
        damaged = bytearray(whole)
        damaged[where] ^= 1 << where % 8
        path.write_bytes(damaged)
        assert failure(place, "BRAVO-1").startswith(f"{path}: damaged: "), where
    path.write_bytes(whole)
    assert read(place, "BRAVO-1") == right["BRAVO-1"]


def raw(path: Path, name: bytes) -> bytes:
    """Key and value of a row, as they are beside each other in the file."""
    with lmdb.open(str(path), subdir=False, max_dbs=3) as environment:
        users = environment.open_db(b"users", create=False)
        with environment.begin() as transaction:
            return name + transaction.get(name, db=users)


def test_damage_in_one_row_is_no_other_user_s(tmp_path: Path) -> None:
    """Whoever is read, written or listed along with it; a sum cannot be had without it."""
    place = Lmdb(tmp_path)
    fill(place, "ALPHA-1", "BRAVO-1", "CHARLIE-1")
    path = tmp_path / "accounts.mdb"
    row = raw(path, b"BRAVO-1")
    path.write_bytes(path.read_bytes().replace(row, row[:-1] + b"\0"))

    async def look() -> None:
        async with opened(place) as record:
            written = await record.write(
                [flush(name, 1, ("USD", 5), epoch=2) for name in ("ALPHA-1", "BRAVO-1", "CHARLIE-1")]
            )
            assert written[::2] == [Written(True, 2)] * 2
            mine = Stored(2, Row("ALPHA", (("USD", 5),)))
            for found in (
                await record.read_all(["ALPHA-1", "BRAVO-1", "CHARLIE-1"]),
                await record.users(None, "", 9),
                await record.users("ALPHA", "", 9),
            ):
                assert found["ALPHA-1"] == found["CHARLIE-1"] == mine
                assert says_damage(found["BRAVO-1"])
            assert says_damage(written[1])
            with pytest.raises(RecordError, match="the checksum of user 'BRAVO-1' is wrong"):
                await record.totals()

    asyncio.run(look())


def says_damage(found: object) -> bool:
    return isinstance(found, RecordError) and "the checksum of user 'BRAVO-1' is wrong" in str(found)


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    fill(Lmdb(tmp_path), "A")
    path = tmp_path / "accounts.mdb"
    with lmdb.open(str(path), subdir=False, max_dbs=3) as environment:
        meta = environment.open_db(b"meta")
        with environment.begin(write=True) as transaction:
            transaction.put(b"format", b"7", db=meta)
    assert failure(Lmdb(tmp_path)) == (
        f"{path}: users of format 7, this release reads format 1; use the release that wrote it"
    )


@pytest.mark.parametrize("content", [b"", b"not a database" * 999])
def test_what_is_not_a_record_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "accounts.mdb"
    path.write_bytes(content)
    assert failure(Lmdb(tmp_path)).startswith(f"{path}: ")
    assert path.read_bytes() == content or not content


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    fill(Lmdb(tmp_path), *(f"U{number:04}" for number in range(500)))
    path = tmp_path / "accounts.mdb"
    path.write_bytes(path.read_bytes()[:8192])
    assert "damaged" in failure(Lmdb(tmp_path))


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert failure(Lmdb(tmp_path / "none")) == f"{tmp_path}/none/accounts.mdb: No such file or directory"


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    fill(Lmdb(tmp_path), "A")
    for name in ("accounts.mdb", "accounts.mdb-lock"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_full_file_refuses_new_users_whole_and_can_be_made_larger(tmp_path: Path) -> None:
    async def fill_up() -> int:
        done = 0
        async with opened(Lmdb(tmp_path, MIB // 4)) as record:
            with pytest.raises(RecordError) as caught:
                while True:
                    await record.write([flush(f"U{done + number:06}", 0, *BALANCES) for number in range(50)])
                    done += 50
            assert str(caught.value) == (
                f"{tmp_path}/accounts.mdb: the database is full; raise record.map_size_mib"
            )
            assert await record.totals() == {"BTC": 7 * done, "USD": 123456 * done}
        return done

    async def go_on(done: int) -> None:
        async with opened(Lmdb(tmp_path, MIB)) as record:
            assert await record.write([flush(f"U{done:06}")]) == [Written(True, 1)]

    done = asyncio.run(fill_up())
    assert done > 0
    asyncio.run(go_on(done))


def test_two_processes_on_one_file_do_not_undo_each_other(tmp_path: Path) -> None:
    """users.md 2.8. The other writes all the time; of each version one of the two wins."""
    command = [sys.executable, "-m", "tests.record.writer", str(tmp_path)]
    other = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline() == "acknowledged 1\n"

    async def write() -> Stored:
        async with opened(Lmdb(tmp_path)) as record:
            while True:
                stored = await record.read(USERS[0])
                assert stored is not None
                [written] = await record.write([flush(USERS[0], stored.version, ("USD", 0), shard="S2")])
                if written.done:
                    assert written.version == stored.version + 1
                    found = await record.read(USERS[0])
                    assert found is not None
                    return found

    won = asyncio.run(write())
    _, errors = other.communicate()
    assert "AssertionError" in errors, "the other was told"
    assert won.row.balances == (("USD", 0),) and read(Lmdb(tmp_path), USERS[0]) == won
