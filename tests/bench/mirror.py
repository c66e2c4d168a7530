"""The generator's own ceiling: answers every order with a canned report, without parsing FIX. Numbers the
reports wrongly and checks nothing; whatever the generator reaches here, it is not what limits a venue."""

from __future__ import annotations

import re
import socket

from tests.wire import encode, frame, utc_now

ORDER = re.compile(rb"\x0111=([^\x01]*)\x01")
REPORT = frame(
    "FIX.4.4",
    encode([(35, "8"), (34, 2), (49, "FIXGW"), (52, utc_now()), (56, "ALPHA"), (37, 1), (17, 1), (150, 0)])
    + encode([(39, 0), (1, "ALPHA-1"), (55, "BTC-USD"), (54, 1), (38, "0.0001"), (151, "0.0001"), (14, 0)])
    + encode([(40, 2), (44, "50000.00"), (59, 0), (60, utc_now()), (6, 0), (11, "")]),
)
HEAD, TAIL = REPORT[:-8], REPORT[-8:]


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"ready mirror 1 127.0.0.1:{listener.getsockname()[1]}", flush=True)
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            answer(connection)


def answer(connection: socket.socket) -> None:
    half = b""
    while data := connection.recv(1 << 18):
        data = half + data
        end = data.rfind(b"\x0110=", 0, len(data) - 4) + 8
        half = data[end:]
        reports = b"".join([HEAD + order + TAIL for order in ORDER.findall(data, 0, end)])
        connection.sendall(reports or data[:end])  # what is no order comes back as it is


if __name__ == "__main__":
    main()
