"""`fixgw log journal|events|session NAME`: "one readable line per entry, while the venue runs", and after."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from tests.process import ROOT
from tests.raw import BUY, SELL
from tests.venue.floor import NEW, TRADE, Floor, Member, logged_on


def log(data: Path, *words: object) -> list[str]:
    """What it prints; it must succeed."""
    done = log_process(data, *words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.splitlines()


def log_process(data: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fixgw", "log", "--data", str(data), *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)


def trade(venue: Floor, market: str) -> None:
    with logged_on(venue, market, "ALPHA", "CHARLIE") as (alpha, charlie):
        alpha.new("s", SELL, "2", "100.5")
        alpha.told("s", NEW)
        charlie.new("b", BUY, "0.5", "101")
        charlie.told("b", NEW)
        charlie.told("b", TRADE)
        alpha.told("s", TRADE)
        alpha.cancel("c", "s", SELL)
        alpha.told("c", "4")
        alpha.replace("r", "never", BUY, "1", "100")
        alpha.request_refused("r", "never", 1)


def numbers(lines: list[str]) -> list[int]:
    return [int(line.split()[0]) for line in lines]


def test_journal_and_events_hold_every_entry_once(floor: Floor, market: str) -> None:
    """Entries and events as `admin status` counts them, numbered without a gap; refused requests are in
    neither. Readable: names, and numbers as people write them."""
    with logged_on(floor, market, "BRAVO") as (bravo,):
        for number in range(1100):  # more than are read at a time
            bravo.new(f"n{number}", BUY, "1", "100")
        bravo.settle()
    trade(floor, market)
    entries, _, events, _ = floor.status()["journal"].split()
    journal, output = log(floor.data, "journal"), log(floor.data, "events")
    assert numbers(journal) == list(range(1, int(entries) + 1))
    assert numbers(output) == list(range(1, int(events) + 1))
    order, taker, cancel = journal[-3:]
    assert f"NewOrder SELL 2.0000 {market} @ 100.50" in order and f"ClOrdID={market}.s" in order
    assert "client=CHARLIE session=CHARLIE" in taker
    assert f"CancelOrder SELL {market} ClOrdID={market}.c OrigClOrdID={market}.s" in cancel
    told = [line.split()[3] for line in output[-5:]]
    assert told == ["NEW", "NEW", "TRADE", "TRADE", "CANCELED"]
    assert "LastQty=0.5000 LastPx=100.50" in output[-2] and "LeavesQty=0.0000" in output[-1]
    assert not any(".r " in line for line in [*journal, *output])


def test_a_session_shows_what_it_was_sent(floor: Floor, market: str) -> None:
    """With the numbers the client saw, refusals too, and no session messages: those are not kept."""
    with logged_on(floor, market, "BRAVO") as (bravo,):
        bravo.new("a", BUY, "1", "100")
        bravo.new("x", BUY, "1", "100.001")
        seen = [message.sequence for message in (bravo.told("a", NEW), bravo.refused("x", 99))]
    lines = log(floor.data, "session", "BRAVO", "--from", seen[0])
    assert [line.split()[:2] for line in lines] == [["ExecutionReport(8)", f"34={number}"] for number in seen]
    assert f"ClOrdID={market}.a" in lines[0] and "OrdStatus=NEW" in lines[0] and "Price=100.00" in lines[0]
    assert 'Text="Price 100.001 is not a multiple of the tick 0.01"' in lines[1]
    assert log(floor.data, "session", "BRAVO4") == []


def test_from_begins_in_the_middle(floor: Floor, market: str) -> None:
    trade(floor, market)
    for kind in ("journal", "events"):
        whole = log(floor.data, kind)
        for first in (2, len(whole) - 1, len(whole)):
            assert log(floor.data, kind, "--from", first) == whole[first - 1 :]
        assert log(floor.data, kind, "--from", len(whole) + 1) == []
        assert log(floor.data, kind, "--from", 2**62) == []


def test_after_a_stop_and_after_a_kill(tmp_path: Path) -> None:
    """The store alone is enough."""
    with Floor(tmp_path) as venue:
        trade(venue, "M1-USD")
        running = [log(venue.data, *words) for words in (["journal"], ["events"], ["session", "ALPHA"])]
        venue.kill9()
        killed = [log(venue.data, *words) for words in (["journal"], ["events"], ["session", "ALPHA"])]
        assert killed == running
        venue.start()
        assert venue.terminate() == 0
    stopped = [log(venue.data, *words) for words in (["journal"], ["events"], ["session", "ALPHA"])]
    assert stopped == running and all(running)


NOTE = "fixgw log: the last moments are not shown: the venue was killed, and has them from its next start on"


def test_what_is_left_in_the_tail_is_told(tmp_path: Path) -> None:
    """What was acknowledged is shown, or it is said that something is missing, and only then."""
    asked = (["journal"], ["events"], ["session", "ALPHA"])
    with Floor(tmp_path) as venue:
        for number in count():
            alpha = Member(venue, "M1-USD", "ALPHA")
            alpha.logon(reset=True)
            alpha.new(f"n{number}", BUY, "1", "100")
            alpha.told(f"n{number}", NEW)
            venue.kill9()
            alpha.close()
            answers = [log_process(venue.data, *words) for words in asked]
            shown = [f"ClOrdID=M1-USD.n{number} " in answer.stdout for answer in answers]
            assert [answer.stderr for answer in answers] == ["" if each else f"{NOTE}\n" for each in shown]
            assert all(answer.returncode == 0 for answer in answers) and len(set(shown)) == 1
            assert log(venue.data, "session", "CHARLIE") == []
            venue.start()
            assert all(log(venue.data, *words) for words in asked)
            if not shown[0]:
                break
        assert venue.terminate() == 0
        (venue.data / "lock").unlink()
        assert all(log(venue.data, *words) for words in asked)


class Follower:
    """`fixgw log ... --follow`, line by line."""

    def __init__(self, data: Path, *words: str) -> None:
        command = [sys.executable, "-m", "fixgw", "log", "--data", str(data), *words, "--follow"]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._text = b""
        self._lines: set[str] = set()

    def line_with(self, text: str) -> str:
        """The next line that holds it; none may come twice."""
        assert self.process.stdout is not None
        while True:
            line, end, rest = self._text.partition(b"\n")
            if end:
                self._text = rest
                assert line.decode() not in self._lines, line
                self._lines.add(line.decode())
                if text in line.decode():
                    return line.decode()
                continue
            assert select.select([self.process.stdout], [], [], 20)[0], f"no line with {text}"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, "it has ended"
            self._text += data

    def interrupt(self) -> tuple[int, bytes]:
        """Ctrl-C; exit code and what it wrote to stderr."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=10)
        return self.process.returncode, errors


