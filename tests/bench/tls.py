"""`python -m tests.bench.tls`: the same venue over TLS 1.3 with client certificates and over TCP, in
interleaved rounds. The load generator encrypts on the same machine: its share is part of the difference, but
not of the venue's own processor time."""

from __future__ import annotations

import argparse
import os
import ssl
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import yaml

from tests.bench.load import Load
from tests.bench.measure import RUNS, WINDOWS
from tests.bench.orders import Flow
from tests.bench.table import machine
from tests.door.authority import VENUE, Authority
from tests.door.secure import OverTls
from tests.process import CONFIG, VenueProcess
from tests.raw import RawClient

ORDERS = (4_000, 20_000, 60_000)
"""for each window"""
HANDSHAKES = 500
Connect = Callable[[str, int, str], RawClient]
Figures = dict[str, float]


class Socket(ssl.SSLSocket):
    """Says that it would block as one of TCP does."""

    def send(self, data: bytes, flags: int = 0) -> int:  # type: ignore[override]
        try:
            return super().send(data, flags)
        except ssl.SSLWantWriteError:
            raise BlockingIOError from None

    def recv(self, size: int = 1024, flags: int = 0) -> bytes:
        try:
            return super().recv(size, flags)
        except ssl.SSLWantReadError:
            raise BlockingIOError from None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.tls", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        context = prepare(directory)
        with VenueProcess(directory / "data", config=directory / "venue.yaml") as venue:
            tls_port = int(venue.ready_line.rpartition(":")[2])

            def over_tls(host: str, port: int, comp_id: str) -> RawClient:
                client = OverTls(host, tls_port, comp_id)
                client.context = context
                return client

            print(machine())
            for window, orders in zip(WINDOWS, ORDERS, strict=True):
                rounds = [
                    [run(venue, window, orders, connect) for connect in (RawClient, over_tls)]
                    for _ in range(args.rounds)
                ]
                show(window, [pair[0] for pair in rounds], [pair[1] for pair in rounds])
            began = cpu(venue)
            for _ in range(HANDSHAKES):
                over_tls(venue.host, tls_port, "ALPHA").connect().close()
            print(f"{(cpu(venue) - began) / HANDSHAKES * 1e6:,.0f} µs of the venue's processor a handshake")
            assert venue.terminate() == 0


def prepare(directory: Path) -> ssl.SSLContext:
    """Settings with a TLS port, and what a client needs for it."""
    authority = Authority(directory)
    authority.issue("venue", VENUE)
    client = authority.issue("client")
    tls = {"certificate": "venue.pem", "key": "venue.key", "client_ca": "ca.pem", "port": 0}
    (directory / "venue.yaml").write_text(yaml.safe_dump(yaml.safe_load(CONFIG.read_text()) | {"tls": tls}))
    context = ssl.create_default_context(cafile=str(authority.file))
    context.load_cert_chain(client.certificate, client.key)
    context.sslsocket_class = Socket
    return context


def run(venue: VenueProcess, window: int, orders: int, connect: Connect) -> Figures:
    load = Load(venue.host, venue.port, ["ALPHA"], orders, Flow(), next(RUNS), connect)
    began = cpu(venue)
    result = load.closed(window)
    used = (cpu(venue) - began) / orders * 1e6
    load.close()
    return {"orders/s": result.orders_per_second, "p50 µs": result.p50, "venue's µs an order": used}


def cpu(venue: VenueProcess) -> float:
    """Seconds of processor time it has used."""
    fields = Path(f"/proc/{venue.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show(window: int, plain: list[Figures], tls: list[Figures]) -> None:
    for what in plain[0]:
        one, other = (median(figures[what] for figures in each) for each in (plain, tls))
        print(f"window {window:5}  {what:20} plain {one:10,.0f}  TLS {other:10,.0f}  ratio {other / one:.2f}")


if __name__ == "__main__":
    main()
