"""What a scrape says is what clients have done."""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from fixgw.admin.words import MarketState
from fixgw.codec.standard import LATEST, names
from fixgw.metrics import exposition
from fixgw.metrics.tally import EXEC_TYPES
from tests.metrics.scraping import Scrape, measured, scrape, wait_until
from tests.raw import BUY, SELL, RawClient, new_order
from tests.venue.floor import Floor, logged_on
from tests.venue.operating import done

SECRET = "correct-horse-battery"


@pytest.fixture(scope="module")
def measuring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Floor, str]]:
    sessions = {"LOCKED": {"client": "ALPHA", "begin_string": "FIX.4.4", "password": SECRET}}
    with measured(tmp_path_factory.mktemp("measured"), sessions=sessions) as found:
        yield found


def counted(where: str, before: Scrape, messages: int) -> Scrape:
    """Once the venue has told of so many messages more, and the log was counted to its end."""
    return wait_until(
        where,
        lambda now: (
            now("messages_in_total") >= before("messages_in_total") + messages
            and now("reader_behind_events", reader="metrics") == 0
        ),
        f"{messages} messages",
    )


def test_orders_trades_and_refusals_are_counted(measuring: tuple[Floor, str]) -> None:
    venue, where = measuring
    before = scrape(where)

    def grown(now: Scrape, name: str, **labels: str) -> float:
        return now(name, **labels) - before(name, **labels)

    with logged_on(venue, "M1-USD", "ALPHA", "CHARLIE") as (alpha, charlie):
        for number in range(20):
            alpha.new(f"a{number}", BUY, 2, "100.00")
            alpha.told(f"a{number}", "0")
        charlie.new("c", SELL, 5, "100.00")  # takes two whole orders, and half of one
        charlie.settle(), alpha.settle()
        for number in range(7):
            alpha.new(f"t{number}", BUY, 1, "100.001")
            alpha.refused(f"t{number}", 99)
        for _ in range(3):
            alpha.new("a9", BUY, 1, "100.00")
            alpha.refused("a9", 6)
        alpha.cancel("x", "a10")
        alpha.told("x", "4")
        alpha.cancel("y", "nothing")
        alpha.request_refused("y", "nothing", 1)
        alpha.replace("r", "a11", BUY, 3, "100.00")
        alpha.told("r", "5")
        alpha.send("D", [(11, "short")])  # fields are missing: QuickFIX rejects it
        assert alpha.receive().msg_type == "3"
        here = wait_until(where, lambda now: now("sessions_logged_on") == 2, "two sessions")
        assert here("unread_bytes_most") == 0
    now = counted(where, before, 34)
    now = wait_until(where, lambda now: grown(now, "session_rejects_total") == 1, "the session reject")
    assert grown(now, "messages_in_total") == 34
    assert grown(now, "commands_total", command="NewOrder") == 21
    assert grown(now, "commands_total", command="CancelOrder") == 1
    assert grown(now, "commands_total", command="ReplaceOrder") == 1
    reasons = {
        reason: count - before("rejects_total", reason=reason)
        for reason, count in now.all("rejects_total", "reason").items()
        if count > before("rejects_total", reason=reason)
    }
    assert reasons == {"off tick": 7, "duplicate ClOrdID": 3, "unknown order": 1}
    types = {
        dict(labels)["type"]: count - before.samples.get((name, labels), 0)
        for (name, labels), count in now.samples.items()
        if name == "fixgw_executions_total" and ("symbol", "M1-USD") in labels
    }
    assert types == {"NEW": 21, "TRADE": 6, "CANCELED": 1, "REPLACED": 1}
    assert grown(now, "trades_total", symbol="M1-USD") == 3
    assert grown(now, "trade_volume_total", symbol="M1-USD", currency="BTC") == pytest.approx(5)
    assert grown(now, "trade_value_total", symbol="M1-USD", currency="USD") == pytest.approx(500)
    assert grown(now, "messages_out_total") == 21 + 6 + 1 + 1 + 7 + 3 + 1
    assert grown(now, "logons_total") == 2
    assert now("open_orders", shard="S1") == before("open_orders", shard="S1") + 17
    assert now("residents", shard="S1") == 6


def test_time_goes_into_the_stages_of_cycles(measuring: tuple[Floor, str]) -> None:
    venue, where = measuring
    before = scrape(where)
    with logged_on(venue, "M2-USD", "ALPHA") as (alpha,):
        for number in range(64):
            alpha.new(f"a{number}", BUY, 1, "100.00")
            alpha.told(f"a{number}", "0")
    now = counted(where, before, 64)
    cycles = now("cycles_total") - before("cycles_total")
    assert 64 <= cycles <= 70  # one order each, and what the day, the keeper and the like had to do
    whole = now("cycle_seconds_sum") - before("cycle_seconds_sum")
    assert now("cycle_seconds_count") - before("cycle_seconds_count") == cycles
    for stage in ("poll", "commit", "send"):
        of_stage = (
            now(f"cycle_stage_seconds_{end}", stage=stage) - before(f"cycle_stage_seconds_{end}", stage=stage)
            for end in ("count", "sum")
        )
        assert next(of_stage) == cycles
        assert 0 < next(of_stage) < whole
    for stage in ("decode", "engine", "record"):
        name = "cycle_stage_seconds_count"
        assert now(name, stage=stage) - before(name, stage=stage) in (48, 64, 80)
        assert now("cycle_stage_seconds_sum", stage=stage) > before("cycle_stage_seconds_sum", stage=stage)
    assert now("fsync_seconds_count") - before("fsync_seconds_count") >= 64
    assert now("fsync_seconds_sum") < now("cycle_stage_seconds_sum", stage="commit") * 1.5
    assert now("database_commit_seconds_count") > before("database_commit_seconds_count")


