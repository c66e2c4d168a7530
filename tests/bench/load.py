"""Load generator: one process, raw sockets, prebuilt orders, replies read with one compiled pattern.

Closed loop (a window of outstanding orders) measures what the venue can carry. Its latencies hide
coordinated omission: when the venue stalls, the generator stops sending, and the orders that would have
met the stall are never sent. Open loop (a fixed rate) sends on a schedule, whatever comes back, and
counts each latency from the moment the order should have been sent."""

from __future__ import annotations

import argparse
import gc
import select
import time
from array import array
from collections.abc import Callable
from dataclasses import asdict, dataclass

from tests.bench.lane import Lane
from tests.bench.orders import Flow, build
from tests.raw import RawClient

PATIENCE = 20.0
"""seconds without any byte from the venue until the run is given up"""


@dataclass(frozen=True)
class Result:
    """Times in microseconds. `generator_cpu` is the share of one core the generator itself used."""

    orders_per_second: float
    reports_per_second: float
    p50: float
    p99: float
    p999: float
    worst: float
    orders: int
    reports: int
    rejects: int
    generator_cpu: float


class Load:
    """One run over one or several sessions. Order n of the run goes to session n modulo their number."""

    def __init__(
        self,
        host: str,
        port: int,
        comp_ids: list[str],
        orders: int,
        flow: Flow,
        run: int = 0,
        connect: Callable[[str, int, str], RawClient] = RawClient,
    ) -> None:
        self.orders = orders
        self.sent_at = array("q", [0]) * orders
        self.latency = array("q", [0]) * orders
        self.answered_at = array("q")
        """when each answer came, in the order of coming"""
        self.lanes = [
            self._lane(connect(host, port, comp_id), range(start, orders, len(comp_ids)), flow, run)
            for start, comp_id in enumerate(comp_ids)
        ]

    @staticmethod
    def _lane(client: RawClient, numbers: range, flow: Flow, run: int) -> Lane:
        client.logon(heartbeat=60, reset=True)
        client.settle()  # what was missed before is not of this run
        return Lane(client, build(client.comp_id, numbers, flow, client.next_outbound, run), numbers, run)

    def closed(self, window: int) -> Result:
        """Keeps `window` orders outstanding, shared among the sessions; refills it by sixteenths, so that
        a venue that answers one by one does not cost the generator a system call for each order."""
        share = max(1, window // len(self.lanes))
        free = dict.fromkeys(self.lanes, 0)

        def start() -> None:
            for lane in self.lanes:
                self._send(lane, share, time.perf_counter_ns())

        def answered(lane: Lane, count: int) -> None:
            free[lane] += count
            if free[lane] >= share // 16:
                self._send(lane, free[lane], time.perf_counter_ns())
                free[lane] = 0

        return self._measure(start, answered, lambda: PATIENCE)

    def open(self, rate: float) -> Result:
        """Sends `rate` orders a second on a schedule; latency counts from the intended time."""
        interval = 1e9 / rate
        begin = issued = 0

        def start() -> None:
            nonlocal begin
            begin = time.perf_counter_ns()

        def due() -> float:
            """Sends what is due; returns the seconds until the next order is."""
            nonlocal issued
            while issued < self.orders:
                intended = begin + int(issued * interval)
                wait = intended - time.perf_counter_ns()
                if wait > 0:
                    return wait / 1e9
                self._send(self.lanes[issued % len(self.lanes)], 1, intended)
                issued += 1
            return PATIENCE

        return self._measure(start, lambda lane, count: None, due)

    def close(self) -> None:
        for lane in self.lanes:
            lane.client.logout()

    def _send(self, lane: Lane, count: int, intended: int) -> None:
        for number in lane.take(count):
            self.sent_at[number] = intended
        lane.flush()

    def _measure(
        self,
        start: Callable[[], None],
        answered: Callable[[Lane, int], None],
        due: Callable[[], float],
    ) -> Result:
        gc.collect()
        gc.disable()
        begin, cpu = time.perf_counter_ns(), time.process_time_ns()
        try:
            start()
            self._loop(answered, due)
        finally:
            gc.enable()
        used = (time.process_time_ns() - cpu) / (time.perf_counter_ns() - begin)
        last = self._drain()
        return self._result(begin, last, used)

    def _loop(self, answered: Callable[[Lane, int], None], due: Callable[[], float]) -> None:
        """Until each order has its first report."""
        lanes = {lane.socket: lane for lane in self.lanes}
        heard = time.perf_counter_ns()
        while len(self.answered_at) < self.orders:
            wait = due()
            full = [lane.socket for lane in self.lanes if lane.unsent]
            ready, writable, _ = select.select(lanes, full, [], wait)
            for each in writable:
                lanes[each].flush()
            for each in ready:
                heard = time.perf_counter_ns()
                if count := self._count(lanes[each].read(), heard):
                    answered(lanes[each], count)
            silent = (time.perf_counter_ns() - heard) / 1e9
            assert silent < PATIENCE, f"{len(self.answered_at)} of {self.orders} answered, then silence"

    def _count(self, numbers: list[bytes], now: int) -> int:
        """Notes the latency of each order whose first report this is; returns how many there were."""
        latency, sent_at = self.latency, self.sent_at
        count = 0
        for number in map(int, numbers):
            if not latency[number]:
                latency[number] = now - sent_at[number]
                count += 1
        self.answered_at.extend([now] * count)
        return count

    def _drain(self) -> int:
        """Reads the reports that follow the last first report (fills of resting orders); returns when the
        last of them came."""
        last = self.answered_at[-1]
        for lane in self.lanes:
            lane.ask_end()
            while not lane.ended:
                ready, _, _ = select.select([lane.socket], [], [], PATIENCE)
                assert ready, "no Heartbeat came for the TestRequest at the end of the run"
                reports = lane.reports
                lane.read()
                if lane.reports > reports:
                    last = time.perf_counter_ns()
        return last

    def _result(self, begin: int, last: int, cpu: float) -> Result:
        """The first tenth of the orders only warms up."""
        warm = self.orders // 10
        seconds = (self.answered_at[-1] - self.answered_at[warm - 1]) / 1e9
        latencies = sorted(self.latency[warm:])
        reports = sum(lane.reports for lane in self.lanes)

        def percentile(share: float) -> float:
            return latencies[min(int(len(latencies) * share), len(latencies) - 1)] / 1000

        return Result(
            orders_per_second=(self.orders - warm) / seconds,
            reports_per_second=reports * 1e9 / (last - begin),
            p50=percentile(0.5),
            p99=percentile(0.99),
            p999=percentile(0.999),
            worst=percentile(1.0),
            orders=self.orders,
            reports=reports,
            rejects=sum(lane.rejects for lane in self.lanes),
            generator_cpu=cpu,
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--session", action="append", help="FIX.4.4 session; may be repeated (default ALPHA)")
    parser.add_argument("--orders", type=int, default=20_000)
    parser.add_argument("--crossing", type=float, default=0.0, help="share of orders that trade, 0 to 1")
    parser.add_argument("--random-ids", action="store_true", help="ClOrdIDs in no order")
    parser.add_argument("--window", type=int, default=16, help="outstanding orders (closed loop)")
    parser.add_argument("--rate", type=float, help="orders a second (open loop, instead of a window)")
    parser.add_argument(
        "--run", type=int, default=int(time.time()) % 65536, help="keeps ClOrdIDs of runs apart"
    )
    args = parser.parse_args()
    flow = Flow(args.crossing, args.random_ids)
    load = Load(args.host, args.port, args.session or ["ALPHA"], args.orders, flow, args.run)
    result = load.open(args.rate) if args.rate else load.closed(args.window)
    load.close()
    for name, value in asdict(result).items():
        print(f"{name:20} {value:,.2f}" if isinstance(value, float) else f"{name:20} {value:,}")


if __name__ == "__main__":
    main()
