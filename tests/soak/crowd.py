"""A crowd of clients that trade, lose their connections at once, and come back at once (feature 2)."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from tests.process import VenueProcess
from tests.soak.trader import Trader

RICH = {"USD": 10**6, "BTC": 10**4}
PATIENCE = 300.0
"""seconds for all to be answered after a storm"""


def write_config(path: Path, count: int) -> Path:
    """`count` sessions, every second one FIXT.1.1, of clients with one session each."""
    market = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
    free = {"messages_per_second": 1_000_000}
    settings: dict[str, Any] = {
        "currencies": {"USD": {"decimals": 8}, "BTC": {"decimals": 8}},
        "instruments": {"BTC-USD": market | {"max_quantity": "1000", "max_price": "1000000"}},
        "clients": {name: {"accounts": {f"{name}-1": RICH}} for name in names(count)},
        "sessions": {name: {"client": name, "begin_string": version(name)} | free for name in names(count)},
        "door": {"connections": 2 * count + 10, "connections_per_address": 2 * count + 10},
        "message_log": {"on": "no"},
        "restart": {"cancel_only_seconds": 0, "auction_seconds": 0},
    }
    path.write_text(yaml.safe_dump(settings, default_flow_style=None))
    return path


def names(count: int) -> list[str]:
    return [f"S{number:04}" for number in range(count)]


def version(name: str) -> str:
    return "FIXT.1.1" if int(name[1:]) % 2 else "FIX.4.4"


class Crowd:
    def __init__(self, venue: VenueProcess, count: int) -> None:
        self.venue = venue
        self.traders = [Trader(name, version(name), f"{name}-1") for name in names(count)]
        self.rounds = 0

    async def storm(self, orders: int, kill: bool = False) -> float:
        """All connect, each sends `orders` orders, and in the midst of it every connection is gone; with
        `kill` because the venue is. Then all come back at once. Returns the seconds from there until every
        order is answered and nothing is missing."""
        self.rounds += 1
        running = self._connect()
        await self._all_up()
        for number in range(orders):
            self._order_all(number)
            await asyncio.sleep(0)
        if kill:
            self.venue.kill9()
        for trader in self.traders:
            trader.drop()
        await asyncio.gather(*running)
        if kill:
            await asyncio.to_thread(self.venue.start)
        begun = time.monotonic()
        running = self._connect()
        await self._all_up()
        self._order_all(orders)  # the answer comes after all that is missing
        await asyncio.wait_for(asyncio.gather(*[trader.quiet.wait() for trader in self.traders]), PATIENCE)
        took = time.monotonic() - begun
        for trader in self.traders:
            trader.drop()
        await asyncio.gather(*running)
        return took

    def check(self) -> int:
        """Every order was accepted once, under one number; every trade has two sides; returns the orders."""
        trades: Counter[str] = Counter()
        for trader in self.traders:
            sent = {str(dict(fields)[11]) for _, fields in trader.sent.values()}
            accepted = Counter(each[11] for each in trader.reports.values() if each[150] == "0")
            assert accepted == dict.fromkeys(sent, 1), f"{trader.comp_id}: lost or doubled"
            ids = Counter(each[17] for each in trader.reports.values())
            assert max(ids.values()) == 1, f"{trader.comp_id}: a report came under two numbers"
            assert not [each for each in trader.reports.values() if each[150] == "8"]
            trades.update(each[17] for each in trader.reports.values() if each[150] == "F")
        assert sum(trades.values()) % 2 == 0, "a trade without its other side"
        return sum(len(trader.sent) for trader in self.traders)

    def _connect(self) -> list[asyncio.Task[None]]:
        loop = asyncio.get_running_loop()
        return [loop.create_task(each.run(self.venue.host, self.venue.port)) for each in self.traders]

    async def _all_up(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not all(trader.up for trader in self.traders):
            assert time.monotonic() < deadline, (
                f"{sum(not each.up for each in self.traders)} are not logged on"
            )
            await asyncio.sleep(0.02)

    def _order_all(self, number: int) -> None:
        for at, trader in enumerate(self.traders):
            side, price = ("1", "100.00") if at % 4 < 2 else ("2", "100.00" if at % 8 < 4 else "101.00")
            trader.order(f"{self.rounds}-{number}", side, price)
