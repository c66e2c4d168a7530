"""Either process may end at any moment: what is counted once is not counted again, and a scrape is never an
error."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from pathlib import Path

from fixgw.publish.standing import Standing, write
from tests.metrics.scraping import Scrape, endpoint, measured, scrape, wait_until
from tests.process import ServerProcess, VenueProcess
from tests.raw import BUY
from tests.venue.floor import Floor, logged_on, write_config

GAUGES = "sessions_logged_on", "sessions", "shards", "unread_bytes", "snapshot_running"


def alone(venue: Floor, *more: str) -> ServerProcess:
    """`fixgw publish metrics` without a venue that has started it."""
    words = "--config", str(venue.config), "--data", str(venue.data), "--port", "0"
    return ServerProcess(sys.executable, "-m", "fixgw", "publish", "metrics", *words, *more)


def where(process: ServerProcess) -> str:
    return f"{process.host}:{process.port}"


def trade(venue: Floor, run: str, orders: int) -> None:
    with logged_on(venue, "M1-USD", "ALPHA") as (alpha,):
        for number in range(orders):
            alpha.new(f"{run}{number}", BUY, 1, "100.00")
            alpha.told(f"{run}{number}", "0")


def orders(now: Scrape) -> float:
    return now("commands_total", command="NewOrder")


def test_killed_it_comes_again_and_counts_every_entry_once(tmp_path: Path) -> None:
    with measured(tmp_path) as (venue, at):
        for number in range(1, 4):
            trade(venue, f"r{number}", 20)
            now = wait_until(at, lambda now, wanted=20 * number: orders(now) >= wanted, "the orders")
            assert orders(now) == 20 * number
            os.kill(int(_pid(venue)), signal.SIGKILL)
            trade(venue, f"s{number}", 0)
            at = endpoint(venue, number + 1)
            now = wait_until(at, lambda now: orders(now) > 0, "the counts")
            assert orders(now) == 20 * number, "neither lost nor counted twice"
            assert now("messages_in_total") == 20 * number, "the venue's own counts go on"


def _pid(venue: Floor) -> str:
    """Of the metrics process: the child of the venue that publishes."""
    for each in Path(f"/proc/{venue.pid}/task/{venue.pid}/children").read_text().split():
        if b"publish" in Path(f"/proc/{each}/cmdline").read_bytes():
            return each
    raise AssertionError("there is none")


def test_a_venue_that_has_stopped_is_0_and_no_error(tmp_path: Path) -> None:
    """Its counters stay as they were; who was killed is as gone as who has stopped."""
    venue = Floor(tmp_path)
    with venue:
        trade(venue, "a", 15)
        with alone(venue) as process:
            now = wait_until(where(process), lambda now: orders(now) == 15, "the orders")
            now = wait_until(where(process), lambda now: now("residents", shard="S1") > 0, "residents")
            assert now("up") == 1 and now("venue_process_open_fds") > 10
            venue.kill9()
            now = scrape(where(process))
            assert now("up") == 0 and now("cycles_total") >= 15 and now("start_time_seconds") > 10**9
            assert [now(name) for name in GAUGES] == [0] * len(GAUGES)
            assert now("residents", shard="S1") == now("venue_process_open_fds") == 0
            assert orders(now) == 15
            venue.start()
            now = wait_until(where(process), lambda now: now("up") == 1, "the venue")
            assert now("messages_in_total") == 0, "the venue's counters begin anew"
            trade(venue, "b", 5)
            now = wait_until(where(process), lambda now: orders(now) == 20, "the log goes on")
            assert now("messages_in_total") == 5
            assert venue.terminate() == 0
            now = scrape(where(process))
            assert now("up") == 0 and orders(now) == 20
            assert process.terminate() == 0
            assert "Traceback" not in process.errors


def test_scrapes_never_fail_while_the_venue_starts_and_dies(tmp_path: Path) -> None:
    venue = Floor(tmp_path)
    with venue, alone(venue) as process:
        for _ in range(3):
            venue.kill9()
            venue.spawn()
            while not venue.ready_line:
                assert scrape(where(process))("build_info", version="0.1.0") == 1
        assert venue._ready.wait(30)
        assert "Traceback" not in process.errors


def test_it_ends_with_its_venue(tmp_path: Path) -> None:
    venue = Floor(tmp_path)
    with venue, alone(venue, "--beside", str(venue.pid)) as process:
        venue.kill9()
        assert process.wait() == 0


def test_counts_of_another_log_are_not_gone_on_with(tmp_path: Path) -> None:
    one, other = Floor(_made(tmp_path / "one")), Floor(_made(tmp_path / "other"))
    with one, other:
        trade(one, "a", 9)
        trade(other, "a", 4)
        with alone(one) as process:
            wait_until(where(process), lambda now: orders(now) == 9, "the orders")
            assert process.terminate() == 0
        kept = one.data / "metrics" / "tally.json"
        assert json.loads(kept.read_bytes())["commands"]["NewOrder"] == 9
        (other.data / "metrics").mkdir()
        for wrong in (kept.read_bytes(), b"{", b""):
            (other.data / "metrics" / "tally.json").write_bytes(wrong)
            with alone(other) as process:
                now = wait_until(where(process), lambda now: orders(now) > 0, "the orders")
                assert orders(now) == 4
        assert one.terminate() == other.terminate() == 0


def _made(directory: Path) -> Path:
    directory.mkdir()
    return directory


def test_lag_of_each_reader_is_told(tmp_path: Path) -> None:
    with measured(tmp_path) as (venue, at):
        trade(venue, "a", 10)
        now = wait_until(at, lambda now: now("reader_behind_events", reader="metrics") == 0, "no lag")
        assert now("reader_behind_seconds", reader="metrics") == 0
        last = int(now("log_events_total"))
        folder = venue.data / "drop-copy"
        folder.mkdir()
        write(folder, Standing(last - 3, 1, {"AUDIT": last, "SLOW": last - 7}))
        now = wait_until(at, lambda now: now("reader_behind_seconds", reader="drop-copy") > 0.2, "the lag")
        assert now("reader_behind_events", reader="drop-copy") == 3
        assert now("reader_session_behind_events", reader="drop-copy", session="SLOW") == 7
        assert now("reader_session_behind_events", reader="drop-copy", session="AUDIT") == 0
        write(folder, Standing(last, 1))
        now = scrape(at)
        assert now("reader_behind_seconds", reader="drop-copy") == 0


def test_mistakes_are_told_in_words(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for data, more, words in (
            (tmp_path / "nothing", (), "holds no venue's data"),
            (tmp_path / "data", ("--port", port), "metrics: cannot listen on 127.0.0.1:"),
        ):
            with VenueProcess(tmp_path / "data", config=config) as venue:
                assert venue.terminate() == 0
            words_of = "--config", str(config), "--data", str(data), *more
            process = ServerProcess(sys.executable, "-m", "fixgw", "publish", "metrics", *words_of).spawn()
            assert process.wait() == 2
            assert words in process.errors and "Traceback" not in process.errors
