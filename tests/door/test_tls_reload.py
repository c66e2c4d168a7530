"""SIGHUP: certificates are read again; who is inside does not notice."""

from __future__ import annotations

import signal
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.door.authority import VENUE, Authority
from tests.door.secure import Secure, TlsMember, secure
from tests.raw import BUY
from tests.venue.floor import NEW, running
from tests.venue.test_log import log

AGAIN = "the certificates were read again"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Secure]:
    hosts = {"other.example.com": {"certificate": "other.pem", "key": "other.key"}}
    Authority(tmp_path).issue("other", "other.example.com")
    with secure(tmp_path, {"hosts": hosts}) as found:
        yield found


def reload(place: Secure, text: str = AGAIN) -> None:
    place.look()
    place.floor.process.send_signal(signal.SIGHUP)
    place.log(text)


def trades(member: TlsMember, name: str) -> None:
    member.new(name, BUY, "1", "100")
    member.told(name, NEW)


def shown(place: Secure, member: TlsMember) -> str:
    """The certificate the venue shows to a new connection of this client, PEM."""
    member.logon(reset=True)
    found = member.tls.getpeercert(binary_form=True)
    member.logout()
    assert found is not None
    return ssl.DER_cert_to_PEM_cert(found)


def test_a_new_certificate(place: Secure) -> None:
    inside = place.member("M1-USD", "ALPHA", place.context(place.authority.issue("anyone")))
    inside.logon()
    trades(inside, "before")
    other = place.member("M2-USD", "BRAVO", inside.context)
    before = shown(place, other)
    renewed = place.authority.issue("renewed", VENUE, file="venue")
    assert shown(place, other) == before
    reload(place)
    assert shown(place, other) == renewed.certificate.read_text() != before
    trades(inside, "after")
    assert inside.settle() == []
    inside.logout()


def test_another_authority(place: Secure) -> None:
    """What it has signed is taken from here on, and what the old one has signed no longer; but who is inside
    stays. The certificates of the hosts asked for are part of it."""
    before = place.context(place.authority.issue("anyone"))
    inside = place.member("M1-USD", "ALPHA", before)
    inside.logon()
    other = Authority(place.authority.directory, "another")
    after = place.context(other.issue("someone"))
    (place.authority.directory / "ca.pem").write_bytes(other.file.read_bytes())
    reload(place)
    for server_name in VENUE, "other.example.com":
        for context in before, after:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        newcomer = place.member("M2-USD", "BRAVO", after)
        newcomer.server_name = server_name
        shown(place, newcomer)
        place.look()
        stranger = place.member("M2-USD", "BRAVO", before)
        stranger.server_name = server_name
        with pytest.raises((OSError, AssertionError)):
            stranger.logon()
        place.turned_away("TLS handshake: its certificate is not taken: ")
    trades(inside, "after")
    inside.logout()


def test_certificates_that_cannot_be_used_change_nothing(place: Secure) -> None:
    """One line says why, and the next SIGHUP may be better."""
    member = place.member("M1-USD", "ALPHA", place.context(place.authority.issue("anyone")))
    before = shown(place, member)
    key = place.authority.directory / "venue.key"
    place.authority.issue("renewed", VENUE, file="venue")
    renewed = key.read_bytes()
    key.write_text("nothing")
    reload(place, "nothing has changed")
    (line,) = [line for line in place.log("nothing has changed") if "tls" in line]
    assert f"venue.yaml: tls.key: {key} holds no private key" in line
    assert shown(place, member) == before
    key.write_bytes(renewed)
    reload(place)
    place.log("~ tls: the certificates or keys have changed")
    assert log(place.floor.data, "audit")[-1].endswith("reload: ~ tls: the certificates or keys have changed")
    assert shown(place, member) != before


def test_without_a_tls_port_there_is_nothing_to_do(tmp_path: Path) -> None:
    """But the venue goes on."""
    with running(tmp_path) as floor:
        reload(Secure(floor, Authority(tmp_path)), "nothing has changed")
