"""The tail: whatever moment the power goes, every finished cycle is there and no other."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from fixgw.store.failures import StoreError
from fixgw.store.store import CLEAN, Store
from fixgw.store.tail import BLOCK, SIZE, Tail

MIB = 1 << 20
OWNER = bytes(range(16))
Content = dict[bytes, bytes]


def content(store: Store) -> Content:
    with store.read() as transaction, transaction.cursor(db=store.outbox) as cursor:
        return dict(cursor)


def cycle(store: Store, chance: random.Random, kept: Content) -> None:
    """Writes and deletes a little, as a cycle does."""
    with store.cycle() as transaction:
        for _ in range(chance.randint(1, 6)):
            key, value = chance.randbytes(1), chance.randbytes(chance.choice((5, 200, 9000)))
            if chance.random() < 0.3:
                assert transaction.delete(key, db=store.outbox) == (kept.pop(key, None) is not None)
            else:
                transaction.put(key, value, db=store.outbox)
                kept[key] = value
        inserted = transaction.put(b"once", b"1", overwrite=False, db=store.outbox)
        assert inserted == ("once" not in map(bytes.decode, kept.keys() & {b"once"}))
        kept[b"once"] = b"1"


def power_cut(store: Store, into: Path) -> Path:
    """The files as they are on disk between two cycles."""
    into.mkdir()
    for name in ("venue.mdb", "tail"):
        shutil.copy(store.directory / name, into / name)
    return into


@pytest.mark.parametrize("seed", range(4))
def test_a_power_cut_loses_no_finished_cycle(tmp_path: Path, seed: int) -> None:
    """Feature 20, at every moment between two cycles, with commits in between."""
    chance = random.Random(seed)
    (tmp_path / "live").mkdir()
    store, kept = Store(tmp_path / "live", 64 * MIB), Content()
    for number in range(60):
        cycle(store, chance, kept)
        if chance.random() < 0.15:
            store.commit()
        assert content(store) == kept
        copy = Store(power_cut(store, tmp_path / f"{number}"), 64 * MIB)
        assert content(copy) == kept
        copy.close()
        shutil.rmtree(tmp_path / f"{number}")
        if chance.random() < 0.1:
            store.close()
            store = Store(tmp_path / "live", 64 * MIB)


def test_a_cycle_that_was_torn_was_never_finished(tmp_path: Path) -> None:
    """Whatever part of its record reached the disk."""
    chance = random.Random(5)
    (tmp_path / "live").mkdir()
    store, kept = Store(tmp_path / "live", 64 * MIB), Content()
    for _ in range(5):
        cycle(store, chance, kept)
    before, tail_before = dict(kept), (tmp_path / "live" / "tail").read_bytes()
    cycle(store, chance, kept)
    tail_after = (tmp_path / "live" / "tail").read_bytes()
    changed = [offset for offset in range(SIZE) if tail_before[offset] != tail_after[offset]]
    for number, torn in enumerate(range(changed[0], changed[-1] + 1, 499)):
        directory = power_cut(store, tmp_path / f"{number}")
        (directory / "tail").write_bytes(tail_after[:torn] + tail_before[torn:])
        copy = Store(directory, 64 * MIB)
        assert content(copy) == before, f"the first {torn} bytes of the tail are new"
        copy.close()
        shutil.rmtree(directory)


def test_the_tail_is_too_small_for_a_cycle(tmp_path: Path) -> None:
    store = Store(tmp_path, 64 * MIB)
    with store.cycle() as transaction:
        transaction.put(b"large", bytes(SIZE), db=store.outbox)
    store.close()
    assert content(Store(tmp_path, 64 * MIB)) == {b"large": bytes(SIZE)}


def test_a_record_that_is_broken_before_others_is_damage(tmp_path: Path) -> None:
    tail = Tail.make(tmp_path / "tail", OWNER)
    tail.begin(7)
    for number in range(3):
        assert tail.append(b"%d" % number * 5000)
    data = bytearray((tmp_path / "tail").read_bytes())
    data[3 * BLOCK + 100] ^= 1
    (tmp_path / "tail").write_bytes(data)
    with pytest.raises(StoreError, match="the tail is damaged: record 1 after commit 7 is broken"):
        list(tail.records(7))


def test_records_of_another_commit_are_not_seen(tmp_path: Path) -> None:
    tail = Tail.make(tmp_path / "tail", OWNER)
    for commit, count in ((1, 5), (2, 2)):
        tail.begin(commit)
        for number in range(count):
            assert tail.append(b"%d/%d" % (commit, number))
    assert list(tail.records(2)) == [b"2/0", b"2/1"]
    assert list(tail.records(3)) == []


def test_it_goes_on_after_what_it_holds(tmp_path: Path) -> None:
    tail = Tail.make(tmp_path / "tail", OWNER)
    tail.begin(1)
    assert tail.append(b"first")
    tail.close()
    tail = Tail(tmp_path / "tail", OWNER)
    assert list(tail.records(1)) == [b"first"]
    assert tail.append(b"second")
    assert list(tail.records(1)) == [b"first", b"second"]
    while tail.append(bytes(SIZE // 8)):
        pass
    assert tail.half_full


BAD_TAILS = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "zeros": lambda path: path.write_bytes(bytes(SIZE)),
    "shorter": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "another store's": lambda path: Tail.make(path, OWNER).close(),
}


@pytest.mark.parametrize("how", BAD_TAILS)
@pytest.mark.parametrize("clean", [False, True])
def test_a_tail_that_is_not_the_stores_own(tmp_path: Path, how: str, clean: bool) -> None:
    """Refused where it may have held what was acknowledged last; made anew after a clean stop."""
    store = Store(tmp_path, 64 * MIB)
    with store.write() as transaction:
        transaction.put(b"first", b"1", db=store.outbox)
    with store.cycle() as transaction:
        transaction.put(b"last", b"1", db=store.outbox)
    if clean:
        with store.write() as transaction:
            transaction.put(CLEAN, b"1 x", db=store.meta)
    store.close()
    BAD_TAILS[how](tmp_path / "tail")
    if clean:
        assert b"last" in content(Store(tmp_path, 64 * MIB))
        return
    with pytest.raises(StoreError, match="what was acknowledged last may be there only"):
        Store(tmp_path, 64 * MIB)


def test_a_tail_without_its_database_is_not_begun_anew(tmp_path: Path) -> None:
    Store(tmp_path, 64 * MIB).close()
    (tmp_path / "venue.mdb").unlink()
    with pytest.raises(StoreError, match="is missing, but there is a tail"):
        Store(tmp_path, 64 * MIB)
