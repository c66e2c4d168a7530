"""The ceiling: what QuickFIX in Python reaches when a venue does nothing. Order in, report out, through
SocketAcceptor.poll() in our own loop; memory store, no log, no door, no checks, no disk.

The cheapest way known through the binding: one toString() and one split for an order, one formatted
text, one Message and one send on a kept Session for its report. Between orders it waits for bytes, or with
--spin polls on and on: faster by a wake-up on an idle machine, slower on a busy one. The better counts."""

from __future__ import annotations

import argparse
import select
import signal
import socket
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

import quickfix

SETTINGS = """
[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort={port}
SocketReuseAddress=Y
SocketNodelay=Y
StartTime=00:00:00
EndTime=00:00:00
BeginString=FIX.4.4
SenderCompID=FIXGW
DataDictionary={dictionary}
[SESSION]
TargetCompID=ALPHA
[SESSION]
TargetCompID=BRAVO
"""


def report(order: dict[str, str], number: int) -> str:
    """An ExecutionReport that says New."""
    return (
        f"8=FIX.4.4\x019=0\x0135=8\x0137={number}\x0117={number}\x01150=0\x0139=0\x0111={order['11']}\x01"
        f"1={order['1']}\x0155={order['55']}\x0154={order['54']}\x0138={order['38']}\x0140={order['40']}\x01"
        f"44={order['44']}\x0159={order['59']}\x01151={order['38']}\x0114=0\x016=0\x0160={order['60']}\x01"
        "10=000\x01"
    )


class Echo(quickfix.Application):  # type: ignore[misc]
    """Answers each order with a report, inside the callback."""

    def __init__(self) -> None:
        super().__init__()
        self.sessions: dict[str, quickfix.Session] = {}
        self.orders = 0

    def onCreate(self, session_id: quickfix.SessionID) -> None:
        self.sessions[session_id.getTargetCompID().getString()] = quickfix.Session.lookupSession(session_id)

    def fromApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        order = dict([field.split("=", 1) for field in message.toString().split("\x01")[:-1]])
        self.orders += 1
        self.sessions[order["49"]].send(quickfix.Message(report(order, self.orders), False))

    def onLogon(self, session_id: quickfix.SessionID) -> None: ...

    def onLogout(self, session_id: quickfix.SessionID) -> None: ...

    def toAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None: ...

    def fromAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None: ...

    def toApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None: ...


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def standard_dictionary() -> str:
    return str(Path(sysconfig.get_path("data")) / "share/quickfix/FIX44.xml")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.echo", description=__doc__)
    parser.add_argument("--dictionary", default=standard_dictionary(), help="FIX.4.4 data dictionary")
    parser.add_argument("--spin", action="store_true", help="never wait")
    args = parser.parse_args()
    port = free_port()
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
        file.write(SETTINGS.format(port=port, dictionary=args.dictionary))
        file.flush()
        settings = quickfix.SessionSettings(file.name)
    application = Echo()
    acceptor = quickfix.SocketAcceptor(application, quickfix.MemoryStoreFactory(), settings)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # importing quickfix took it away
    acceptor.poll()
    print(f"ready echo {quickfix.__name__} 127.0.0.1:{port}", flush=True)
    if args.spin:
        while acceptor.poll():
            pass
    serve(acceptor.poll)


def serve(poll: Callable[[], bool]) -> None:
    """Polls whenever a socket of QuickFIX has something to read. It does not tell its sockets: all sockets
    of this process are its own."""
    waiting = select.poll()
    listening = sockets()
    for descriptor in listening:
        waiting.register(descriptor, select.POLLIN)
    while True:
        for descriptor, event in waiting.poll(1000):
            if event != select.POLLIN:
                waiting.unregister(descriptor)
            elif descriptor in listening:
                poll()  # accepts
                for each in sockets():
                    waiting.register(each, select.POLLIN)
        poll()


def sockets() -> set[int]:
    return {int(link.name) for link in Path("/proc/self/fd").iterdir() if link.is_socket()}


if __name__ == "__main__":
    main()
