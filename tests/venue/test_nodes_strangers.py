"""Who calls a node without being one it knows, or says what no node says (docs/nodes.md, 2.4)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixgw.bridge.frames import LENGTH, VERSION, Bye, Carry, Frame, Hello, Taken, decode, encode
from tests.venue.floor import Floor
from tests.venue.nodes import HOME, MARKET, UNITS
from tests.venue.users import wait_for


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    directory = tmp_path_factory.mktemp("market")
    node = {"number": MARKET, "socket": "node.sock", "peers": {str(HOME): {}}}
    with Floor(directory, node=node, instruments={"M0-USD": UNITS}) as floor:
        yield floor
        assert floor.terminate() == 0, floor.errors
        assert "Traceback" not in floor.errors, floor.errors
    assert not (directory / "node.sock").exists()


class Stranger:
    def __init__(self, market: Floor) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(market.data.parent / "node.sock"))

    def say(self, *frames: Frame) -> None:
        self.socket.sendall(b"".join(map(encode, frames)))

    def hear(self) -> Frame | None:
        """None at the end."""
        length = int.from_bytes(self._read(LENGTH))
        return decode(self._read(length)) if length else None

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := self.socket.recv(size - len(data))):
            data += more
        return data


def hello(node: int = HOME, version: int = VERSION, taken: int = 0) -> Hello:
    return Hello(version, node, "the same", taken, 10)


@pytest.mark.parametrize("sent", [b"8=FIX.4.4\x019=5\x01", b"\xff\xff\xff\xff", encode(Taken(1)), b"\x00"])
def test_what_is_no_hello_ends_the_call(market: Floor, sent: bytes) -> None:
    stranger = Stranger(market)
    stranger.socket.sendall(sent)
    stranger.socket.shutdown(socket.SHUT_WR)
    assert stranger.hear() is None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (hello(node=7), "node 7 is not expected here"),
        (hello(version=99), "it speaks version 99 of the protocol between nodes, this one 1"),
        (hello(taken=5), "its data and that of this node do not go together"),
    ],
)
def test_a_node_that_cannot_be_is_told_why(market: Floor, said: Hello, why: str) -> None:
    stranger = Stranger(market)
    stranger.say(said)
    answers = [answer for answer in iter(stranger.hear, None) if isinstance(answer, Bye)]
    assert answers[0].text.startswith(why)


def test_who_is_sent_away_says_why(tmp_path: Path) -> None:
    """On the node that calls; it calls less and less often."""
    market = Floor(tmp_path, node={"number": MARKET, "socket": "node.sock", "peers": {"7": {}}})
    (tmp_path / "home").mkdir()
    there = {"M0-USD": UNITS | {"node": MARKET}}
    calls = {"number": HOME, "peers": {str(MARKET): {"socket": "../node.sock"}}}
    with market, Floor(tmp_path / "home", node=calls, instruments=there) as home:
        wait_for(lambda: "node 1 is not expected here" in status(home), "the home to be told")
        for floor in market, home:
            assert floor.terminate() == 0
            assert "Traceback" not in floor.errors, floor.errors


def test_one_link_at_a_time_and_no_message_that_cannot_be_read(market: Floor) -> None:
    """The market lives on, takes nothing of it, and says why."""
    before = market.journaled()
    first = Stranger(market)
    first.say(hello())
    assert isinstance(first.hear(), Hello)
    wait_for(lambda: "connected;" in status(market), "the link")
    second = Stranger(market)
    second.say(hello())
    assert second.hear() == Bye("there is a link already")
    first.say(Carry(2, b"not the next one"), Carry(1, b"\x91\xa9of-future"))
    assert first.hear() is None
    assert "message 1 of it cannot be read" in status(market)
    third = Stranger(market)
    third.say(hello())
    assert isinstance(third.hear(), Hello)
    bye = third.hear()
    assert isinstance(bye, Bye) and "message 1 of it cannot be read" in bye.text
    assert market.journaled() == before


def status(market: Floor) -> str:
    return market.status()["node"]


def test_the_socket_is_for_the_same_user_only(market: Floor) -> None:
    path: Path = market.data.parent / "node.sock"
    assert path.stat().st_mode & 0o777 == 0o600
