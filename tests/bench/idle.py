"""`python -m tests.bench.idle --port P --sessions 1000`: sessions that log on and do nothing but send a
Heartbeat in time, until they are killed. In a process of its own: they take no time from who measures."""

from __future__ import annotations

import argparse
import select
import time
from typing import NoReturn

from tests.raw import READ_SIZE, RawClient

HEARTBEAT = 30
"""HeartBtInt(108)"""


def session_name(number: int) -> str:
    return f"S{number:04d}"


def begin_string(number: int) -> str:
    """Half of all speak each version."""
    return "FIXT.1.1" if number % 2 else "FIX.4.4"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.idle", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--sessions", type=int, required=True)
    args = parser.parse_args()
    clients = []
    for number in range(1, args.sessions + 1):
        client = RawClient("127.0.0.1", args.port, session_name(number), begin_string=begin_string(number))
        client.logon(heartbeat=HEARTBEAT, reset=True)
        clients.append(client)
    print(f"ready idle 1 127.0.0.1:{args.port}", flush=True)
    keep(clients)


def keep(clients: list[RawClient]) -> NoReturn:
    """Each sends its Heartbeat well before it is due; all that comes is read and thrown away."""
    poll = select.epoll()
    sockets = {client.socket.fileno(): client.socket for client in clients}
    for descriptor in sockets:
        poll.register(descriptor, select.EPOLLIN)
    pause = HEARTBEAT * 0.8 / len(clients)
    due, turn = time.monotonic(), 0
    while True:
        for descriptor, _ in poll.poll(max(0.0, due - time.monotonic())):
            assert sockets[descriptor].recv(READ_SIZE), "the venue has disconnected an idle session"
        while due <= time.monotonic():
            clients[turn % len(clients)].send("0")
            turn += 1
            due += pause


if __name__ == "__main__":
    main()
