"""Hostile and broken TLS: each ends alone, with one line in the log, and BRAVO on the plain port goes on."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count

import pytest

from tests.door.authority import VENUE, Identity
from tests.door.by_hand import ByHand
from tests.door.secure import Secure, TlsMember, only, secure
from tests.raw import BUY, encode, frame, utc_now
from tests.venue.floor import NEW, Member, logged_on

DEADLINE = 2
CONNECTIONS = 8
_numbers = count()


def logon() -> bytes:
    fields = [(35, "A"), (34, 1), (49, "ALPHA"), (52, utc_now()), (56, "FIXGW"), (98, 0), (108, 30)]
    return frame("FIX.4.4", encode([*fields, (141, "Y")]))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    door = {"logon_deadline_seconds": DEADLINE, "connections": CONNECTIONS}
    with secure(tmp_path_factory.mktemp("secure"), door=door) as found:
        yield found


@pytest.fixture(scope="module")
def anyone(place: Secure) -> Identity:
    return place.authority.issue("anyone")


@pytest.fixture
def bravo(place: Secure, market: str) -> Iterator[Member]:
    with logged_on(place.floor, market, "BRAVO") as (member,):
        place.look()
        yield member


@pytest.fixture
def alpha(place: Secure, bravo: Member, market: str, anyone: Identity) -> Iterator[TlsMember]:
    member = place.member(market, "ALPHA", place.context(anyone))
    member.logon(reset=True)
    member.settle()
    place.look()
    yield member
    member.close()


def goes_on(bravo: Member) -> None:
    for _ in range(5):
        name = f"n{next(_numbers)}"
        bravo.new(name, BUY, "1", "100")
        bravo.told(name, NEW, timeout=2.0)


def stranger(place: Secure, data: bytes = b"") -> socket.socket:
    line = socket.create_connection((place.floor.host, place.port), timeout=10)
    line.sendall(data)
    return line


def ends_without_a_word(line: socket.socket) -> None:
    with line, suppress(ConnectionResetError):
        assert line.recv(100) == b""


@pytest.mark.parametrize(
    "data",
    [b"8=FIX.4.4\x019=80\x0135=A\x0134=1\x01", b"GET / HTTP/1.1\r\n\r\n", bytes(1000)],
    ids=["FIX", "HTTP", "zeros"],
)
def test_what_is_no_tls_is_turned_away(place: Secure, bravo: Member, data: bytes) -> None:
    ends_without_a_word(stranger(place, data))
    place.turned_away("TLS handshake: it does not speak TLS")
    goes_on(bravo)


def test_tls_on_the_plain_port_is_turned_away(place: Secure, bravo: Member, anyone: Identity) -> None:
    with (
        socket.create_connection((place.floor.host, place.floor.port), timeout=10) as line,
        pytest.raises(OSError),
    ):
        place.context(anyone).wrap_socket(line, server_hostname=VENUE)
    place.turned_away("does not begin with BeginString(8) and a BodyLength(9) of 1 to 5 digits")
    goes_on(bravo)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_without_the_certificate_it_must_show(
    place: Secure, bravo: Member, version: ssl.TLSVersion
) -> None:
    """In TLS 1.3 the handshake is over for the client before the venue has seen that."""
    line = ByHand(stranger(place), only(place.context(), version))
    with pytest.raises((OSError, EOFError)):
        line.shake_hands()
        line.line.sendall(line.records(logon()))
        line.read()
    place.turned_away("TLS handshake: it showed no certificate")
    goes_on(bravo)


def test_a_handshake_that_stops_ends_at_the_deadline(place: Secure, bravo: Member, anyone: Identity) -> None:
    """Wherever it stops; and the time it takes is part of the time for the Logon."""
    hello = ByHand(stranger(place), place.context(anyone)).hello()
    lines = [stranger(place, hello[:length]) for length in (0, 1, 5, 100, len(hello) - 1, len(hello))]
    goes_on(bravo)
    for line in lines[:-1]:
        ends_without_a_word(line)
    while lines[-1].recv(65536):  # the venue's half of the handshake
        pass
    place.log(f"turned away: TLS handshake: no Logon within {DEADLINE} s", times=len(lines))


def test_connections_in_their_handshake_count(place: Secure, bravo: Member, market: str) -> None:
    """The oldest of those in their handshake makes room for one more, on either port."""
    inside = [stranger(place) for _ in range(CONNECTIONS - 1)]
    goes_on(bravo)
    for port in (place.port, place.floor.port):
        inside.append(socket.create_connection((place.floor.host, port), timeout=10))
        ends_without_a_word(inside.pop(0))
    with logged_on(place.floor, market, "ALPHA"):
        goes_on(bravo)
        ends_without_a_word(inside.pop(0))
    for line in inside:
        line.close()


def test_a_handshake_that_fails_does_not_count_any_longer(place: Secure, bravo: Member, market: str) -> None:
    for _ in range(CONNECTIONS * 3):
        ends_without_a_word(stranger(place, logon()))
        stranger(place, b"\x16\x03\x01").close()
    with logged_on(place.floor, market, "ALPHA"):
        goes_on(bravo)


def test_a_flood_of_handshakes_does_not_stop_the_others(
    place: Secure, bravo: Member, market: str, anyone: Identity
) -> None:
    context = place.context(anyone)

    def shake_hands() -> None:
        with stranger(place) as line, suppress(OSError, EOFError):
            ByHand(line, context).shake_hands()

    with ThreadPoolExecutor(4) as flood:
        handshakes = [flood.submit(shake_hands) for _ in range(200)]
        while not all(each.done() for each in handshakes):
            goes_on(bravo)
    with logged_on(place.floor, market, "ALPHA"):
        goes_on(bravo)


def test_a_peer_that_hangs_up_in_its_handshake(place: Secure, bravo: Member, anyone: Identity) -> None:
    line = ByHand(stranger(place), place.context(anyone))
    line.line.sendall(line.hello()[:50])
    line.line.close()
    place.turned_away("TLS handshake: it hung up")
    goes_on(bravo)


def test_no_logon_after_the_handshake(place: Secure, bravo: Member, anyone: Identity) -> None:
    line = ByHand(stranger(place), place.context(anyone))
    line.shake_hands()
    goes_on(bravo)
    with pytest.raises((OSError, EOFError)):
        line.read()
    place.turned_away(f"no Logon within {DEADLINE} s")


def test_a_handshake_and_a_logon_byte_by_byte(place: Secure, bravo: Member, anyone: Identity) -> None:
    line = ByHand(stranger(place), place.context(anyone))
    line.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in line.hello():
        line.line.sendall(bytes([byte]))
    line.finish()
    for byte in line.records(logon()):
        line.line.sendall(bytes([byte]))
    goes_on(bravo)
    assert b"\x0135=A\x01" in line.read()
    line.line.close()


def order(member: Member, name: str) -> bytes:
    """The bytes of an order."""
    sent: list[bytes] = []
    member.send_bytes = sent.append  # type: ignore[method-assign]
    member.new(name, BUY, "1", "100")
    del member.send_bytes
    return sent[0]


def logs_on_again(place: Secure, alpha: Member) -> None:
    alpha.logon()
    alpha.new("again", BUY, "1", "100")
    alpha.told("again", NEW)


def test_a_record_changed_on_the_way_is_not_taken(
    place: Secure, bravo: Member, market: str, anyone: Identity
) -> None:
    """Nor anything behind it."""
    alpha = Member(place.floor, market, "ALPHA")
    line = ByHand(stranger(place), place.context(anyone))
    line.shake_hands()
    line.line.sendall(line.records(logon()))
    assert b"\x0135=A\x01" in line.read()
    alpha.next_outbound = 2
    changed = bytearray(line.records(order(alpha, "changed")))
    changed[len(changed) // 2] ^= 1
    line.line.sendall(changed + line.records(order(alpha, "behind")))
    assert any("session ALPHA disconnected: [SSL: " in each for each in place.log("ALPHA disconnected"))
    goes_on(bravo)
    assert place.floor.status()["session ALPHA"].split("next in ")[1].startswith("2 ")


def test_bytes_that_are_no_record_end_the_connection(place: Secure, bravo: Member, alpha: TlsMember) -> None:
    with socket.socket(fileno=os.dup(alpha.socket.fileno())) as line:
        line.sendall(logon())
    assert alpha.expect_disconnect() == []
    place.log("session ALPHA disconnected: [SSL: ")
    goes_on(bravo)
    logs_on_again(place, alpha)


@pytest.mark.parametrize("how", ["close_notify", "end of TCP", "reset"])
def test_a_stream_that_ends_without_a_logout(
    place: Secure, bravo: Member, alpha: TlsMember, how: str
) -> None:
    """What came before is done and reported; the reports come with the next logon."""
    if how == "reset":
        alpha.close(abort=True)
    else:
        alpha.new("last", BUY, "1", "100")
        if how == "close_notify":
            alpha.leave()
        else:
            alpha.close()
    assert sum("ALPHA" in line for line in place.log("ALPHA disconnected")) == 1
    goes_on(bravo)
    alpha.logon()
    if how != "reset":
        alpha.send("2", [(7, alpha.next_inbound), (16, 0)])
        while (message := alpha.receive()).get(11) != alpha.id("last"):
            pass
        assert message[150] == NEW
    alpha.logout()


def test_a_half_closed_stream_is_closed(place: Secure, bravo: Member, anyone: Identity) -> None:
    """TLS has none: the venue answers a close_notify with its own and closes, while the client keeps its
    TCP connection."""
    line = ByHand(stranger(place), place.context(anyone))
    line.shake_hands()
    line.line.sendall(line.records(logon()))
    assert b"\x0135=A\x01" in line.read()
    line.line.sendall(line.close_notify())
    assert line.read() == b""
    assert line.line.recv(100) == b""
    place.log("session ALPHA disconnected")
    goes_on(bravo)


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs the openssl command, which can renegotiate")
def test_renegotiation_is_refused(place: Secure, bravo: Member, anyone: Identity) -> None:
    """TLS 1.2; later versions have none. The client gives up, and nothing else happens."""
    shown = ["-cert", str(anyone.certificate), "-key", str(anyone.key)]
    with subprocess.Popen(
        ["openssl", "s_client", "-tls1_2", "-connect", f"{place.floor.host}:{place.port}", *shown],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
    ) as client:
        assert client.stdin is not None and client.stdout is not None
        client.stdin.write(logon())
        said = b""
        while b"\x0135=A\x01" not in said:
            said += client.stdout.read(65536)
        client.stdin.write(b"R\n")
        assert b"no renegotiation" in client.stdout.read()
    place.log("session ALPHA disconnected")
    goes_on(bravo)