@pytest.mark.parametrize("words", [["journal"], ["events"], ["session", "ALPHA"]])
def test_follow_shows_what_is_added_until_interrupted(floor: Floor, market: str, words: list[str]) -> None:
    """Each entry soon after it is there; Ctrl-C is the way to end it, with exit code 0 and no traceback."""
    with logged_on(floor, market, "ALPHA") as (member,):
        member.new("first", BUY, "1", "100")
        member.told("first", NEW)
        follower = Follower(floor.data, *words)
        follower.line_with(f"ClOrdID={market}.first ")
        for number in range(3):
            member.new(f"n{number}", BUY, "1", "100")
            member.told(f"n{number}", NEW)
            follower.line_with(f"ClOrdID={market}.n{number} ")
        assert follower.interrupt() == (0, b"")


def test_a_session_that_begins_anew_is_followed(floor: Floor, market: str) -> None:
    """After a reset its numbers begin at 1 again; nothing is left out, nothing shown twice."""
    follower = Follower(floor.data, "session", "CHARLIE2")
    for turn in range(3):
        member = Member(floor, market, "CHARLIE2")
        member.logon(reset=True)
        member.settle()
        member.new(f"t{turn}", BUY, "1", "100")
        number = member.told(f"t{turn}", NEW).sequence
        assert f" 34={number} " in follower.line_with(f"ClOrdID={market}.t{turn} ")
        member.logout()
    assert follower.interrupt() == (0, b"")


def test_what_there_is_not(floor: Floor, tmp_path: Path) -> None:
    """Exit code 2 and one line."""
    unknown = log_process(floor.data, "session", "NOBODY")
    assert unknown.returncode == 2 and unknown.stdout == ""
    assert unknown.stderr.startswith(
        f"fixgw log: no session 'NOBODY' in {floor.data}; there are: ALPHA, ALPHA2"
    )
    empty = log_process(tmp_path, "journal")
    expected = f"fixgw log: {tmp_path}: holds no venue's data (there is no venue.mdb in it)\n"
    assert (empty.returncode, empty.stdout, empty.stderr) == (2, "", expected)
    assert list(tmp_path.iterdir()) == []
    for number in ("0", "-1", "x", 2**70):
        wrong = log_process(floor.data, "journal", "--from", number)
        assert wrong.returncode == 2 and "Traceback" not in wrong.stderr, number
    (tmp_path / "venue.mdb").write_bytes(b"x" * 100_000)
    damaged = log_process(tmp_path, "journal")
    assert damaged.returncode == 2 and "damaged" in damaged.stderr and "Traceback" not in damaged.stderr


def test_a_reader_that_stops_reading(floor: Floor) -> None:
    """`fixgw log journal | head -1`."""
    command = f"{sys.executable} -m fixgw log --data {floor.data} journal | head -1"
    done = subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )
    assert len(done.stdout.splitlines()) == 1 and done.stderr == ""
