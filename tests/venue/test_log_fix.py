"""`fixgw log fix SESSION`: "prints tag names, not numbers", while the venue runs and after."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, NEW, REPLACED, Floor, Member, logged_on, running
from tests.venue.test_log import Follower, log, log_process
from tests.venue.wiretap import stream, wait_for

TIMED = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) (in |out|connect|disconnect|note) (.*)")


def fix(floor: Floor, session: str, *words: object) -> list[str]:
    """What it prints, without the times, which must not go back."""
    found = [TIMED.fullmatch(line) for line in log(floor.data, "fix", session, *words)]
    assert all(found)
    times = [match[1] for match in found if match]
    assert times == sorted(times)
    return [f"{match[2]} {match[3]}" for match in found if match]


def written(floor: Floor, session: str, name: str) -> None:
    """Waits for the log to hold the venue's word on the order `name`: it is written a moment later."""
    wait_for(lambda: f"\x0111={name}\x01".encode() in stream(floor.data, session, "out"))


def ended(floor: Floor, session: str) -> None:
    """Waits for the log to hold the end of the session's connection."""
    wait_for(lambda: stream(floor.data, session, "disconnect"))


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")[:26]


def change(member: Member) -> None:
    """An order that is replaced twice and cancelled, beside another."""
    member.new("a", BUY, "1", "100")
    member.told("a", NEW)
    member.new("other", BUY, "1", "100")
    member.told("other", NEW)
    member.replace("b", "a", BUY, "2", "100")
    member.told("b", REPLACED)
    member.replace("c", "b", BUY, "3", "100")
    member.told("c", REPLACED)
    member.cancel("d", "c")
    member.told("d", CANCELED)


def test_messages_in_words(floor: Floor, market: str) -> None:
    """From the connection to its end."""
    with logged_on(floor, market, "CHARLIE") as (member,):
        member.new("s", SELL, "2", "100.5")
        member.told("s", NEW)
        member.cancel("x", "never")
        member.request_refused("x", "never", 1)
    ended(floor, "CHARLIE")
    lines = fix(floor, "CHARLIE")
    start = max(place for place, line in enumerate(lines) if line.startswith("connect from 127.0.0.1:"))
    lines = lines[start:]
    assert lines[1].startswith("in  Logon(A) 34=1 EncryptMethod=NONE HeartBtInt=30 ResetSeqNumFlag=")
    assert [line.split()[:2] for line in lines[2:]] == [
        ["out", "Logon(A)"], ["in", "TestRequest(1)"], ["out", "Heartbeat(0)"],
        ["in", "NewOrderSingle(D)"], ["out", "ExecutionReport(8)"],
        ["in", "OrderCancelRequest(F)"], ["out", "OrderCancelReject(9)"],
        ["in", "Logout(5)"], ["out", "Logout(5)"], ["disconnect", "by"],
    ]  # fmt: skip
    order, report = lines[5:7]
    assert f"ClOrdID={market}.s Account=CHARLIE-1 Symbol={market} Side=SELL" in order
    assert "OrderQty=2 OrdType=LIMIT Price=100.5" in order
    assert f"ClOrdID={market}.s" in report and "ExecType=NEW OrdStatus=NEW" in report
    assert lines[-1] == "disconnect by the client"


def test_types_and_raw(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "BRAVO") as (member,):
        change(member)
    written(floor, "BRAVO", member.id("d"))
    for words in (["--type", "D"], ["--type", "NewOrderSingle"]):
        lines = [line for line in fix(floor, "BRAVO", *words) if market in line]
        assert [line.split()[:2] for line in lines] == [["in", "NewOrderSingle(D)"]] * 2
    both = fix(floor, "BRAVO", "--type", "F", "--type", "OrderCancelReplaceRequest", "--raw")
    assert [line.split("|")[2] for line in both if market in line] == ["35=G", "35=G", "35=F"]
    assert all(line.startswith("in  8=FIX.4.4|9=") for line in both)


def test_an_order_over_its_replaces(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "ALPHA") as (member,):
        change(member)
        order_id = member.received[-1][37]
    written(floor, "ALPHA", member.id("d"))
    whole = fix(floor, "ALPHA", "--order", order_id)
    assert [line.split()[:2] for line in whole] == [
        ["in", "NewOrderSingle(D)"], ["out", "ExecutionReport(8)"],
        ["in", "OrderCancelReplaceRequest(G)"], ["out", "ExecutionReport(8)"],
        ["in", "OrderCancelReplaceRequest(G)"], ["out", "ExecutionReport(8)"],
        ["in", "OrderCancelRequest(F)"], ["out", "ExecutionReport(8)"],
    ]  # fmt: skip
    for name in "abcd":
        assert fix(floor, "ALPHA", "--order", member.id(name)) == whole
    assert fix(floor, "ALPHA", "--order", member.id("b"), "--type", "F") == [whole[6]]
    assert len(fix(floor, "ALPHA", "--order", member.id("other"))) == 2
    assert fix(floor, "ALPHA", "--order", "nobody") == []


def test_from_and_to(floor: Floor, market: str) -> None:
    """Times in every form; the messages between two of them."""
    times = [now()]
    with logged_on(floor, market, "ALPHA2") as (member,):
        for name in ("a", "b", "c"):
            member.new(name, BUY, "1", "100")
            member.told(name, NEW)
            times.append(now())
    written(floor, "ALPHA2", member.id("c"))
    for place, name in enumerate(("a", "b", "c")):
        lines = fix(floor, "ALPHA2", "--type", "8", "--from", times[place], "--to", times[place + 1] + "Z")
        assert [f"ClOrdID={market}.{name} " in line for line in lines] == [True]
    everything = fix(floor, "ALPHA2")
    today, tomorrow = times[0][:10], (datetime.now(UTC) + timedelta(days=1)).date()
    assert fix(floor, "ALPHA2", "--from", today, "--to", tomorrow) == everything
    assert fix(floor, "ALPHA2", "--from", tomorrow) == fix(floor, "ALPHA2", "--to", today) == []
    if now()[:10] == today:
        lines = fix(floor, "ALPHA2", "--from", times[1][11:], "--type", "8")
        assert lines == fix(floor, "ALPHA2", "--from", times[1], "--type", "8")
        assert fix(floor, "ALPHA2", "--from", "00:00", "--to", "23:59:59.999999999") == everything


