"""The QuickFIX acceptor of a session: made and closed in any number, whatever else the process opens."""

from __future__ import annotations

import os
import threading
from collections import deque
from contextlib import closing
from pathlib import Path

from fixgw.assembly import RULES
from fixgw.codec.dictionary import compose
from fixgw.sessions.acceptor import Acceptor
from fixgw.sessions.identity import Identity

COUNT = 60


def test_acceptors_are_made_while_other_threads_open_and_close_files(tmp_path: Path) -> None:
    """Each listens on its own Unix socket. Of those made while no other thread opens files nothing is left
    once they are closed."""
    dictionaries = compose(RULES, tmp_path)
    stop = threading.Event()

    def open_and_close() -> None:
        files = deque(open(os.devnull) for _ in range(3))  # noqa: SIM115
        while not stop.is_set():
            files.append(open(os.devnull))  # noqa: SIM115
            files.popleft().close()
        for file in files:
            file.close()

    thread = threading.Thread(target=open_and_close)
    thread.start()
    try:
        for number in range(COUNT):
            name = f"S{number}"
            with closing(
                Acceptor(Identity("FIX.4.4", "FIXGW", name), dictionaries, 120, 3, tmp_path)
            ) as made:
                assert (tmp_path / f"{name}.FIX.4.4").is_socket()
                assert made.numbers == (1, 1)
            assert not (tmp_path / f"{name}.FIX.4.4").exists()
    finally:
        stop.set()
        thread.join()
    again = len(os.listdir("/proc/self/fd"))
    for number in range(COUNT):
        Acceptor(Identity("FIX.4.4", "FIXGW", f"S{number}"), dictionaries, 120, 3, tmp_path).close()
    assert len(os.listdir("/proc/self/fd")) == again
