"""Whatever is lost, and whoever is killed: who comes back has the true book again, and on each connection it
is told every trade since its first W once (features 58 to 60)."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from random import Random

import pytest

from tests.marketdata.station import (
    Truth,
    Watcher,
    floor,
    same,
    station,
    station_pid,
    trades_fit,
    trading,
    wait,
)
from tests.raw import Disconnected
from tests.venue.floor import Floor

SESSIONS = {"OLD": {}, "NEW": {"begin_string": "FIXT.1.1"}}
MARKET = "M1-USD"
KILLS = 3


class Station:
    """Of a venue; it may be started again."""

    def __init__(self, venue: Floor) -> None:
        self.venue, self.starts = venue, 1

    def watch(self, client: Watcher | None, name: str) -> Watcher:
        """The same client on a new connection, with its numbers; it subscribes again."""
        where = station(self.venue, self.starts)
        if client is None:
            client = Watcher(where, name, SESSIONS[name].get("begin_string", "FIX.4.4"))
        client.close()
        before, client.address = client.next_inbound, where
        client.books.clear()
        logon = client.logon()
        assert logon.sequence >= before, "a number was used before"
        if logon.sequence > before:  # what it missed, and what is filled where nothing was
            client.send("2", [(7, before), (16, 0)])
        client.ask("full", MARKET)
        client.ask("two", MARKET, depth=2)
        client.begin()
        return client


def check(venue: Floor, truth: Truth, client: Watcher) -> None:
    truth.catch_up(venue.journaled())
    client.read_until(lambda: all(same(book, truth) for book in client.books.values()))
    full = client.books["full", MARKET]
    client.read_until(lambda: not full.order or full.order[-1] == truth.trades(MARKET)[-1])
    assert trades_fit(full, truth), "not every trade once"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["OLD", "NEW"])
def test_the_station_is_killed_again_and_again(tmp_path: Path, name: str) -> None:
    chance = Random(3)
    with floor(tmp_path, SESSIONS) as venue, trading(venue, MARKET, 11) as traders:
        truth, place = Truth(venue.data), Station(venue)
        client: Watcher | None = None
        for _ in range(KILLS):
            client = place.watch(client, name)
            traders.act(chance.randint(1, 60))
            if chance.random() < 0.5:
                traders.settle()
                check(venue, truth, client)
                traders.act(20)
            os.kill(station_pid(venue), signal.SIGKILL)
            place.starts += 1
            traders.act(chance.randint(1, 60))
            with pytest.raises(Disconnected):
                while True:
                    client.receive()
        client = place.watch(client, name)
        traders.act(50)
        traders.settle()
        check(venue, truth, client)
        client.close()
        truth.close()


@pytest.mark.slow
def test_the_venue_is_killed_and_the_connection_is_lost(tmp_path: Path) -> None:
    """With the venue goes the station: a book is never one that the venue does not have."""
    chance = Random(5)
    venue = Floor(tmp_path, market_data={"port": 0, "sessions": SESSIONS})
    with venue:
        client: Watcher | None = None
        for _ in range(KILLS):
            place = Station(venue)
            with_lost = chance.random() < 0.5
            traders_of = trading(venue, MARKET, chance.randint(1, 1000))
            traders = traders_of.__enter__()
            client = place.watch(client, "NEW")
            pid = station_pid(venue)
            traders.act(chance.randint(1, 60))
            if with_lost:
                client.close(abort=True)
                wait(lambda: "session NEW disconnected" in venue.errors, lambda: venue.errors)
                client = place.watch(client, "NEW")
            traders.act(chance.randint(1, 60))
            traders.settle()
            truth = Truth(venue.data)
            check(venue, truth, client)
            truth.close()
            traders.act(30)
            venue.kill9()
            for member in traders.members:
                member.close()
            wait(lambda pid=pid: gone(pid), lambda: "the station goes on")  # type: ignore[misc]
            client.close()
            venue.start()
        assert venue.terminate() == 0, venue.errors


def test_a_reader_that_stalls_is_cut_and_no_other_notices(tmp_path: Path) -> None:
    """Feature 59: it does not read for a second; what it has asked for goes on to others."""
    sessions = {"STALLED": {"stalled_seconds": 1, "messages_per_second": 100_000}, "QUICK": {}}
    with floor(tmp_path, sessions) as venue, trading(venue, MARKET, 1) as traders:
        truth, where = Truth(venue.data), station(venue)
        traders.act(200)
        traders.settle()
        stalled, quick = Watcher(where, "STALLED"), Watcher(where, "QUICK")
        quick.logon(reset=True)
        quick.ask("full", MARKET)
        quick.begin()
        connect_narrow(stalled)
        stalled.logon(reset=True)
        # Far more than the sockets between them hold.
        for number in range(20_000):
            stalled.ask(f"R{number}", *(f"M{market}-USD" for market in range(10)), kind="0")
        stalled.ask("R", MARKET)
        wait(lambda: "it has read nothing for 1 s" in venue.errors, lambda: venue.errors[-300:])
        traders.act(50)
        traders.settle()
        check(venue, truth, quick)
        assert quick.books["full", MARKET].order
        quick.logout()
        truth.close()
        # It may come back.
        again = Watcher(where, "STALLED")
        again.logon(reset=True)
        again.ask("full", MARKET)
        again.begin()
        again.logout()


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def connect_narrow(client: Watcher) -> None:
    """With as little room for what it does not read as there can be."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(client.timeout)
    line.connect(client.address)
    client._socket = line
