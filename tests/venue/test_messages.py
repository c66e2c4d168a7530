"""The message log: every byte in and out of a session, in order, without secrets; and trading goes on,
whatever becomes of it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import threading
from pathlib import Path

import pytest

from tests.raw import BUY, Disconnected, frame, new_order, utc_now
from tests.venue.floor import FAMILIES, NEW, Member, logged_on, running
from tests.venue.wiretap import Tapped, agree, everything, files, lines, stream, wait_for
from tests.wire import encode

MIB = 1 << 20
MARKET = "M1-USD"


def trade(member: Member, name: str) -> None:
    member.new(name, BUY, "1", "100")
    member.told(name, NEW)


def fat_order(member: Member, size: int = 6000) -> None:
    """Refused, with a report of its size."""
    fields: list[tuple[int, object]] = [(11, "x" * size), (60, utc_now()), (1, "x"), (55, MARKET), (54, "1")]
    member.send("D", [*fields, (38, 1), (40, 1)])


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_every_byte_in_and_out_is_in_the_log(tmp_path: Path, session: str) -> None:
    """Over two connections: orders, garbled messages, any bytes, a message in single bytes, one that ends in
    the middle of a field."""
    with running(tmp_path) as venue:
        member = Tapped(venue, MARKET, session)
        member.connect()
        member.logon(reset=True)
        trade(member, "a")
        strange = new_order("b", extra=[(58, b"\xff\x00 \\n \n \r\x1b[31m|")])
        member.send(*strange, sequence=99, checksum="000")
        member.send_bytes(b"8=FIX.4.4\x019=x\x0135=0\x0110=000\x01")
        member.send_bytes(b"\n\\\n no FIX at all \x01\x01")
        for number in range(300):
            member.new(f"n{number}", BUY, "1", "100")
        member.settle()
        for byte in frame(member.begin_string, encode([(35, "0"), (34, 99)])):
            member.send_bytes(bytes([byte]))
        member.settle()
        member.logout()
        member.logon()
        fat_order(member)
        member.settle()
        member.send_bytes(b"8=FIX.4.4\x019=10\x0135=0\x0149=AL")
        member.socket.shutdown(socket.SHUT_WR)
        member.expect_disconnect()
    agree(venue.data, session, member)
    kinds = [kind for kind, _ in lines(venue.data, session) if kind not in ("in", "out")]
    assert kinds == ["connect", "disconnect"] * 2


def test_what_happened_to_the_connection_is_said(tmp_path: Path) -> None:
    with running(tmp_path) as venue:
        member = Tapped(venue, MARKET, "ALPHA")
        member.logon(reset=True)
        address = "{}:{}".format(*member.socket.getsockname())
        member.send_bytes(b"8=FIX.4.4\x019=999999\x01")
        member.expect_disconnect()
        member.logon(reset=True)
        member.close(abort=True)
        member.logon(reset=True)
        member.send_logon()
        member.expect_disconnect()
        member.logon(reset=True)
    said = [(kind, rest.decode()) for kind, rest in lines(venue.data, "ALPHA") if kind not in ("in", "out")]
    assert said[:3] == [
        ("connect", f"from {address}"),
        ("note", "cut: BodyLength 999999 is above the limit of 65536"),
        ("disconnect", "by the venue"),
    ]
    assert said[4] == ("disconnect", "by the client: [Errno 104] Connection reset by peer")
    assert said[6][0] == "note" and "nothing was heard in time, or there was a Logon" in said[6][1]
    agree(venue.data, "ALPHA", member, "in")


SECRETS = {
    554: b"pa55word!",
    925: b"n3w-passw0rd",
    96: b"r4w\x01d4ta=7\x0158=r4w",
    1402: b"3ncrypted",
    1404: b"n3w\x013ncrypted",
}
WORDS = [b"pa55word", b"n3w", b"r4w", b"d4ta", b"3ncrypted"]
"""parts of them that nothing else holds"""


def secret_fields() -> list[tuple[int, object]]:
    """With the lengths of those that may hold SOH."""
    fields: list[tuple[int, object]] = []
    for tag, value in SECRETS.items():
        length = {96: 95, 1402: 1401, 1404: 1403}.get(tag)
        fields += [(length, len(value))] if length else []
        fields.append((tag, value))
    return fields


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_no_file_holds_a_secret(tmp_path: Path, session: str) -> None:
    """In the Logon, in a second one, in other messages, in garbled ones, in one that is never finished, over
    TCP segments cut anywhere, and in what the door refuses."""
    settings = {"client": session, "begin_string": FAMILIES[session], "password": "pa55word!"}
    passwords = ["pa55word!", *(f"n3w-passw0rd-{number}" for number in range(9))]

    def right() -> list[tuple[int, object]]:
        """With a NewPassword, in the version that has it."""
        fields: list[tuple[int, object]] = [(95, 3), (96, "r4w"), (554, passwords[0])]
        if session == "ALPHA":
            return fields
        del passwords[0]
        return [*fields, (925, passwords[0])]

    with running(tmp_path, sessions={session: settings}) as venue:
        member = Tapped(venue, MARKET, session)
        for msg_type, more in (("A", {}), ("D", {}), ("A", {"checksum": "000"}), ("A", {"body_length": 7})):
            member.logon(reset=True, extra=right())
            member.settle()
            logon = frame(member.begin_string, encode([(35, "0"), *secret_fields(), (58, "seen")]))
            for byte in logon:
                member.send_bytes(bytes([byte]))
            member.send(msg_type, [*secret_fields(), (58, "seen")], sequence=99, **more)
            member.send("0", [(58, "later")])
            try:
                member.settle()
                member.send("0", secret_fields()[:1], body_length=70000)
                member.expect_disconnect()
            except (Disconnected, OSError):
                member.close()
        for fields in ([(554, b"pa55word!")], [(95, 100), (96, b"r4w\x01r4w")]):
            member.logon(reset=True, extra=right())
            member.send_bytes(
                f"8={member.begin_string}".encode() + b"\x019=100\x0135=A\x01" + encode(fields)[:-1]
            )
            member.close()
        assert venue.terminate() == 0
        written = everything(venue, venue.data)
        for word in WORDS:
            assert word in member.sent
            assert word not in written
        venue.start()
    log = stream(venue.data, session, "in")
    assert log.count(b"58=seen\x01") == 8 and log.count(b"58=later\x01") == 4
    assert log.count(b"\x01554=***") == member.sent.count(b"\x01554=")
    assert not stream(venue.data, session, "out").count(b"***")


def test_files_are_rotated_private_and_few(tmp_path: Path) -> None:
    with running(tmp_path, message_log={"file_mib": 1, "files": 3}) as venue:
        member = Tapped(venue, MARKET, "ALPHA")
        member.logon(reset=True)
        for _ in range(10):
            for _ in range(60):
                fat_order(member)
            member.settle()
        member.logout()
    assert len(member.sent) > 3 * MIB
    kept = files(venue.data, "ALPHA")
    assert len(kept) == 3 and kept[0].name > "000003.log"
    assert all(path.stat().st_size <= MIB for path in kept)
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (kept[0].parent, kept[0].parent.parent)} == {0o700}
    agree(venue.data, "ALPHA", member, last=True)


def test_it_goes_on_after_a_kill(tmp_path: Path) -> None:
    """What was cut off, anywhere, spoils one line."""
    with running(tmp_path) as venue:
        member = Tapped(venue, MARKET, "ALPHA")
        member.logon(reset=True)
        trade(member, "a")
        venue.kill9()
        directory = venue.data / "fix" / "ALPHA"
        directory.mkdir(parents=True, exist_ok=True)
        with (directory / "000001.log").open("ab") as file:
            file.write(b"2026-07-14T09:30:00.0000")
        venue.start()
        member = Tapped(venue, MARKET, "ALPHA")
        member.logon(reset=True)
        member.settle()
        trade(member, "b")
        member.logout()
    (log,) = files(venue.data, "ALPHA")
    torn, _, after = log.read_bytes().rpartition(b"2026-07-14T09:30:00.0000\n")
    assert torn.count(b"\n") < 10 and b" connect from " in after.splitlines()[0]
    log.write_bytes(after)
    agree(venue.data, "ALPHA", member, "in")


def test_without_a_log_there_are_no_files(tmp_path: Path) -> None:
    with running(tmp_path, message_log={"on": "no"}) as venue:
        with logged_on(venue, MARKET, "ALPHA") as (member,):
            trade(member, "a")
        assert not (venue.data / "fix").exists()


# -- when it cannot be written -----------------------------------------------------------------------


@pytest.mark.parametrize("obstacle", ["a file in place of the directory", "a disk without room"])
def test_a_log_that_cannot_be_written_stops_no_one(tmp_path: Path, obstacle: str) -> None:
    """It says so once. Other sessions' logs go on; so does this one when it can, and says that lines are
    missing."""
    directory = tmp_path / "data" / "fix" / "ALPHA"
    with running(tmp_path) as venue:
        if obstacle.startswith("a file"):
            directory.parent.mkdir()
            directory.write_bytes(b"")
        else:
            directory.mkdir(parents=True)
            (directory / "000001.log").symlink_to("/dev/full")
        with logged_on(venue, MARKET, "ALPHA", "BRAVO") as (alpha, bravo):
            trade(alpha, "a")
            wait_for(lambda: "session ALPHA: the message log cannot be written: " in venue.errors)
            trade(alpha, "b")
            trade(bravo, "b")
            wait_for(lambda: f"11={MARKET}.b\x01".encode() in stream(venue.data, "BRAVO", "out"))
            trade(alpha, "c")
            os.rename(directory, tmp_path / "away")
            trade(alpha, "d")
            wait_for(lambda: "session ALPHA: the message log goes on, without" in venue.errors)
        assert venue.errors.count("cannot be written") == 1
    kind, text = lines(venue.data, "ALPHA")[0]
    assert (kind, text[:6], text[-27:]) == ("gap", b"up to ", b" lines could not be written")
    assert f"11={MARKET}.d\x01".encode() in stream(venue.data, "ALPHA", "in")


def test_a_disk_that_is_nearly_full_is_left_to_trading(tmp_path: Path) -> None:
    """The log stops at twice the room below which new orders are refused."""
    free = shutil.disk_usage(tmp_path).free // MIB
    reserve = free * 3 // 4
    if reserve > 1 << 20:
        pytest.skip("the disk has more room than can be asked for")
    store = {"reserve_mib": reserve, "map_size_mib": 3 * free}
    with running(tmp_path, store=store) as venue, logged_on(venue, MARKET, "ALPHA") as (member,):
        trade(member, "a")
        wait_for(lambda: f"the message log stops, less than {2 * reserve} MiB are free" in venue.errors)
        trade(member, "b")
    assert files(venue.data, "ALPHA") == []


@pytest.mark.slow
def test_a_disk_that_is_too_slow_costs_no_order_and_bounded_memory(tmp_path: Path) -> None:
    """The log's file is a pipe that nobody reads for a while. What does not fit into memory is left out, and
    counted."""
    directory = tmp_path / "data" / "fix" / "ALPHA"
    directory.mkdir(parents=True)
    os.mkfifo(directory / "000001.log")
    with running(tmp_path) as venue:
        member = Tapped(venue, MARKET, "ALPHA")
        member.logon(reset=True)
        before = venue.memory_mib()["own_mib"]
        while "cannot be written fast enough" not in venue.errors:
            for _ in range(20):
                fat_order(member, 30_000)
            assert len(member.settle()) == 20
        assert venue.memory_mib()["own_mib"] < before + 100
        pipe = _Drain(directory / "000001.log")
        wait_for(lambda: len(pipe.text) > 40 * MIB)
        after = 0
        while "the message log goes on" not in venue.errors:
            after += 1
            trade(member, f"after{after}")
        member.logout()
        wait_for(lambda: b" disconnect " in pipe.text[-1000:])
    (gap,) = re.findall(rb"Z gap (\d+) pieces left out\n", pipe.text)
    assert f"the message log goes on, {gap.decode()} pieces were left out" in venue.errors
    assert f"11={MARKET}.after{after}\x01".encode() in pipe.text.rpartition(b" gap ")[2]


def test_a_disk_that_hangs_does_not_keep_the_venue_from_stopping(tmp_path: Path) -> None:
    directory = tmp_path / "data" / "fix" / "ALPHA"
    directory.mkdir(parents=True)
    os.mkfifo(directory / "000001.log")
    with running(tmp_path) as venue:
        with logged_on(venue, MARKET, "ALPHA") as (member,):
            for _ in range(20):
                fat_order(member)
            assert len(member.settle()) == 20
        assert venue.terminate(20) == 0
        assert "the message log could not be written to its end within 5 s" in venue.errors
        (directory / "000001.log").unlink()
        venue.start()
        assert venue.status()["session ALPHA"].startswith("logged off")


class _Drain(threading.Thread):
    """Reads a pipe from now on."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self.text = bytearray()
        self._pipe = os.open(path, os.O_RDWR)
        self.start()

    def run(self) -> None:
        while True:
            self.text += os.read(self._pipe, MIB)
