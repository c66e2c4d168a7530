"""The store: what is written is found, what is damaged or someone else's is refused in words."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.commands import SetState
from engine.events import Event, StateSet
from engine.words import HALTED
from fixgw.store import journal
from fixgw.store.days import Days
from fixgw.store.directory import DirectoryLock
from fixgw.store.failures import StoreError
from fixgw.store.keys import clordid_key, number_key, outbox_key, outbox_number, outbox_prefix
from fixgw.store.outbox import DamagedReport, put, records, sweep
from fixgw.store.store import FORMAT, MAX_TABLES, Store

MIB = 1 << 20


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, 64 * MIB)


def test_a_cl_ord_id_is_spent_once_a_day(store: Store) -> None:
    """Features 10 and 11."""
    days = Days(store, kept=1)
    with store.write() as transaction:
        days.open(transaction, "2026-11-30")
        assert days.spend(transaction, clordid_key("ALPHA", "C1"), 1)
        assert not days.spend(transaction, clordid_key("ALPHA", "C1"), 2)
        assert days.spend(transaction, clordid_key("BRAVO", "C1"), 3)
        days.open(transaction, "2026-12-01")
        assert days.spend(transaction, clordid_key("ALPHA", "C1"), 4)
        assert days.spent_at(transaction, "BRAVO", "C1") == 3, "a kept day is still searched"


def test_to_ask_for_an_id_does_not_spend_it(store: Store) -> None:
    days = Days(store, kept=1)
    with store.write() as transaction:
        days.open(transaction, "2026-11-30")
        key = clordid_key("ALPHA", "C1")
        assert not days.is_spent(transaction, key)
        assert days.spend(transaction, key, 1)
        assert days.is_spent(transaction, key)
        days.open(transaction, "2026-12-01")
        assert not days.is_spent(transaction, key)


def test_room_of_a_dropped_day_is_used_again(tmp_path: Path) -> None:
    """Feature 15: days whose ids would fill a small store several times, and then more days than a store
    may have tables."""
    store = Store(tmp_path, 2 * MIB)
    days = Days(store, kept=1)
    for number in range(MAX_TABLES // 2 + 88):
        with store.write() as transaction:
            days.open(transaction, f"{2026 + number // 365}-{number % 365:03}")
            for order in range(5000 if number < 20 else 1):
                assert days.spend(transaction, clordid_key("ALPHA", f"{order:06}"), order + 1)
    with store.read() as transaction:
        tables = store.table_names(transaction)
    assert sum(name.startswith("clordids/") for name in tables) == 2
    store.close()


def test_a_day_is_dropped_whole(store: Store) -> None:
    """Feature 15."""
    days = Days(store, kept=1)
    with store.write() as transaction:
        for day in ("2026-11-29", "2026-11-30", "2026-12-01"):
            days.open(transaction, day)
            days.spend(transaction, clordid_key("ALPHA", day), 1)
            days.end_order(transaction, int(day[-2:]), "2", 7)
        assert days.spent_at(transaction, "ALPHA", "2026-11-29") is None
        assert days.ended(transaction, 29) is None
        assert days.spent_at(transaction, "ALPHA", "2026-11-30") == 1
        assert days.ended(transaction, 30) == (7, "2")
    names = {bytes(key) for key in store.environment.begin().cursor().iternext(values=False)}
    assert b"clordids/2026-11-29" not in names


def test_outbox_keys_sort_by_session_generation_and_number(store: Store) -> None:
    prefix = outbox_prefix("ALPHA")
    keys = [outbox_key(prefix, generation, number) for generation in (0, 1) for number in (1, 255, 256)]
    assert keys == sorted(keys)
    assert [outbox_number(key) for key in keys][:3] == [(0, 1), (0, 255), (0, 256)]
    assert not outbox_key(outbox_prefix("ALPHA2"), 0, 1).startswith(prefix)


def test_a_reset_hides_earlier_records_and_a_sweep_deletes_them(store: Store) -> None:
    prefix = outbox_prefix("ALPHA")
    with store.write() as transaction:
        for generation in (0, 1):
            for number in range(1, 6):
                assert put(store, transaction, outbox_key(prefix, generation, number), b"x")
        other = outbox_key(outbox_prefix("BRAVO"), 0, 1)
        transaction.put(other, b"x", db=store.outbox)
        assert [number for number, _ in records(store, transaction, prefix, 1, 2, 9)] == [2, 3, 4, 5]
        assert sweep(store, transaction, prefix, 1, 3) == 3
        assert sweep(store, transaction, prefix, 1, 3) == 2
        assert list(records(store, transaction, prefix, 0, 1, 99)) == []
        assert len(list(records(store, transaction, prefix, 1, 1, 99))) == 5
        assert transaction.get(other, db=store.outbox) == b"x"


def test_a_damaged_report_is_noticed(store: Store) -> None:
    prefix = outbox_prefix("ALPHA")
    key = outbox_key(prefix, 0, 7)
    with store.write() as transaction:
        assert put(store, transaction, key, b"8\x01time\x0144=12345.00\x01")
        assert not put(store, transaction, key, b"8\x01time\x01another\x01")
        value = transaction.get(key, db=store.outbox)
        assert value is not None
        transaction.put(key, value.replace(b"12345", b"92345"), db=store.outbox)
        with pytest.raises(DamagedReport, match="report 7 of session ALPHA is damaged"):
            list(records(store, transaction, prefix, 0, 1, 9))


def test_every_flipped_bit_of_a_journal_entry_is_noticed() -> None:
    kept = journal.Entry(SetState(1, "BTC-USD", HALTED), 9, [StateSet(1, "BTC-USD", HALTED)])
    entry = journal.encode_entry(7, kept)
    assert journal.decode_entry(7, entry) == kept
    for bit in range(len(entry) * 8):
        damaged = bytearray(entry)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(StoreError, match="journal entry 7"):
            journal.decode_entry(7, bytes(damaged))
    with pytest.raises(StoreError, match="journal entry 8"):
        journal.decode_entry(8, entry)


def test_the_output_log_is_read_from_any_event_on(store: Store) -> None:
    number = 1
    with store.write() as transaction:
        for sequence in range(1, 30):
            events: list[Event] = [StateSet(sequence, "", HALTED)] * (sequence % 4 + 1)
            entry = journal.Entry(SetState(sequence, "", HALTED), number, events)
            journal.append(store, transaction, sequence, entry)
            number += len(events)
        for first in range(1, number + 2):
            found = [n for n, _ in journal.events(store, transaction, first)]
            assert found == list(range(first, number))
        assert [n for n, _ in journal.entries(store, transaction, 28)] == [28, 29]


def test_a_missing_entry_is_noticed(store: Store) -> None:
    entry = journal.Entry(SetState(1, "", HALTED), 1, [])
    with store.write() as transaction:
        for sequence in (1, 2, 4):
            journal.append(store, transaction, sequence, entry)
        with pytest.raises(StoreError, match="journal entry 3 is missing"):
            list(journal.entries(store, transaction))


def test_another_format_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path, 64 * MIB)
    with store.write() as transaction:
        transaction.put(b"format", b"99", db=store.meta)
    store.close()
    with pytest.raises(StoreError, match=f"format 99, this release reads format {FORMAT}"):
        Store(tmp_path, 64 * MIB)


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "venue.mdb").write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match=r"venue\.mdb: damaged or not a store"):
        Store(tmp_path, 64 * MIB)


def test_a_shortened_file_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path, 64 * MIB)
    with store.write() as transaction:
        for number in range(2000):
            transaction.put(number_key(number), b"x" * 500, db=store.outbox)
    store.close()
    path = tmp_path / "venue.mdb"
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(StoreError, match=r"damaged: \d+ bytes long where"):
        Store(tmp_path, 64 * MIB)


def test_a_directory_in_use_by_another_process_is_refused(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from fixgw.store.directory import DirectoryLock\n"
            "lock = DirectoryLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()",
            str(tmp_path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(StoreError, match=f"in use by another venue, process {holder.pid}"):
        DirectoryLock(tmp_path)
    holder.kill()
    holder.communicate()
    DirectoryLock(tmp_path).release()


def test_no_other_user_can_read_what_is_in_it(tmp_path: Path) -> None:
    """Whatever the umask says, and also what an earlier venue left open."""
    mask = os.umask(0)
    try:
        lock = DirectoryLock(tmp_path)
        Store(tmp_path, 1 << 22).close()
        lock.release()
    finally:
        os.umask(mask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("lock", "tail", "venue.mdb", "venue.mdb-lock"), 0o600)
