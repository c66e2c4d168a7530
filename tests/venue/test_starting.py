"""What `fixgw serve` will not start with: one line in words, exit code 2, no traceback, nothing changed."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.process import VenueProcess
from tests.venue.floor import Floor, write_config
from tests.venue.starting import refused

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
            "neither password nor key; give every session one, or `transport: tls`, or listen on 127.0.0.1"
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


@pytest.mark.parametrize(("name", "decimals"), [("USD", 9), ("YEN", 2)])
def test_the_decimals_of_a_currency_are_for_good(tmp_path: Path, name: str, decimals: int) -> None:
    """All money is counted in smallest units: other decimals would make another amount of it. YEN is on no
    market, and so in no journal entry."""
    currencies = {"USD": {"decimals": 8}, "BTC": {"decimals": 8}, "YEN": {"decimals": 0}}
    with Floor(tmp_path, currencies=currencies) as venue:
        assert venue.terminate() == 0
    before = currencies[name]["decimals"]
    other = Floor(tmp_path, currencies=currencies | {name: {"decimals": decimals}}, instruments={})
    expected = f"currencies.{name}.decimals: {before} -> {decimals} would change the money there is"
    assert refused(other).startswith(f"{other.config}: {expected}")
    with Floor(tmp_path, currencies=currencies) as venue:
        assert venue.terminate() == 0