def test_broken_messages_are_marked_and_harmless(floor: Floor, market: str) -> None:
    """No escape sequence reaches the terminal, whatever a client sends; secrets stay hidden."""
    member = Member(floor, market, "BRAVO2")
    member.logon(reset=True)
    strange = [(11, b"\x1b[31mred\x07"), (58, "text \u202e \u00e9"), (9999, b"\xff\r\n|")]
    member.send("D", strange, sequence=7, checksum="000")
    member.send("0", [(112, b"\x1b]0;title\x07"), (58, "two words")])
    member.send_bytes(b"noise\x1b[2J\x01")
    member.send("0", [(554, "secret"), (112, "x")])
    member.send_bytes(b"8=FIX.4.4\x019=10\x0135=0\x01554=sec")
    member.close()
    ended(floor, "BRAVO2")
    lines = fix(floor, "BRAVO2")
    assert all(line.isprintable() for line in lines)
    said = "\n".join(lines)
    assert "sec" not in said
    garbled = [line for line in lines if " garbled: " in line]
    assert garbled[0].startswith("in  garbled: 8=FIX.4.4|9=") and "|11=\\x1b[31mred\\x07|" in garbled[0]
    assert garbled[0].endswith("|9999=\\udcff\\r\\n||10=000|")
    assert garbled[1] == "in  garbled: noise\\x1b[2J|"
    assert "in  Heartbeat(0) 34=3 Password=*** TestReqID=x" in lines
    assert 'Heartbeat(0) 34=2 TestReqID=\\x1b]0;title\\x07 Text="two words"' in said
    assert "in  cut: 8=FIX.4.4|9=10|35=0|554=***" in lines


def test_follow_shows_messages_as_they_come(floor: Floor, market: str) -> None:
    """Ctrl-C ends it, with exit code 0."""
    with logged_on(floor, market, "ALPHA3") as (member,):
        member.new("first", BUY, "1", "100")
        member.told("first", NEW)
        written(floor, "ALPHA3", member.id("first"))
        whole = Follower(floor.data, "fix", "ALPHA3")
        one = Follower(floor.data, "fix", "ALPHA3", "--order", member.id("first"))
        for follower in whole, one:
            follower.line_with(f"out ExecutionReport(8) 34={member.received[-1].sequence} ")
        member.new("second", BUY, "1", "100")
        member.told("second", NEW)
        member.replace("third", "first", BUY, "2", "100")
        member.told("third", REPLACED)
        whole.line_with(f"ClOrdID={market}.second ")
        for follower in whole, one:
            follower.line_with(f"in  OrderCancelReplaceRequest(G) 34={member.next_outbound - 1} ")
            follower.line_with(f"ClOrdID={market}.third ")
        assert whole.interrupt() == one.interrupt() == (0, b"")


def test_over_many_files_and_after_the_end(tmp_path: Path) -> None:
    with running(tmp_path, message_log={"file_mib": 1, "files": 100}) as venue:
        with logged_on(venue, "M1-USD", "ALPHA") as (member,):
            for number in range(7000):
                member.new(f"n{number}", BUY, "0.001", "100")
                if number % 500 == 499:
                    member.settle()
        wait_for(lambda: stream(venue.data, "ALPHA", "out").endswith(member.received[-1].bytes))
        assert len(list((venue.data / "fix" / "ALPHA").iterdir())) > 2
        orders = fix(venue, "ALPHA", "--type", "D")
        assert [line.split()[3] for line in orders] == [f"ClOrdID=M1-USD.n{number}" for number in range(7000)]
        assert len(fix(venue, "ALPHA", "--order", "M1-USD.n6000")) == 2
        whole = fix(venue, "ALPHA")
        assert venue.terminate() == 0
        assert fix(venue, "ALPHA") == whole
        venue.start()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["NOBODY"], "no messages of session 'NOBODY' in {data}; there are those of: ALPHA"),
        ([".."], "no messages of session '..' in {data}; there are those of: ALPHA"),
        (["ALPHA", "--from", "5"], "argument --from: '5' is not a time: "),
        (["ALPHA", "--from", "2026-02-30"], "argument --from: '2026-02-30' is not a time: "),
        (["ALPHA", "--to", "25:00"], "argument --to: '25:00' is not a time: "),
        (["ALPHA", "--type", "NewOrder"], "is not a message of the standard; did you mean NewOrder"),
    ],
)
def test_what_there_is_not(floor: Floor, words: list[str], said: str) -> None:
    """Exit code 2 and one line that helps."""
    with logged_on(floor, "M99-USD", "ALPHA") as (member,):
        member.settle()
    wait_for(lambda: stream(floor.data, "ALPHA", "out"))
    done = log_process(floor.data, "fix", *words)
    assert done.returncode == 2 and done.stdout == "" and "Traceback" not in done.stderr
    assert said.format(data=floor.data) in done.stderr


def test_a_directory_without_a_log(tmp_path: Path) -> None:
    done = log_process(tmp_path, "fix", "ALPHA")
    expected = f"fixgw log: no messages of session 'ALPHA' in {tmp_path}; there are those of: none\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)
