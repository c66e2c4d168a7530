"""TLS at the door: who may come in over it, with which certificate, and what is said of the others."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.door.authority import VENUE, Authority, Identity
from tests.door.secure import Secure, only, secure
from tests.raw import BUY, SELL
from tests.venue.floor import NEW, TRADE, Member, logged_on

OTHER = "other.example.com"
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    """ALPHA and BRAVO as they are; the sessions of CHARLIE are bound to certificates."""
    directory = tmp_path_factory.mktemp("secure")
    authority = Authority(directory, "names")  # any: only the fingerprint counts
    pinned = authority.issue("pinned").fingerprint
    (directory / "hosts").mkdir()
    Authority(directory / "hosts").issue("other", OTHER)
    sessions = {
        "ALPHA2": {"transport": "tls"},
        "CHARLIE": {"certificates": ["CN:charlie"]},
        "CHARLIE2": {"certificates": ["DNS:Charlie.Example.com", f"sha256:{pinned}"], "transport": "tls"},
        "CHARLIE3": {"certificates": ["CN:charlie.example.com", "DNS:charlie", "CN:ch"]},
    }
    settings = {
        name: {"client": name.rstrip("234"), "begin_string": "FIXT.1.1" if name[0] == "C" else "FIX.4.4"}
        | each
        for name, each in sessions.items()
    }
    with secure(
        directory,
        {
            "client_certificate": "optional",
            "hosts": {"Other.example.com": {"certificate": "hosts/other.pem", "key": "hosts/other.key"}},
        },
        sessions=settings,
    ) as found:
        yield found


@pytest.fixture(scope="module")
def charlie(place: Secure) -> Identity:
    return place.authority.issue("charlie", "charlie.example.com")


@pytest.fixture(autouse=True)
def _look(place: Secure) -> None:
    place.look()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_over_tls_trades_with_one_over_tcp(
    place: Secure, market: str, version: ssl.TLSVersion
) -> None:
    alpha = place.member(market, "ALPHA", only(place.context(), version))
    with logged_on(place.floor, market, "BRAVO") as (bravo,):
        alpha.logon(reset=True)
        alpha.settle()
        assert alpha.tls.version() == version.name.replace("_", ".")
        alpha.new("a", BUY, "1", "100")
        alpha.told("a", NEW)
        bravo.new("b", SELL, "1", "100")
        bravo.told("b", NEW)
        bravo.told("b", TRADE, t39="2")
        alpha.told("a", TRADE, t39="2")
        alpha.logout()
    assert any(line.endswith("session ALPHA connected over TLS") for line in place.log("ALPHA connected"))


def test_a_long_conversation_in_both_directions(place: Secure, market: str) -> None:
    """Many records, each longer than one can be."""
    alpha = place.member(market, "ALPHA", place.context())
    alpha.logon(reset=True)
    alpha.settle()
    for number in range(40):
        label = f"{number}-" + "x" * 40_000
        alpha.send("1", [(112, label)])
        alpha.expect("0", t112=label)
    alpha.logout()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_older_versions_are_turned_away(place: Secure, market: str, version: ssl.TLSVersion) -> None:
    alpha = place.member(market, "ALPHA", only(place.context(), version))
    with pytest.raises((ssl.SSLError, ConnectionError)):
        alpha.connect()
    place.turned_away("TLS handshake: it speaks no TLS from 1.2 on")


@pytest.mark.parametrize("asked", [VENUE, OTHER, OTHER.upper(), "unknown.example.com", None])
def test_a_client_is_shown_the_certificate_it_asks_for(place: Secure, market: str, asked: str | None) -> None:
    """SNI; the first one if there is none of that name."""
    alpha = place.member(market, "ALPHA", place.context())
    other = asked is not None and asked.lower() == OTHER
    alpha.context.check_hostname = asked in (VENUE, OTHER)
    alpha.context.load_verify_locations(place.authority.directory / "hosts" / "ca.pem")
    alpha.server_name = asked
    alpha.logon(reset=True)
    shown = alpha.tls.getpeercert()
    assert shown is not None and shown["subject"] == ((("commonName", "other" if other else "venue"),),)
    alpha.logout()


@pytest.mark.parametrize("session", ["CHARLIE", "CHARLIE2"])
@pytest.mark.parametrize("server_name", [VENUE, OTHER])
def test_a_session_is_bound_to_a_certificate(
    place: Secure, market: str, charlie: Identity, session: str, server_name: str
) -> None:
    """By its CommonName or one of its host names; whichever name the client has for the venue."""
    member = place.member(market, session, place.context(charlie))
    member.context.load_verify_locations(place.authority.directory / "hosts" / "ca.pem")
    member.server_name = server_name
    member.logon(reset=True)
    member.settle()
    member.new("a", BUY, "1", "100")
    member.told("a", NEW)
    member.logout()


def test_or_to_exactly_one_certificate(tmp_path: Path) -> None:
    """By its fingerprint, as OpenSSL prints it; another of the same name is not it."""
    one, two = (Authority(tmp_path, name).issue("alpha", file=name) for name in ("one", "two"))
    both = (tmp_path / "one.pem").read_bytes() + (tmp_path / "two.pem").read_bytes()
    (tmp_path / "both.pem").write_bytes(both)
    printed = ":".join(one.fingerprint[place : place + 2].upper() for place in range(0, 64, 2))
    alpha = {"client": "ALPHA", "certificates": [f"sha256:{printed}"]}
    with secure(tmp_path, {"client_ca": "both.pem"}, sessions={"ALPHA": alpha}) as place:
        member = place.member("M1-USD", "ALPHA", place.context(one))
        member.logon()
        member.logout()
        place.look()
        refused(place, place.member("M1-USD", "ALPHA", place.context(two)))
        place.turned_away(f"session ALPHA: not with certificate sha256:{two.fingerprint}")


def refused(place: Secure, member: Member) -> None:
    """Without a word, also with ResetSeqNumFlag=Y, and no number of the session moves."""
    before = place.floor.status()[f"session {member.comp_id}"]
    member.connect()
    member.send_logon(reset=True)
    assert member.expect_disconnect() == []
    assert place.floor.status()[f"session {member.comp_id}"] == before


def test_a_session_for_tls_is_not_there_on_the_plain_port(place: Secure, market: str) -> None:
    refused(place, Member(place.floor, market, "ALPHA2"))
    place.turned_away("session ALPHA2: over the plain port, not over TLS")
    member = place.member(market, "ALPHA2", place.context())
    member.logon(reset=True)
    member.logout()


def test_a_session_with_certificates_is_not_there_without_one(
    place: Secure, market: str, charlie: Identity
) -> None:
    refused(place, Member(place.floor, market, "CHARLIE"))
    place.turned_away("session CHARLIE: without a certificate, and it needs one")
    place.look()
    refused(place, place.member(market, "CHARLIE", place.context()))
    place.turned_away("session CHARLIE: without a certificate, and it needs one")
    place.look()
    refused(place, place.member(market, "CHARLIE3", place.context(charlie)))
    place.turned_away(f"session CHARLIE3: not with certificate sha256:{charlie.fingerprint}")


def test_a_certificate_opens_its_own_session_only(place: Secure, market: str, charlie: Identity) -> None:
    """Another client's right certificate; and one that is not asked for does no harm."""
    delta = place.authority.issue("delta", "delta.example.com")
    refused(place, place.member(market, "CHARLIE2", place.context(delta)))
    member = place.member(market, "ALPHA", place.context(charlie))
    member.logon(reset=True)
    member.logout()