def test_bytes_connections_and_too_many_messages(tmp_path: Path) -> None:
    sessions = {"SLOW": {"client": "BRAVO", "begin_string": "FIX.4.4", "messages_per_second": 1}}
    with measured(tmp_path, sessions=sessions) as (venue, where):
        client = RawClient(venue.host, venue.port, "SLOW")
        client.logon(reset=True)
        order = new_order("z", BUY, 1, "1.00", symbol="M3-USD", account="BRAVO-1")
        for _ in range(3):
            client.send(*order)
        refused = [client.receive().msg_type for _ in range(3)].count("j")
        assert refused
        client.logout()
        socket.create_connection((venue.host, venue.port)).close()
        now = wait_until(where, lambda now: now("connections_total") == 2, "the stranger")
        assert now("rejects_total", reason="too many messages") == refused
        assert now("messages_in_total") == 3
        assert now("logons_total") == 1
        sent = sum(len(f"{tag}={value}|") for each in client.received for tag, value in each.fields)
        assert now("sent_bytes_total") == sent
        assert now("received_bytes_total") > 5 * 60


def test_states_of_markets_and_the_trading_day(measuring: tuple[Floor, str]) -> None:
    venue, where = measuring
    now = wait_until(where, lambda now: bool(now.all("trading_day", "day")), "the day")
    assert now("market_state", symbol="M4-USD", state="continuous") == 1
    assert done(venue, MarketState("halted", "M4-USD"))
    now = wait_until(where, lambda now: now("market_state", symbol="M4-USD", state="halted") == 1, "the halt")
    assert now("market_state", symbol="M4-USD", state="continuous") == 0
    assert list(now.all("trading_day", "day")) == [now.text.split('fixgw_trading_day{day="')[1][:10]]
    assert now("up") == 1 and now("shards") == 1


def test_files_and_tables_have_their_sizes(measuring: tuple[Floor, str]) -> None:
    _, where = measuring
    now = wait_until(where, lambda now: now("file_bytes", file="tail") == 8 << 20, "sizes")
    assert now("file_bytes", file="venue.mdb") >= now("database_used_bytes") > 100_000
    assert now("table_entries", table="journal") > 100
    assert now("table_bytes", table="journal") >= 4096
    assert now("disk_free_bytes") > 1 << 20
    assert now("venue_process_resident_memory_bytes") > 20 << 20


def test_nothing_but_get_of_one_path(measuring: tuple[Floor, str]) -> None:
    _, where = measuring
    for path in ("/", "/metrics/", "/favicon.ico", "/../etc/passwd", "/metricsx"):
        with pytest.raises(HTTPError) as caught:
            urlopen(f"http://{where}{path}", timeout=10)
        assert caught.value.code == 404, path
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        with pytest.raises(HTTPError) as caught:
            urlopen(Request(f"http://{where}/metrics", data=b"x", method=method), timeout=10)
        assert (caught.value.code, caught.value.headers["Allow"]) == (405, "GET"), method
    assert scrape(where)("up") == 1


def test_who_says_nothing_keeps_no_one_from_scraping(measuring: tuple[Floor, str]) -> None:
    _, where = measuring
    host, _, port = where.rpartition(":")
    silent = [socket.create_connection((host, int(port))) for _ in range(30)]
    try:
        assert scrape(where)("up") == 1
    finally:
        for each in silent:
            each.close()
    line = http.client.HTTPConnection(host, int(port), timeout=10)
    line.putrequest("GET", "/metrics")
    line.putheader("X", "y" * 200_000)
    line.endheaders()
    assert line.getresponse().status >= 400
    assert scrape(where)("up") == 1


def test_no_secret_and_no_text_of_a_client_appears(measuring: tuple[Floor, str]) -> None:
    venue, where = measuring
    client = RawClient(venue.host, venue.port, "LOCKED")
    client.logon(reset=True, extra=[(553, "LOCKED"), (554, SECRET)])
    client.send("D", [(11, "hunter2"), (1, "hunter3"), (55, "hunter4"), (54, 1), (60, "x"), (38, 1), (40, 1)])
    client.settle()
    client.logout()
    text = scrape(where).text
    assert "horse" not in text and "hunter" not in text


def test_all_names_are_said_and_all_that_are_said_have_help(measuring: tuple[Floor, str]) -> None:
    _, where = measuring
    now = wait_until(where, lambda now: bool(now("database_map_bytes")), "sizes")
    of_processes = "fixgw_venue_process_", "fixgw_metrics_process_"
    seen = {name for name, _ in now.samples if not name.startswith(of_processes)}
    assert seen <= exposition.names()
    helps = {line.split(" ", 3)[2] for line in now.text.splitlines() if line.startswith("# HELP")}
    for name in exposition.names():
        assert name in helps or name.rpartition("_")[0] in helps, f"{name} is never shown"


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_finds_nothing_to_complain_about(measuring: tuple[Floor, str]) -> None:
    _, where = measuring
    text = wait_until(where, lambda now: bool(now("database_map_bytes")), "sizes").text
    check = subprocess.run(["promtool", "check", "metrics"], input=text.encode(), capture_output=True)
    assert (check.returncode, check.stdout + check.stderr) == (0, b"")


def test_steps_of_orders_have_the_names_of_the_standard() -> None:
    known = names(LATEST).values
    assert {code: known["150", code] for code in EXEC_TYPES} == EXEC_TYPES


def test_the_endpoint_is_only_where_the_settings_say(tmp_path: Path) -> None:
    with measured(tmp_path) as (_, where):
        assert where.startswith("127.0.0.1:")
