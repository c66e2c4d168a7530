"""kill -9 around the moment at which one session ends and the next begins, and the trading day with it."""

from __future__ import annotations

import random
import time
from datetime import timedelta
from pathlib import Path

import pytest

from tests.raw import BUY, SELL, Disconnected, NothingCame, Received, new_order
from tests.venue.calendar import Calendar, next_weekday
from tests.venue.test_kill import executions_in
from tests.venue.trader import Trader

SESSIONS = {"ALPHA": "FIX.4.4", "CHARLIE": "FIXT.1.1"}
NEW_YORK = "America/New_York"
KILLS = 5
SCHEDULES = {"ROUND": {"time_zone": NEW_YORK, "start": "17:00", "end": "17:00"}}


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("seed", [1, 2])
def test_numbers_begin_again_once_and_no_report_is_lost(tmp_path: Path, seed: int) -> None:
    """Features 1, 15, 56: two clients trade over the end of their session, answer its Logout or not, and the
    venue is killed about then. Whatever it had done, both find numbers that begin with 1."""
    chance = random.Random(seed)
    end = next_weekday(0, "17:00", NEW_YORK)
    sessions = {name: {"schedule": "ROUND"} for name in SESSIONS}
    day = {"time_zone": NEW_YORK, "end": "17:00"}
    venue = Calendar(tmp_path, sessions, end - timedelta(hours=1), schedules=SCHEDULES, day=day).start()
    seen: dict[str, dict[str, list[tuple[int, str]]]] = {name: {} for name in SESSIONS}
    try:
        traders = fresh(venue)
        for kill in range(1, KILLS + 1):
            venue.move_to(end - timedelta(seconds=1))
            trade_and_kill(venue, traders, chance, time.monotonic() + chance.uniform(0.5, 2.5))
            remember(traders, seen)
            venue.move_to(end + timedelta(hours=1))
            venue.start()
            resets = [deed for deed in venue.deeds("calendar") if "reset" in deed]
            assert len(resets) == kill * len(SESSIONS), resets[-4:]
            traders = fresh(venue)
            end += timedelta(days=1)
        remember(traders, seen)
        assert venue.terminate() == 0
        logged = executions_in(venue.data)
        for name in SESSIONS:
            mine = {exec_id for exec_id, event in logged if event.session == name}
            assert set(seen[name]) == mine, "the union of what was received is not what happened"
        accepted = [(event.client, event.cl_ord_id) for _, event in logged if event.exec_type == "0"]
        assert len(set(accepted)) == len(accepted)
        assert any(event.exec_type == "C" for _, event in logged)
        venue.start()  # the journal gives the same events, and the state the same digest
        assert venue.terminate() == 0
    except Exception as failure:
        failure.add_note(f"the venue wrote:\n{venue.errors[-3000:]}")
        raise
    finally:
        if venue.process.poll() is None:
            venue.kill9()


def fresh(venue: Calendar) -> list[Trader]:
    """New numbers on the clients' side, and all that they find missing."""
    traders = [Trader("127.0.0.1", venue.port, name, version) for name, version in SESSIONS.items()]
    for trader in traders:
        trader.recover(venue.port)
    return traders


def trade_and_kill(venue: Calendar, traders: list[Trader], chance: random.Random, when: float) -> None:
    live = list(traders)
    while time.monotonic() < when:
        for trader in list(live):
            side, tif = chance.choice((BUY, SELL)), chance.choice("01")
            name = f"{trader.comp_id}-{time.monotonic_ns()}"
            order = new_order(name, side, "0.1", "100", symbol="M1-USD", account=f"{trader.comp_id}-1",
                              time_in_force=tif)  # fmt: skip
            if not step(trader, order, chance):
                live.remove(trader)
        time.sleep(0.01)
    venue.kill9()
    for trader in traders:
        while trader in live and chance.random() < 0.95 and step(trader, None, chance):
            pass
        trader.close(abort=True)


def step(trader: Trader, order: tuple[str, list[tuple[int, object]]] | None, chance: random.Random) -> bool:
    """Sends an order and takes what came; False once the session is over for the client."""
    try:
        if order is not None:
            trader.trade(*order)
        for _ in range(chance.randint(0, 8)):
            trader.timeout = 0.02
            trader.take()
    except NothingCame:
        pass
    except (Disconnected, ConnectionError):
        last = trader.received[-1]
        if last.msg_type == "5" and chance.random() < 0.7:
            trader.send("5")
        return False
    finally:
        trader.timeout = 20.0
    return True


def remember(traders: list[Trader], seen: dict[str, dict[str, list[tuple[int, str]]]]) -> None:
    """What each has, by ExecID: that comes again, if at all, with the same content."""
    for trader in traders:
        for message in trader.reports.values():
            if message.msg_type == "8" and message[37] != "NONE":
                known = seen[trader.comp_id].setdefault(message[17], lasting(message))
                assert known == lasting(message)


def lasting(message: Received) -> list[tuple[int, str]]:
    return [pair for pair in message.fields if pair[0] not in (9, 10, 34, 43, 52, 97, 122)]