def wrong(place: Secure, kind: str) -> tuple[Identity, str]:
    """A certificate that must not be taken, and why."""
    elsewhere = Authority(place.authority.directory, "elsewhere")
    issue = place.authority.issue
    return {
        "another authority": lambda: (elsewhere.issue("charlie"), "unable to get local issuer certificate"),
        "self-signed": lambda: (issue("charlie", self_signed=True, file="self"), "self-signed certificate"),
        "expired": lambda: (issue("charlie", last=-HOUR, file="old"), "certificate has expired"),
        "not yet valid": lambda: (issue("charlie", first=HOUR, file="new"), "certificate is not yet valid"),
    }[kind]()


@pytest.mark.parametrize("kind", ["another authority", "self-signed", "expired", "not yet valid"])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_certificate_that_proves_nothing_ends_the_handshake(
    place: Secure, market: str, kind: str, version: ssl.TLSVersion
) -> None:
    """Also where none is required."""
    identity, why = wrong(place, kind)
    ends_in_the_handshake(place.member(market, "CHARLIE", only(place.context(identity), version)))
    place.turned_away(f"TLS handshake: its certificate is not taken: {why}")


def ends_in_the_handshake(member: Member) -> None:
    """For a client of TLS 1.3 it is over before the venue has seen its certificate."""
    with pytest.raises((OSError, AssertionError)):
        member.connect()
        member.send_logon(reset=True)
        member.receive()


def test_the_venue_shows_its_own_certificate_to_a_client_that_does_not_trust_it(place: Secure) -> None:
    """It ends there, and the venue's log says so."""
    alpha = place.member("M1-USD", "ALPHA", ssl.create_default_context())
    with pytest.raises(ssl.SSLCertVerificationError):
        alpha.connect()
    place.turned_away("TLS handshake: it does not trust the venue's certificate")
