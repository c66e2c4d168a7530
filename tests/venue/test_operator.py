"""What an operator can do to a session while the venue runs, and what he cannot; both versions."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from fixgw.admin.words import Block, Disconnect, LogOut, OfSession, Reset, Sessions, SetNumbers
from fixgw.codec.times import SECOND, nanoseconds
from fixgw.store.directory import short_path
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, NEW, TRADE, Floor, Member, logged_on
from tests.venue.operating import ME, asking, audit, done, fixgw, refused, standing

BOTH = pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])


def leave(member: Member, text: str) -> None:
    """Is told to leave, answers, and the venue closes."""
    member.expect("5", t58=text)
    member.send("5")
    assert member.expect_disconnect() == []


@BOTH
def test_logout_is_in_words_and_the_client_may_come_again_at_once(
    floor: Floor, market: str, session: str
) -> None:
    with logged_on(floor, market, session) as (member,):
        said = done(floor, LogOut(session, "please come again"))
        assert said == [f"session {session}: a Logout is sent"]
        leave(member, "please come again")
        assert refused(floor, LogOut(session)) == f"session {session} is not logged on"
        for _ in range(2):
            assert member.logon().sequence == member.next_inbound - 1
            member.new(f"n{_}", BUY, "1", "100")
            member.told(f"n{_}", NEW)
            done(floor, LogOut(session))
            leave(member, "logged out by the operator")
        member.logon()


@BOTH
def test_a_client_that_does_not_answer_the_logout_is_disconnected(
    floor: Floor, market: str, session: str
) -> None:
    with logged_on(floor, market, session) as (member,):
        done(floor, LogOut(session))
        assert [message.msg_type for message in member.expect_disconnect()] == ["5"]
        member.logon()
        assert member.settle() == []


@BOTH
def test_disconnect_is_without_a_word_and_what_was_missed_comes_with_the_next_logon(
    floor: Floor, market: str, session: str
) -> None:
    other = "BRAVO"
    with logged_on(floor, market, session, other) as (member, taker):
        member.new("s", SELL, "2", "100")
        member.told("s", NEW)
        assert done(floor, Disconnect(session)) == [f"session {session} is disconnected"]
        assert member.expect_disconnect() == []
        assert refused(floor, Disconnect(session)) == f"session {session} is not connected"
        taker.new("b", BUY, "1", "100")
        taker.told("b", NEW)
        taker.told("b", TRADE)
        missed = member.next_inbound
        member.logon()
        member.send("2", [(7, missed), (16, 0)])
        member.told("s", TRADE, t43="Y", t32="1.0000")


@BOTH
def test_a_blocked_session_is_logged_out_and_stays_out_over_restarts(tmp_path: Path, session: str) -> None:
    """Its Logon is closed without a word and moves no number; the others do not notice."""
    with Floor(tmp_path) as venue, logged_on(venue, "M1-USD", "BRAVO") as (other,):
        member = Member(venue, "M1-USD", session)
        member.logon()
        member.settle()
        done(venue, Block(session))
        leave(member, "this session is blocked by the operator")
        numbers = (member.next_inbound, member.next_outbound)
        assert done(venue, Block(session)) == [f"session {session} is blocked: no one logs on, as before"]
        assert other.settle() == []
        other.close()
        for stop in (None, venue.kill9, venue.terminate):
            if stop is not None:
                stop()
                venue.start()
                numbers = (standing(venue, session).next_out, numbers[1])  # it has jumped
            stranger = Member(venue, "M1-USD", session).connect()
            stranger.send_logon(reset=True)
            assert stranger.expect_disconnect() == []
            assert f"turned away: session {session} is blocked" in venue.errors
            state = standing(venue, session)
            assert (state.next_out, state.next_in, state.state, state.blocked) == (
                *numbers, "blocked", True,
            )  # fmt: skip
            other = Member(venue, "M1-USD", "BRAVO")
            other.logon(reset=True)
            other.logout()
        assert done(venue, Block(session, on=False)) == [f"session {session} is not blocked"]
        back = Member(venue, "M1-USD", session)
        back.logon(sequence=numbers[1])
        assert back.settle() == []
        assert audit(venue.data) == [f"{ME}: block {session}", f"{ME}: unblock {session}"]


@BOTH
def test_numbers_are_set_while_no_one_is_connected(floor: Floor, market: str, session: str) -> None:
    """Out never goes back; in may be any. A higher number out is a gap, which is filled."""
    with logged_on(floor, market, session) as (member,):
        member.new("a", BUY, "1", "100")
        member.told("a", NEW)
        said = refused(floor, SetNumbers(session, next_out=100))
        assert said == f"session {session} is connected: log it out first"
        first = member.next_inbound - 1
        member.logout()
        before = standing(floor, session)
        assert refused(floor, SetNumbers(session, next_out=before.next_out - 1)).startswith(
            f"session {session}: the next number out is {before.next_out} and never goes back, as "
            f"{before.next_out - 1} was used for another message; `fixgw admin reset {session}` "
        )
        assert standing(floor, session) == before
        said = done(floor, SetNumbers(session, next_in=1))[0]
        assert said.endswith(
            f"next out {before.next_out} -> {before.next_out}, next in {before.next_in} -> 1"
        )
        done(floor, SetNumbers(session, next_in=500, next_out=before.next_out + 50))
        assert member.logon(sequence=500).sequence == before.next_out + 50
        member.send("2", [(7, first), (16, 0)])
        member.told("a", NEW, t34=first, t43="Y")
        member.received.clear()
        member.expect("4", t123="Y", t36=before.next_out + 51)
        assert member.settle() == []
        member.new("b", BUY, "1", "100")
        member.told("b", NEW)


@BOTH
def test_a_reset_logs_out_first_and_what_is_not_proven_comes_again(
    floor: Floor, market: str, session: str
) -> None:
    """Under new numbers with PossResend(97)=Y and its own ExecID; nothing is lost, nothing twice."""
    with logged_on(floor, market, session) as (member,):
        member.new("a", BUY, "1", "100")
        report = member.told("a", NEW)
        member.received.clear()
        with asking(floor, Reset(session)) as answer:
            leave(member, "the sequence numbers of this session begin again at 1")
            [said] = answer()
        again_at_1 = f"session {session}: both numbers begin again at 1"
        assert said == f"{again_at_1}; reports that may not have arrived come again"
        assert standing(floor, session).next_in == 1
        member.next_inbound = 1
        assert member.logon(sequence=1).sequence == 2
        member.send("2", [(7, 1), (16, 0)])
        again = member.told("a", NEW, t34=1, t97="Y", t43="Y")
        assert again[17] == report[17]
        member.expect("4", t123="Y", t36=3)
        member.settle()
        member.logout()
        assert done(floor, Reset(session)) == [again_at_1]
        member.next_inbound = 1
        assert member.logon(sequence=1).sequence == 1
        assert member.settle() == []


def test_a_reset_does_not_wait_for_a_client_that_does_not_answer(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "ALPHA2") as (member,):
        with asking(floor, Reset("ALPHA2")):
            assert [message.msg_type for message in member.expect_disconnect()] == ["5"]
        member.next_inbound = 1
        assert member.logon(sequence=1).sequence == 1


@pytest.mark.parametrize(
    "request_", [LogOut("ALPHX"), Disconnect("ALPHX"), Block("ALPHX"), SetNumbers("ALPHX", 1), Reset("ALPHX")]
)
def test_a_session_there_is_not(floor: Floor, request_: OfSession) -> None:
    assert refused(floor, request_) == "there is no session ALPHX; did you mean ALPHA?"


def test_what_comes_of_it_is_told_by_the_exit_code(floor: Floor, market: str) -> None:
    """0 done, 1 refused, 2 wrong words, 3 no venue; the answer is on stdout only if it is a yes."""
    with logged_on(floor, market, "ALPHA3") as (member,):

        def admin(*words: str) -> tuple[int, str, str]:
            made = fixgw("admin", "--data", floor.data, *words)
            return made.returncode, made.stdout.strip(), made.stderr.strip()

        assert admin("logout", "ALPHA3", "bye") == (0, "session ALPHA3: a Logout is sent", "")
        leave(member, "bye")
        assert admin("logout", "ALPHA3") == (1, "", "session ALPHA3 is not logged on")
        code, _, problem = admin("set-seqnum", "ALPHA3")
        assert (code, problem) == (2, "fixgw admin: set-seqnum needs --in N, --out N or both")
        for words in (["set-seqnum", "ALPHA3", "--in", "0"], ["logout", "ALPHA3", "a\x01b"], ["block"]):
            code, _, problem = admin(*words)
            assert code == 2 and "Traceback" not in problem, problem
        change = "next out 4 -> 4, next in 4 -> 9"
        assert admin("set-seqnum", "ALPHA3", "--in", "9") == (0, f"session ALPHA3: {change}", "")
        assert admin("block", "ALPHA3") == (0, "session ALPHA3 is blocked: no one logs on", "")
        assert admin("unblock", "ALPHA3") == (0, "session ALPHA3 is not blocked", "")
        assert admin("disconnect", "ALPHA3") == (1, "", "session ALPHA3 is not connected")
        assert admin("reset", "ALPHA3")[0] == 0
        assert fixgw("admin", "--data", floor.data.parent, "block", "X").returncode == 3


def test_every_deed_is_in_the_audit_with_who_and_when(tmp_path: Path) -> None:
    """Also cancel-only. What was refused, or changed nothing, is no deed. It outlives a kill -9."""
    with Floor(tmp_path) as venue:
        began = nanoseconds(Member(venue, "M1-USD", "ALPHA").logon()[52])
        member = Member(venue, "M1-USD", "BRAVO")
        member.logon()
        done(venue, LogOut("BRAVO", "bye"))
        leave(member, "bye")
        done(venue, SetNumbers("BRAVO", next_out=10))
        done(venue, Block("BRAVO"))
        done(venue, Block("BRAVO"))
        done(venue, Block("BRAVO", on=False))
        refused(venue, Disconnect("BRAVO"))
        done(venue, Reset("BRAVO"))
        assert fixgw("admin", "--data", venue.data, "cancel-only", "on", "M1-USD").returncode == 0
        assert fixgw("admin", "--data", venue.data, "cancel-only", "off").returncode == 0
        venue.kill9()
        venue.start()
        lines = fixgw("log", "--data", venue.data, "audit").stdout.splitlines()
        assert [line.split(" ", 2)[2] for line in lines] == [
            f"{ME}: logout BRAVO: bye",
            f"{ME}: set-seqnum BRAVO: next out 3 -> 10, next in 3 -> 3",
            f"{ME}: block BRAVO",
            f"{ME}: unblock BRAVO",
            f"{ME}: reset BRAVO: next out 10, next in 3 -> 1",
            f"{ME}: cancel-only on for M1-USD",
            f"{ME}: cancel-only off for all markets",
        ]
        assert [int(line.split()[0]) for line in lines] == list(range(1, 8))
        times = [nanoseconds(line.split()[1]) for line in lines]
        assert times == sorted(times) and began <= times[0] and times[-1] < began + 60 * SECOND
        assert fixgw("log", "--data", venue.data, "audit", "--from", 7).stdout.splitlines() == lines[6:]


@BOTH
def test_sessions_shows_how_each_stands(floor: Floor, market: str, session: str) -> None:
    with logged_on(floor, market, session) as (member,):
        member.new("a", BUY, "1", "100")
        told = member.told("a", NEW)
        before = standing(floor, session)
        assert (before.state, before.client, before.blocked, before.schedule) == (
            "logged on", member.client, False, "",
        )  # fmt: skip
        host, port = member.socket.getsockname()
        assert before.address == f"{host}:{port}"
        assert (before.next_out, before.next_in) == (member.next_inbound, member.next_outbound)
        assert nanoseconds(before.last_in) <= nanoseconds(before.last_out)
        assert nanoseconds(told[52]) - SECOND < nanoseconds(before.last_in) <= nanoseconds(told[52])
        member.send("2", [(7, told.sequence), (16, 0)])
        member.told("a", NEW, t43="Y")
        member.received.clear()
        member.settle()
        after = standing(floor, session)
        assert after.resends == before.resends + 1
        assert after.last_in > before.last_in and after.last_out > before.last_out
    gone = standing(floor, session)
    assert (gone.state, gone.address) == ("logged off", "")
    assert gone.last_in >= after.last_in


def test_sessions_is_a_table_for_people_and_json_for_programs(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "BRAVO2"):
        table = fixgw("admin", "--data", floor.data, "sessions").stdout.splitlines()
        lines = fixgw("admin", "--data", floor.data, "sessions", "--json").stdout.splitlines()
    head, *rows = table
    assert head.split() == [
        *("session", "client", "state", "address", "next-out", "next-in"),
        *("last-out", "last-in", "unread", "resends", "blocked"),
    ]
    assert [row.split()[0] for row in rows] == [
        f"{name}{number}" for name in ("ALPHA", "BRAVO", "CHARLIE") for number in ("", 2, 3, 4)
    ]
    [row] = [row for row in rows if row.startswith("BRAVO2")]
    words = row.split()
    assert words[1:4] == ["BRAVO", "logged", "on"] and words[4].startswith("127.0.0.1:")
    assert words[-3:] == ["0", "0", "no"] and words[-4].endswith("s")
    states: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert [state["session"] for state in states] == [row.split()[0] for row in rows]


def test_status_counts_the_digest_only_if_it_is_asked_for(floor: Floor, market: str) -> None:
    plain = fixgw("admin", "--data", floor.data, "status")
    whole = fixgw("admin", "--data", floor.data, "status", "--digest")
    assert "\nstate " not in plain.stdout
    assert f"\nstate    {floor.status()['state']}\n" in whole.stdout


def test_bytes_a_client_leaves_unread_are_counted(floor: Floor, market: str) -> None:
    with logged_on(floor, market, "CHARLIE3") as (member,):
        for number in range(1, 3000):
            member.new("x" * 6000, BUY, "1", "100")  # no ClOrdID: refused, and echoed
            if number % 100 == 0 and standing(floor, "CHARLIE3").unread_bytes:
                break
        assert standing(floor, "CHARLIE3").unread_bytes > 0
        member.settle()
        assert standing(floor, "CHARLIE3").unread_bytes == 0


def test_a_cancel_passes_right_up_to_the_logout(floor: Floor, market: str) -> None:
    """What the client had sent before it was told to leave is decided and reported."""
    with logged_on(floor, market, "ALPHA4") as (member,):
        member.new("a", BUY, "1", "100")
        member.told("a", NEW)
        member.cancel("c", "a")
        done(floor, LogOut("ALPHA4", "now"))
        member.told("c", CANCELED)
        leave(member, "now")


def test_what_is_no_request_is_refused_in_words(floor: Floor) -> None:
    for line, words in (
        (b"nonsense", "not a request: JSON is malformed"),
        (b'{"type":"fly"}', "not a request: Invalid value 'fly'"),
        (b'{"type":"logout","session":"ALPHA","text":"a\\u0001b"}', "not a request: Expected `str` matching"),
        (b'{"type":"set-seqnum","session":"ALPHA","next_in":0}', "not a request: Expected `int` >= 1"),
    ):
        with socket.socket(socket.AF_UNIX) as raw, short_path(floor.data, "admin.sock") as path:
            raw.connect(path)
            raw.sendall(line + b"\n")
            assert words in raw.makefile().read()
    assert done(floor, Sessions())
