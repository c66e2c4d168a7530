"""The load generator counts what it should: each order once, and a stall for every order that meets it."""

from __future__ import annotations

import socket
import sys
import threading
import time

from tests.bench.load import Load
from tests.bench.mirror import answer
from tests.bench.orders import Flow
from tests.process import ServerProcess

STALL = 0.3
"""seconds"""


def test_every_order_is_counted_once() -> None:
    with ServerProcess(sys.executable, "-m", "tests.bench.mirror") as server:
        load = Load(server.host, server.port, ["ALPHA"], 2000, Flow(random_ids=True), run=7)
        result = load.closed(window=64)
        load.close()
    assert (result.orders, result.reports, result.rejects) == (2000, 2000, 0)
    assert min(load.latency) > 0 and result.p50 <= result.p99 <= result.worst


class Stalling(socket.socket):
    """Reads nothing for a while once it has read 100 times."""

    reads = 0

    def recv(self, *arguments: int) -> bytes:
        self.reads += 1
        if self.reads == 100:
            time.sleep(STALL)
        return super().recv(*arguments)


def late_orders(measure: str, pace: int) -> int:
    """How many of 1,000 orders the generator sees answered late by a third of the stall or more."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with Stalling(fileno=connection.detach()) as stalling:
                answer(stalling)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        load = Load("127.0.0.1", listener.getsockname()[1], ["ALPHA"], 1000, Flow())
        getattr(load, measure)(pace)
        load.close()
        thread.join(10)
    return sum(latency > STALL / 3 * 1e9 for latency in load.latency)


def test_a_stall_counts_for_every_order_due_in_it() -> None:
    """Coordinated omission: a window of one meets the stall once, the schedule hundreds of times.
    (feature 70)"""
    assert late_orders("closed", 1) == 1
    assert late_orders("open", 1000) > 100
