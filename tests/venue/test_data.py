"""What `fixgw serve` will not start on in its data directory: one line in words, exit code 2, no traceback,
nothing changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import lmdb
import msgspec
import pytest
import yaml

from fixgw.store.journal import decode_entry, encode_entry
from tests.process import CONFIG, VenueProcess
from tests.raw import BUY
from tests.venue.floor import NEW, Floor, logged_on, write_config
from tests.venue.starting import LAST, refused, starts, used


def test_a_data_directory_in_use(tmp_path: Path) -> None:
    """The one that has it goes on; after its kill -9 the directory is free."""
    with Floor(tmp_path) as venue:
        said = refused(VenueProcess(venue.data, config=venue.config))
        assert said == f"{venue.data}: in use by another venue, process {venue.pid}"
        with logged_on(venue, "M1-USD", "ALPHA") as (member,):
            member.new("a", BUY, "1", "100")
            member.told("a", NEW)
        venue.kill9()
        starts(VenueProcess(venue.data, config=venue.config))


def test_a_data_directory_in_use_whose_lock_is_gone(tmp_path: Path) -> None:
    """Someone has tidied up; two venues on one directory would wait for each other at best."""
    with Floor(tmp_path) as venue:
        (venue.data / "lock").unlink()
        said = refused(VenueProcess(venue.data, config=venue.config))
        assert said == f"{venue.data}: in use by another venue, process unknown"
        assert not (venue.data / "lock").exists()
        with logged_on(venue, "M1-USD", "ALPHA") as (member,):
            member.new("a", BUY, "1", "100")
            member.told("a", NEW)
        venue.kill9()
        starts(VenueProcess(venue.data, config=venue.config))


def test_a_data_directory_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    said = refused(VenueProcess(file, config=write_config(tmp_path)))
    assert said == f"{file}: cannot be used as data directory: File exists"


def test_data_of_another_venue(tmp_path: Path) -> None:
    venue = used(tmp_path)
    write_config(tmp_path, venue={"comp_id": "OTHER"})
    assert refused(venue) == (
        f"venue.comp_id: the data in {venue.data} belongs to FIXGW, not OTHER; "
        "use that name or another data directory"
    )
    write_config(tmp_path)
    starts(venue)


@pytest.mark.parametrize(
    ("changed", "text"),
    [({"tick": "0.001"}, "tick is 0.001, but this data directory trades it with 0.01"),
     ({"lot": "0.001"}, "lot is 0.001, but this data directory trades it with 0.0001")],
)  # fmt: skip
def test_another_meaning_of_what_is_stored(tmp_path: Path, changed: dict[str, str], text: str) -> None:
    """Ticks and lots of the journal keep their meaning, or it does not start."""
    venue = used(tmp_path)
    market = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001", "max_quantity": "1000"}
    market |= {"max_price": "1000000"}
    write_config(tmp_path, instruments={"M1-USD": market | changed})
    said = refused(venue)
    assert said == f"{venue.config}: instruments.M1-USD: {text}; list it under another symbol"
    write_config(tmp_path, instruments={"NEW-USD": market | changed})
    starts(venue)


def change(venue: Floor, table: bytes, key: bytes | None, how: Callable[[bytes], bytes]) -> None:
    """One value of the store; without a key, the last."""
    with lmdb.open(str(venue.data / "venue.mdb"), max_dbs=100, subdir=False) as environment:
        database = environment.open_db(table)
        with environment.begin(write=True) as transaction, transaction.cursor(database) as cursor:
            assert cursor.last() if key is None else cursor.set_key(key)
            transaction.put(cursor.key(), how(cursor.value()), db=database)


def test_data_of_an_unknown_format(tmp_path: Path) -> None:
    venue = used(tmp_path)
    change(venue, b"meta", b"format", lambda value: b"999")
    said = refused(venue)
    assert "data of format 999, this release reads format " in said and str(venue.data) in said


@pytest.mark.parametrize("place", [0, 4, 20, -1])
def test_a_damaged_journal(tmp_path: Path, place: int) -> None:
    """One bit of a command, of its events or of their checksum; it is named and never guessed at."""

    def flip(value: bytes) -> bytes:
        data = bytearray(value)
        data[place] ^= 1
        return bytes(data)

    venue = used(tmp_path)
    change(venue, b"journal", None, flip)
    said = refused(venue)
    assert "is damaged: its checksum is wrong" in said and said.startswith("journal entry ")
    change(venue, b"journal", None, flip)
    starts(venue)


def test_events_that_come_out_differently(tmp_path: Path) -> None:
    """Sound by its checksum, but not what the engine makes of it: another release wrote it, or someone."""

    def other_time(value: bytes) -> bytes:
        entry = decode_entry(LAST, value)
        event = msgspec.structs.replace(entry.events[0], time=1)
        return encode_entry(LAST, msgspec.structs.replace(entry, events=[event]))

    venue = used(tmp_path)
    change(venue, b"journal", LAST.to_bytes(8, "big"), other_time)
    said = refused(venue)
    assert said.startswith(f"the events of journal entry {LAST} differ from what comes of it now")


def test_a_journal_with_a_hole(tmp_path: Path) -> None:
    venue = used(tmp_path)
    with lmdb.open(str(venue.data / "venue.mdb"), max_dbs=100, subdir=False) as environment:
        journal = environment.open_db(b"journal")
        with environment.begin(write=True) as transaction:
            assert transaction.delete((50).to_bytes(8, "big"), db=journal)
    assert refused(venue) == "journal entry 50 is missing: the next one there is 51"


def test_a_state_that_comes_out_differently(tmp_path: Path) -> None:
    """The digest of the last clean stop must be met again."""
    venue = used(tmp_path)
    change(venue, b"meta", b"digest", lambda value: value[:-1] + (b"0" if value[-1:] != b"0" else b"1"))
    assert refused(venue).startswith("the state after replay differs from the one at the last stop")


@pytest.mark.parametrize("damage", ["shorter", "empty", "overwritten"])
def test_a_damaged_file(tmp_path: Path, damage: str) -> None:
    """Cut off, empty or no database at all: in words, where a missing page would have it killed."""
    venue = used(tmp_path)
    path = venue.data / "venue.mdb"
    data = path.read_bytes()
    path.write_bytes(
        {"shorter": data[: len(data) // 2], "empty": b"", "overwritten": b"x" * len(data)}[damage]
    )
    said = refused(venue)
    assert "damaged" in said and str(path) in said
    path.write_bytes(data)
    starts(venue)


def test_an_account_does_not_move_to_another_client_and_limits_stay_as_listed(tmp_path: Path) -> None:
    data, config = tmp_path / "data", tmp_path / "venue.yaml"
    settings = yaml.safe_load(CONFIG.read_text())
    config.write_text(yaml.safe_dump(settings))
    with VenueProcess(data, config=config) as venue:
        assert venue.terminate() == 0
    settings["instruments"]["BTC-USD"]["max_price"] = 5000
    config.write_text(yaml.safe_dump(settings))
    with VenueProcess(data, config=config) as venue:
        assert venue.terminate() == 0
        said = "instruments.BTC-USD.max_price: 5000.00 is not taken, 10000000.00 stays as listed"
        assert said in venue.errors
    accounts = settings["clients"]["ALPHA"]["accounts"]
    settings["clients"]["BRAVO"]["accounts"]["ALPHA-1"] = accounts.pop("ALPHA-1")
    config.write_text(yaml.safe_dump(settings))
    why = "clients.BRAVO.accounts.ALPHA-1: is an account of client ALPHA in this data directory"
    assert why in refused(VenueProcess(data, config=config))
