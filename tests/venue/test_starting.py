"""What `fixgw serve` will not start on: one line in words, exit code 2, no traceback, nothing changed."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lmdb
import msgspec
import pytest
import yaml

from fixgw.store.journal import decode_entry, encode_entry
from tests.process import CONFIG, VenueProcess
from tests.raw import BUY
from tests.venue.floor import MARKETS, NEW, Floor, logged_on, write_config


def refused(venue: VenueProcess) -> str:
    """The one line it says; it must end before it is ready."""
    venue.spawn()
    try:
        assert venue.wait() == 2, venue.errors
    finally:
        venue.process.kill()
    assert venue.output == []
    lines = venue.errors.splitlines()
    assert len(lines) == 1 and lines[0].startswith("fixgw serve: "), venue.errors
    return lines[0].removeprefix("fixgw serve: ")


def used(directory: Path) -> Floor:
    """A floor with an order in its book, stopped in good order."""
    venue = Floor(directory)
    with venue:
        with logged_on(venue, "M1-USD", "ALPHA") as (member,):
            member.new("a", BUY, "1", "100")
            member.told("a", NEW)
        assert venue.terminate() == 0
    return venue


LAST = 1 + MARKETS + 2 * 3 + 1
"""the journal entry of that order: after the day, the markets and the accounts"""


def starts(venue: VenueProcess) -> None:
    with venue:
        assert venue.terminate() == 0


MISTAKES: list[tuple[dict[str, dict[str, Any]], str]] = [
    ({"venue": {"port": 70000}}, "venue.port: must be a whole number from 0 to 65535, not '70000'"),
    ({"venue": {"prot": 1}}, "venue.prot: is not a setting; did you mean port?"),
    ({"sessions": {"ALPHA": {"client": "ALFA"}}},
     "sessions.ALPHA.client: ALFA is not a client of this file; did you mean ALPHA?"),
    ({"store": {"jump": 0}}, "store.jump: must be a whole number from 1 to 1000000, not '0'"),
    ({"instruments": {"X": {"base": "BTC"}}}, "instruments.X.quote: is missing and has no default"),
]  # fmt: skip


@pytest.mark.parametrize(("sections", "text"), MISTAKES)
def test_a_mistake_in_the_settings(tmp_path: Path, sections: dict[str, dict[str, Any]], text: str) -> None:
    """ "A mistake in the YAML is one clear line with its path and what would be right, exit 2"; the data
    directory is not even made."""
    venue = Floor(tmp_path, **sections)
    assert refused(venue) == f"{venue.config}: {text}"
    assert not venue.data.exists()


def test_settings_that_are_not_there(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.yaml"
    said = refused(VenueProcess(tmp_path / "data", config=nowhere))
    assert said == f"{nowhere}: cannot be read: No such file or directory"


def test_the_world_is_refused_while_a_session_has_no_password(tmp_path: Path) -> None:
    """ "`serve` refuses to listen on any other address while a session has no credentials"."""
    for address in ("0.0.0.0", "::"):
        said = refused(Floor(tmp_path, venue={"address": address}))
        assert said.endswith(
            f"venue.yaml: venue.address: {address} can be reached from outside, but session ALPHA has "
            "neither password nor key; give every session one, or listen on 127.0.0.1"
        )


def with_passwords(directory: Path, address: str) -> Floor:
    venue = Floor(directory)
    settings = yaml.safe_load(venue.config.read_text()) | {"venue": {"address": address}}
    for session in settings["sessions"].values():
        session["password"] = "secret"
    venue.config.write_text(yaml.safe_dump(settings))
    return venue


def test_any_address_will_do_once_all_have_passwords(tmp_path: Path) -> None:
    with with_passwords(tmp_path, "0.0.0.0") as venue:
        assert venue.ready_line.split()[3].startswith("0.0.0.0:")
        socket.create_connection(("127.0.0.1", venue.port)).close()


def test_an_address_that_is_not_this_machines(tmp_path: Path) -> None:
    said = refused(with_passwords(tmp_path, "192.0.2.1"))
    assert said == "cannot listen on 192.0.2.1:0: Cannot assign requested address"


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused(VenueProcess(tmp_path / "data", config=write_config(tmp_path), port=port))
        assert said == f"cannot listen on 127.0.0.1:{port}: Address already in use"


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
