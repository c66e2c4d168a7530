"""TLS in the settings: what must fit together, and who may be reached from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fixgw.settings import SettingsError, check_addresses, load
from fixgw.settings.exposure import is_loopback
from fixgw.settings.tls import mark

FILES = {"certificate": "venue.pem", "key": "venue.key"}
FULL = FILES | {"client_ca": "ca.pem"}
HEX = "0123456789abcdef" * 4


def write(directory: Path, tls: dict[str, Any], sessions: dict[str, Any], venue: str = "127.0.0.1") -> Path:
    settings = yaml.safe_load(Path("config/venue.yaml").read_text())
    settings |= {"tls": tls, "venue": {"address": venue}}
    for name, values in sessions.items():
        settings["sessions"][name] |= values
    path = directory / "venue.yaml"
    path.write_text(yaml.safe_dump(settings, default_flow_style=None))
    return path


# fmt: off
MISTAKES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"key": "venue.key"}, {}, "tls.certificate: is missing, but tls.key is there"),
    ({"client_ca": "ca.pem"}, {}, "tls.certificate: is missing, but tls.client_ca is there"),
    ({"hosts": {"a.example": FILES}}, {}, "tls.certificate: is missing, but tls.hosts is there"),
    ({"certificate": "venue.pem"}, {}, "tls.key: must be a file"),
    (FILES | {"hosts": {"a.example": {"certificate": "a.pem", "key": ""}}}, {},
     "tls.hosts.a.example.key: must be a file"),
    (FILES | {"hosts": {"a b": FILES}}, {}, "tls.hosts.a b: must be a host name, not 'a b'"),
    (FULL | {"client_certificate": "yes"}, {},
     "tls.client_certificate: must be optional or required, not 'yes'"),
    ({}, {"transport": "tls"},
     "sessions.ALPHA.transport: tls needs tls.certificate: without it there is no TLS port"),
    (FILES, {"certificates": ["CN:alpha"]},
     "sessions.ALPHA.certificates: needs tls.client_ca: without it no client shows one"),
    (FULL, {"certificates": ["CN:alpha", "alpha"]},
     "sessions.ALPHA.certificates: must be a list of sha256: and 64 hexadecimal digits, CN:NAME or DNS:NAME, "
     "not 'alpha'"),
]
# fmt: on


@pytest.mark.parametrize(("tls", "alpha", "text"), MISTAKES)
def test_a_mistake_is_one_line_with_its_place(
    tmp_path: Path, tls: dict[str, Any], alpha: dict[str, Any], text: str
) -> None:
    path = write(tmp_path, tls, {"ALPHA": alpha})
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: {text}"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (f"sha256:{HEX.upper()}", f"sha256:{HEX}"),
        ("sha256:" + ":".join(HEX[place : place + 2] for place in range(0, 64, 2)), f"sha256:{HEX}"),
        ("CN:Alpha Trading, Ltd.", "CN:Alpha Trading, Ltd."),
        ("DNS:FIX.Alpha.Example.com", "DNS:fix.alpha.example.com"),
        ("DNS:*.example.com", "DNS:*.example.com"),
    ],
)
def test_a_certificate_is_named(text: str, normal: str) -> None:
    assert mark(text) == normal


@pytest.mark.parametrize(
    "text",
    [
        "",
        "alpha",
        "CN",
        "CN:",
        "CN:a\nb",
        "DNS:",
        "DNS:a b",
        "sha256:",
        f"sha256:{HEX}0",
        f"sha1:{HEX}",
        "dns:a",
    ],
)
def test_what_names_no_certificate(text: str) -> None:
    with pytest.raises(ValueError):
        mark(text)


WORLD = "0.0.0.0"
ANYONE: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    # A secret is good on both ports.
    ({"password": "secret"}, {}, ""),
    ({"hmac_key": "c2VjcmV0IHNlY3JldCBzZWNyZXQ="}, {}, ""),
    ({"public_key": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="}, {}, ""),
    # Without one: on the plain port it must not be there at all, on the other it needs certificates.
    ({}, {"venue": WORLD}, "venue.address"),
    ({}, {"tls": WORLD}, "tls.address"),
    ({"certificates": ["CN:alpha"]}, {"venue": WORLD}, "venue.address"),
    ({"certificates": ["CN:alpha"]}, {"tls": WORLD}, ""),
    ({"transport": "tls"}, {"venue": WORLD}, ""),
    ({"transport": "tls"}, {"tls": WORLD}, "tls.address"),
    ({"transport": "tls", "certificates": ["CN:alpha"]}, {"venue": WORLD, "tls": WORLD}, ""),
    ({"username": "alpha", "password": "secret"}, {"venue": WORLD, "tls": WORLD}, ""),
]


@pytest.mark.parametrize(("alpha", "addresses", "place"), ANYONE)
def test_what_can_be_reached_from_outside_is_only_for_who_shows_who_he_is(
    tmp_path: Path, alpha: dict[str, Any], addresses: dict[str, str], place: str
) -> None:
    others = {"BRAVO": {"password": "secret"}, "CHARLIE": {"password": "secret"}}
    tls = FULL | {"address": addresses.get("tls", "127.0.0.1")}
    path = write(tmp_path, tls, {"ALPHA": alpha} | others, addresses.get("venue", "::1"))
    settings = load(path)
    if not place:
        check_addresses(settings, path)
        return
    with pytest.raises(SettingsError) as caught:
        check_addresses(settings, path)
    said = str(caught.value)
    assert said.startswith(f"{path}: {place}: 0.0.0.0 can be reached from outside, but session ALPHA "), said


def test_a_tls_port_that_is_not_open_needs_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, {"address": WORLD}, {})
    check_addresses(load(path), path)


def test_which_addresses_are_this_machine_alone() -> None:
    assert all(is_loopback(address) for address in ("127.0.0.1", "127.8.9.1", "::1", "localhost"))
    assert not any(is_loopback(address) for address in ("0.0.0.0", "::", "10.0.0.1", "venue.example"))
