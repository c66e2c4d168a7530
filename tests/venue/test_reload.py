"""`fixgw admin reload`: sessions, clients, limits and credentials come, change and go while the venue runs;
who did not change does not notice; a bad file changes nothing."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from fixgw.admin.command import ask
from fixgw.admin.words import Answer, Block, Reload
from tests.raw import BUY, SELL, Disconnected, RawClient, new_order
from tests.venue.floor import NEW, TRADE, Floor, Member, logged_on, running
from tests.venue.operating import ME, asking, audit, done, fixgw, standing

GONE = "this session is no longer configured"
CHANGED = "the settings of this session have changed: log on again"
BOTH = pytest.mark.parametrize("version", ["FIX.4.4", "FIXT.1.1"])

Settings = dict[str, Any]
_numbers = count()


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Floor]:
    with running(tmp_path) as venue:
        yield venue


def edit(venue: Floor, change: Callable[[Settings], object]) -> None:
    """Changes the file the venue was started with."""
    settings = yaml.safe_load(venue.config.read_text())
    change(settings)
    venue.config.write_text(yaml.safe_dump(settings))


def reload(venue: Floor, change: Callable[[Settings], object]) -> list[str]:
    edit(venue, change)
    return done(venue, Reload())


def refused(venue: Floor, change: Callable[[Settings], object]) -> str:
    """Why the changed file is not taken; the file is as before after it."""
    before = venue.config.read_text()
    edit(venue, change)
    answer = ask(venue.data, Reload())
    venue.config.write_text(before)
    assert not answer.ok and answer.lines[1:] == ["nothing has changed"], answer
    return answer.lines[0].removeprefix(f"{venue.config}: ")


def client_of(venue: Floor, name: str, version: str = "FIX.4.4", **more: Any) -> RawClient:
    return RawClient(venue.host, venue.port, name, begin_string=version, **more)


def leave(member: RawClient, text: str) -> None:
    member.expect("5", t58=text)
    member.send("5")
    assert member.expect_disconnect() == []


class Stream:
    """A client that trades without a pause: each order is sent when the one before was reported."""

    def __init__(self, venue: Floor, market: str, session: str) -> None:
        self.member = Member(venue, market, session)
        self.orders = 0
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Stream:
        self.member.logon(reset=True)
        self.member.settle()
        self._thread.start()
        return self

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                name = f"n{next(_numbers)}"
                self.member.new(name, BUY, "0.001", "100")
                self.member.told(name, NEW)
                self.orders += 1
        except BaseException as failure:
            self._failure = failure

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)
        assert self._failure is None, self._failure
        assert self.orders, "it never traded"
        # Nothing but reports, and what any session hears now and then, in one row of numbers.
        received = self.member.received
        assert [message.sequence for message in received] == list(range(1, len(received) + 1))
        assert {message.msg_type for message in received} <= {"A", "0", "1", "8"}
        assert sum(message.msg_type == "8" for message in received) == self.orders
        self.member.logout()


@contextmanager
def unnoticed(venue: Floor, *sessions: str) -> Iterator[None]:
    """These sessions trade inside without a gap, over one connection."""
    streams = [Stream(venue, f"M{number}-USD", name) for number, name in enumerate(sessions, 90)]
    for stream in streams:
        stream.__enter__()
    before = [standing(venue, name).address for name in sessions]
    try:
        yield
        assert [standing(venue, name).address for name in sessions] == before
    finally:
        for stream in streams:
            stream.__exit__()


def market_like(settings: Settings, symbol: str) -> None:
    settings["instruments"][symbol] = settings["instruments"]["M1-USD"]


@BOTH
def test_a_new_client_with_session_account_and_instrument_trades_at_once(venue: Floor, version: str) -> None:
    def change(settings: Settings) -> None:
        market_like(settings, "NEW-USD")
        settings["clients"]["DELTA"] = {"accounts": {"DELTA-1": {"USD": 1000}}}
        settings["sessions"]["DELTA"] = {"client": "DELTA", "begin_string": version}

    with unnoticed(venue, "ALPHA", "CHARLIE"):
        early = client_of(venue, "DELTA", version).connect()
        early.send_logon()
        assert early.expect_disconnect() == []
        assert reload(venue, change) == [
            "+ instrument NEW-USD",
            "+ account DELTA-1 of client DELTA",
            "+ session DELTA",
        ]
        with client_of(venue, "DELTA", version) as client:
            assert client.logon().sequence == 1
            client.send(*new_order("a", BUY, "1", "900", symbol="NEW-USD", account="DELTA-1"))
            client.expect("8", t150=NEW, t55="NEW-USD")
            client.send(*new_order("b", BUY, "1", "101", symbol="NEW-USD", account="DELTA-1"))
            client.expect("8", t150="8")
            client.logout()
    assert done(venue, Reload()) == ["nothing has changed"]
    assert audit(venue.data) == [
        f"{ME}: reload: + instrument NEW-USD",
        f"{ME}: reload: + account DELTA-1 of client DELTA",
        f"{ME}: reload: + session DELTA",
    ]
    venue.kill9()
    venue.start()
    with client_of(venue, "DELTA", version) as client:
        client.logon(sequence=5)
        client.send(*new_order("c", SELL, "1", "100", symbol="NEW-USD", account="DELTA-1"))
        client.expect("8", t11="c", t150="8")  # it has no BTC


@pytest.mark.parametrize("session", ["ALPHA2", "CHARLIE2"])
def test_a_removed_session_is_told_and_its_orders_live_on(venue: Floor, session: str) -> None:
    """Their reports wait for its return; then it goes on with its numbers."""
    with unnoticed(venue, "ALPHA", "CHARLIE"), logged_on(venue, "M1-USD", "BRAVO") as (taker,):
        member = Member(venue, "M1-USD", session)
        member.logon()
        member.settle()
        member.new("s", SELL, "2", "100")
        member.told("s", NEW)
        before = yaml.safe_load(venue.config.read_text())
        edit(venue, lambda settings: settings["sessions"].pop(session))
        with asking(venue, Reload()) as answer:
            leave(member, GONE)
            assert answer() == [f"- session {session}"]
        member.connect()
        member.send(
            "A", [(98, 0), (108, 30), (1137, 9)][: 3 if member.client == "CHARLIE" else 2], sequence=9
        )
        assert member.expect_disconnect() == []
        taker.new("b", BUY, "1", "100")
        taker.told("b", NEW)
        taker.told("b", TRADE)
        assert done(venue, Reload()) == ["nothing has changed"]
        assert reload(venue, lambda settings: settings.update(before)) == [f"+ session {session}"]
        missed = member.next_inbound
        assert member.logon().sequence == missed + 1
        member.send("2", [(7, missed), (16, 0)])
        member.told("s", TRADE, t34=missed, t43="Y")
        member.settle()
        member.new("t", SELL, "1", "100.01")
        member.told("t", NEW)
        member.logout()


def test_limits_and_credentials_change_under_a_client_that_stays(venue: Floor) -> None:
    """They count from its next Logon on; what they are is shown, but no secret."""

    def change(settings: Settings) -> None:
        settings["sessions"]["ALPHA"] |= {"password": "s3cret", "heartbeat_max_seconds": 20}
        settings["sessions"]["CHARLIE"] |= {"messages_per_second": 500}

    with unnoticed(venue, "ALPHA", "CHARLIE"):
        said = reload(venue, change)
        assert said == [
            "~ session ALPHA: password changed, heartbeat_max_seconds 300 -> 20",
            "~ session CHARLIE: messages_per_second 1000000 -> 500",
        ]
    member = Member(venue, "M1-USD", "ALPHA").connect()
    member.send_logon(reset=True)
    assert member.expect_disconnect() == []
    member.connect()
    member.send_logon(heartbeat=21, reset=True, extra=[(554, "s3cret")])
    member.expect("5", t58="HeartBtInt(108) must be from 1 to 20")
    member = Member(venue, "M1-USD", "ALPHA")
    member.logon(heartbeat=20, reset=True, extra=[(554, "s3cret")])
    assert "s3cret" not in venue.errors + str(audit(venue.data)) + str(said)
    member.logout()


@pytest.mark.parametrize(
    ("session", "what", "line"),
    [("ALPHA2", {"comp_id": "OTHER"}, "comp_id ALPHA2 -> OTHER"),
     ("CHARLIE2", {"comp_id": "OTHER"}, "comp_id CHARLIE2 -> OTHER"),
     ("ALPHA2", {"begin_string": "FIXT.1.1"}, "begin_string FIX.4.4 -> FIXT.1.1"),
     ("CHARLIE2", {"begin_string": "FIX.4.4"}, "begin_string FIXT.1.1 -> FIX.4.4"),
     ("ALPHA2", {"max_latency_seconds": 10}, "max_latency_seconds 120 -> 10"),
     ("ALPHA2", {"client": "BRAVO"}, "client ALPHA -> BRAVO")],
)  # fmt: skip
def test_what_a_session_was_built_with_asks_for_a_new_logon(
    venue: Floor, session: str, what: dict[str, Any], line: str
) -> None:
    """Its client is told, and goes on with its numbers under what it is now."""
    with unnoticed(venue, "ALPHA", "CHARLIE"):
        member = Member(venue, "M1-USD", session)
        member.logon()
        member.settle()
        member.new("a", BUY, "1", "100")
        member.told("a", NEW)
        edit(venue, lambda settings: settings["sessions"][session].update(what))
        with asking(venue, Reload()) as answer:
            leave(member, CHANGED)
            assert answer() == [f"~ session {session}: {line}"]
        if "max_latency_seconds" not in what and "client" not in what:
            member.connect()
            member.send_logon(sequence=member.next_outbound)
            assert member.expect_disconnect() == []
            member.next_outbound -= 1
        member.comp_id = what.get("comp_id", session)
        member.begin_string = what.get("begin_string", member.begin_string)
        assert member.logon().sequence == member.next_inbound - 1
        member.send("2", [(7, member.next_inbound - 3), (16, 0)])
        again = member.expect("8", t43="Y", t150=NEW)
        assert again[8] == member.begin_string and again[56] == member.comp_id
        member.expect("4", t123="Y")
        account = f"{what.get('client', member.client)}-1"
        member.send(*new_order("again", BUY, "1", "100", symbol="M2-USD", account=account))
        member.expect("8", t150=NEW, t55="M2-USD")
        member.logout()


def test_two_sessions_exchange_their_identities(venue: Floor) -> None:
    """As QuickFIX knows a session by its identity, the old ones must be gone before the new ones come."""

    def change(settings: Settings) -> None:
        settings["sessions"]["ALPHA2"]["comp_id"] = "ALPHA3"
        settings["sessions"]["ALPHA3"]["comp_id"] = "ALPHA2"

    def change_back(settings: Settings) -> None:
        del settings["sessions"]["ALPHA2"]["comp_id"], settings["sessions"]["ALPHA3"]["comp_id"]

    for _ in range(2):
        with client_of(venue, "ALPHA2") as two, client_of(venue, "ALPHA3") as three:
            edit(venue, change)
            two.logon(reset=True)
            three.logon(reset=True)
            two.settle()
            with asking(venue, Reload()) as answer:
                leave(two, CHANGED)
                leave(three, CHANGED)
                assert answer() == [
                    "~ session ALPHA2: comp_id ALPHA2 -> ALPHA3",
                    "~ session ALPHA3: comp_id ALPHA3 -> ALPHA2",
                ]
            # The numbers belong to the session, not to the CompID.
            assert two.logon(sequence=three.next_outbound).sequence == three.next_inbound
            assert three.logon(sequence=standing(venue, "ALPHA2").next_in)
            two.logout()
            three.logout()
        assert len(reload(venue, change_back)) == 2


def test_a_client_that_is_busy_leaving_is_not_waited_for(venue: Floor) -> None:
    """It does not answer the Logout: cut, and the rest of the reload is done."""
    with logged_on(venue, "M1-USD", "BRAVO2") as (member,):
        edit(venue, lambda settings: settings["sessions"].pop("BRAVO2"))
        assert done(venue, Reload()) == ["- session BRAVO2"]
        assert [message.msg_type for message in member.expect_disconnect()] == ["5"]


def test_door_limits_hold_at_once(venue: Floor) -> None:
    """Those of bytes also for who is inside."""
    with logged_on(venue, "M1-USD", "ALPHA") as (member,):
        member.new("x" * 3000, BUY, "1", "100")
        member.expect("8", t150="8")
        door = {"message_bytes": 2048, "logon_bytes": 256, "connections": 1, "unread_bytes": 65536}
        assert reload(venue, lambda settings: settings["door"].update(door)) == [
            "~ door: logon_bytes 4096 -> 256, connections 2000 -> 1, message_bytes 65536 -> 2048, "
            "unread_bytes 16777216 -> 65536"
        ]
        stranger = client_of(venue, "BRAVO").connect()
        assert stranger.expect_disconnect() == []
        member.new("x" * 3000, BUY, "1", "100")
        assert member.expect_disconnect() == []
        assert "is above the limit of 2048" in venue.errors and "1 clients are logged on" in venue.errors
    stranger.connect()
    stranger.send_logon(extra=[(58, "x" * 300)])
    assert stranger.expect_disconnect() == []
    assert reload(venue, lambda settings: settings.pop("door"))[0].startswith(
        "~ door: logon_bytes 256 -> 4096"
    )


def test_what_needs_a_restart_is_said_and_the_rest_is_done(venue: Floor) -> None:
    def change(settings: Settings) -> None:
        settings["venue"] = {"comp_id": "OTHER", "port": 1}
        settings["store"] = {"jump": 5}
        settings["sessions"]["BRAVO"]["flood_seconds"] = 5

    waiting = [
        "! venue.comp_id: FIXGW -> OTHER needs a restart",
        "! venue.port: 9876 -> 1 needs a restart",
        "! store.jump: 1000 -> 5 needs a restart",
    ]
    with unnoticed(venue, "BRAVO"):
        assert reload(venue, change) == ["~ session BRAVO: flood_seconds 10 -> 5", *waiting]
        assert done(venue, Reload()) == ["nothing has changed", *waiting]


def test_what_is_no_longer_in_the_file_goes_on_and_is_said(venue: Floor) -> None:
    """At a reload and at each start."""

    def change(settings: Settings) -> None:
        del settings["instruments"]["M2-USD"], settings["clients"]["BRAVO"]["accounts"]["BRAVO-POOR"]
        settings["instruments"]["M3-USD"] = settings["instruments"]["M3-USD"] | {"max_quantity": "5"}
        settings["clients"]["ALPHA"]["accounts"]["ALPHA-POOR"] = {"USD": 7}

    remarks = [
        "instruments.M3-USD.max_quantity: 5.0000 is not taken, 1000.0000 stays as listed",
        "instruments no longer in it: M2-USD; trading goes on; cancel-only stops it",
        "accounts no longer in it: BRAVO-POOR; they keep what they have and can be traded for",
    ]
    with logged_on(venue, "M2-USD", "BRAVO") as (member,):
        balances = "! account ALPHA-POOR: it was opened with other balances, and keeps what it has"
        said = reload(venue, change)
        assert said == ["nothing has changed", balances, *(f"! {venue.config}: {each}" for each in remarks)]
        member.new("a", BUY, "1", "50", account="POOR")
        member.told("a", NEW)
    assert venue.terminate() == 0
    venue.start()
    assert all(f"WARNING fixgw: {venue.config}: {remark}" in venue.errors for remark in remarks[:2])


MARKET = {"base": "BTC", "quote": "USD", "tick": "0.001", "lot": "0.0001"}
MARKET |= {"max_quantity": "1000", "max_price": "1000"}
BAD: list[tuple[Settings, str]] = [
    ({"sessions": {"BRAVO": {"clients": "ALPHA"}}},
     "sessions.BRAVO.clients: is not a setting; did you mean client?"),
    ({"sessions": {"BRAVO": {"client": "ALFA"}}},
     "sessions.BRAVO.client: ALFA is not a client of this file; did you mean ALPHA?"),
    ({"sessions": {"N[1-3]": {"template": "small"}}},
     "sessions.N[1-3].template: small is not a template of this file: there is no section `templates`"),
    ({"clients": {"NEW": {"accounts": {"NEW": {"USD": "1.000000001"}}}}},
     "clients.NEW.accounts.NEW.USD: 1.000000001 is not a multiple of the smallest unit 0.00000001"),
    ({"clients": {"ALPHA": {"accounts": {"A": {}}}, "BRAVO": {"accounts": {"ALPHA-1": {}}}}},
     "clients.BRAVO.accounts.ALPHA-1: is an account of client ALPHA in this data directory; open another one "
     "for BRAVO"),
    ({"instruments": {"M1-USD": MARKET}},
     "instruments.M1-USD: tick is 0.001, but this data directory trades it with 0.01; list it under another "
     "symbol"),
    ({"currencies": {"BTC": {"decimals": 9}}},
     "currencies.BTC.decimals: 8 -> 9 would change the money there is; add a currency of another name"),
    ({"venue": {"address": "0.0.0.0"}},
     "venue.address: 0.0.0.0 can be reached from outside, but session ALPHA has neither password nor key; "
     "give every session one, or `transport: tls`, or listen on 127.0.0.1"),
]  # fmt: skip


@pytest.mark.parametrize(("sections", "text"), BAD)
def test_a_bad_file_is_refused_whole(floor: Floor, sections: Settings, text: str) -> None:
    """In one line with its place; what is good in it is not done either."""

    def change(settings: Settings) -> None:
        settings["sessions"]["FINE"] = {"client": "ALPHA"}
        for name, values in sections.items():
            settings[name] = settings.get(name, {}) | values

    before = audit(floor.data)
    with unnoticed(floor, "ALPHA", "CHARLIE"):
        assert refused(floor, change) == text
    stranger = client_of(floor, "FINE").connect()
    stranger.send_logon()
    assert stranger.expect_disconnect() == []
    assert audit(floor.data) == before


def test_a_refusal_is_exit_code_1_and_a_file_that_is_no_yaml_names_its_line(floor: Floor) -> None:
    before = floor.config.read_text()
    floor.config.write_text("venue: {comp_id: FIXGW\nsessions: 1\n")
    made = fixgw("admin", "--data", floor.data, "reload")
    floor.config.write_text(before)
    assert (made.returncode, made.stdout) == (1, "")
    assert made.stderr.splitlines()[0].startswith(f"{floor.config}: line 2, column 9: ")
    made = fixgw("admin", "--data", floor.data, "reload")
    assert (made.returncode, made.stdout, made.stderr) == (0, "nothing has changed\n", "")


def test_a_venue_the_world_can_reach_takes_no_session_without_a_password(tmp_path: Path) -> None:
    venue = Floor(tmp_path)

    def protect(settings: Settings) -> None:
        settings["venue"] = {"address": "0.0.0.0"}
        for session in settings["sessions"].values():
            session["password"] = "secret"

    edit(venue, protect)
    with venue:
        why = "venue.address: 0.0.0.0 can be reached from outside, but session"

        def open_one(settings: Settings) -> None:
            settings["sessions"]["NEW"] = {"client": "ALPHA"}

        assert refused(venue, open_one).startswith(f"{why} NEW has neither password nor key")

        def pretend(settings: Settings) -> None:
            open_one(settings)
            settings["venue"] = {"address": "127.0.0.1"}  # which needs a restart

        assert refused(venue, pretend).startswith(f"{why} NEW has neither password nor key")


def wait_for(what: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def test_sighup_does_the_same(venue: Floor) -> None:
    with unnoticed(venue, "ALPHA"):
        edit(venue, lambda settings: settings["sessions"].update(NEW={"client": "ALPHA"}))
        venue.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "SIGHUP: reload: + session NEW" in venue.errors)
        with client_of(venue, "NEW") as client:
            client.logon()
            client.logout()
        edit(venue, lambda settings: settings["sessions"].update(NEW={"client": "NOBODY"}))
        venue.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "sessions.NEW.client: NOBODY is not a client" in venue.errors)
        assert "; nothing has changed" in venue.errors
    assert audit(venue.data) == ["SIGHUP: reload: + session NEW"]


def test_a_file_that_cannot_be_read_to_its_end_keeps_nobody_from_stopping(tmp_path: Path) -> None:
    """As on a disk that hangs; here a pipe into which nobody writes."""
    with running(tmp_path) as venue:
        config = venue.config.read_bytes()
        venue.config.unlink()
        os.mkfifo(venue.config)
        hung = socket.socket(socket.AF_UNIX)
        hung.connect(str(venue.data / "admin.sock"))
        hung.sendall(b'{"type":"reload"}\n')
        with logged_on(venue, "M1-USD", "ALPHA") as (member,):
            member.settle()
        assert venue.terminate() == 0
        assert "Traceback" not in venue.errors and "CancelledError" not in venue.errors
        venue.config.unlink()
        venue.config.write_bytes(config)
        venue.start()


def many(settings: Settings) -> None:
    settings["clients"]["N[001-100]"] = {"accounts": {"N*-1": {"USD": 1000}}}
    settings["templates"] = {"small": {"heartbeat_min_seconds": 5}}
    settings["sessions"]["N[001-100]"] = {"client": "N*", "template": "small"}


@pytest.mark.parametrize("line", ["+ account N001-1", "+ session N001", "+ session N090"])
def test_killed_in_the_middle_of_a_reload(tmp_path: Path, line: str) -> None:
    """The next start has all of the file, each account once, and the journal replays."""
    venue = Floor(tmp_path)
    venue.start()
    edit(venue, many)
    answers: list[Answer] = []

    def ask_and_lose_it() -> None:
        with suppress(Exception):
            answers.append(ask(venue.data, Reload()))

    thread = threading.Thread(target=ask_and_lose_it)
    thread.start()
    wait_for(lambda: line in venue.errors)
    venue.kill9()
    thread.join(30)
    assert not answers, "the reload was through before the venue was killed"
    with venue:
        assert done(venue, Reload()) == ["nothing has changed"]
        entries = fixgw("log", "--data", venue.data, "journal").stdout
        assert entries.count("OpenAccount N") == 100
        for name in ("N001", "N100"):
            with client_of(venue, name) as client:
                client.logon()
                client.send(*new_order("a", BUY, "1", "100", symbol="M1-USD", account=f"{name}-1"))
                client.expect("8", t150=NEW)
                client.logout()
        assert venue.terminate() == 0


def test_many_come_and_go_and_leave_nothing_behind(venue: Floor) -> None:
    """Descriptors and memory are as before."""
    before = yaml.safe_load(venue.config.read_text())

    def descriptors() -> int:
        return len(os.listdir(f"/proc/{venue.pid}/fd"))

    def back(settings: Settings) -> None:
        settings.clear()
        settings.update(before)

    memory = []
    with unnoticed(venue, "ALPHA", "CHARLIE"):
        start = descriptors()
        for _ in range(3):
            assert len([line for line in reload(venue, many) if line.startswith("+ session")]) == 100
            with client_of(venue, "N077") as client:
                client.logon(reset=True)
                client.logout()
            assert descriptors() >= start - 2 + 3 * 100
            assert len([line for line in reload(venue, back) if line.startswith("- session")]) == 100
            wait_for(lambda: descriptors() <= start + 2)
            memory.append(venue.memory_mib()["own_mib"])
    assert memory[-1] < memory[1] + 10, memory  # 100 sessions are 30 MiB


def test_a_blocked_session_stays_blocked(venue: Floor) -> None:
    done(venue, Block("BRAVO2"))
    assert reload(venue, lambda settings: settings["sessions"]["BRAVO2"].update(comp_id="B")) == [
        "~ session BRAVO2: comp_id BRAVO2 -> B"
    ]
    before = yaml.safe_load(venue.config.read_text())
    reload(venue, lambda settings: settings["sessions"].pop("BRAVO2"))
    reload(venue, lambda settings: settings.update(before))
    stranger = client_of(venue, "B").connect()
    stranger.send_logon()
    assert stranger.expect_disconnect() == []
    assert standing(venue, "BRAVO2").blocked


def test_two_at_a_time_come_one_after_the_other(venue: Floor) -> None:
    edit(venue, many)
    with asking(venue, Reload()) as first, asking(venue, Reload()) as second:
        found = sorted([first(), second()], key=len)
    assert found[0] == ["nothing has changed"] and len(found[1]) == 200


def test_a_stop_in_the_middle_of_a_reload_is_a_clean_one(venue: Floor) -> None:
    edit(venue, many)
    thread = threading.Thread(target=lambda: fixgw("admin", "reload", "--data", venue.data))
    thread.start()
    wait_for(lambda: "+ session N001" in venue.errors)
    assert venue.terminate() == 0
    thread.join()
    venue.start()
    assert "the last stop was not clean" not in venue.errors
    assert done(venue, Reload()) == ["nothing has changed"]


def test_more_sessions_than_the_system_lets_it_open_are_refused_in_words(tmp_path: Path) -> None:
    """At a reload as at a start."""
    venue = Floor(tmp_path)
    venue.command = ("sh", "-c", 'ulimit -n 800 && exec "$@"', "sh", *venue.command)
    with venue:
        said = refused(venue, many)
        assert said == (
            "sessions: 112 of them need 872 open files, and the system lets this process have 800; "
            "raise its limit (ulimit -Hn, LimitNOFILE in systemd)"
        )
        assert venue.terminate() == 0
    edit(venue, many)
    venue.spawn()
    assert venue.wait() == 2 and said in venue.errors and "Traceback" not in venue.errors


def test_a_session_that_is_removed_while_its_client_comes_is_not_let_in(venue: Floor) -> None:
    """Logons without a pause while sessions go and come: each is let in whole or not at all."""
    stop = threading.Event()
    outcomes: list[str] = []

    def knock() -> None:
        while not stop.is_set():
            client = client_of(venue, "BRAVO3")
            try:
                client.logon(reset=True)
                client.settle()
                outcomes.append("in")
                client.logout()
            except (Disconnected, ConnectionError, AssertionError):
                outcomes.append("out")
            client.close()

    thread = threading.Thread(target=knock)
    thread.start()
    before = yaml.safe_load(venue.config.read_text())
    for _ in range(8):
        reload(venue, lambda settings: settings["sessions"].pop("BRAVO3"))
        reload(venue, lambda settings: settings.update(before))
    stop.set()
    thread.join(30)
    assert {"in", "out"} <= set(outcomes)
    with client_of(venue, "BRAVO3") as client:
        client.logon(reset=True)
        assert client.settle() == []
        client.logout()
