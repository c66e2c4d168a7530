"""The sockets QuickFIX opens for an acceptor: a listener, and a pair by which it wakes itself. It names none
of them, so they are found among the descriptors that were free just before."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

AHEAD = 16
"""free descriptors looked at: other threads may take some of them meanwhile"""


def next_descriptors() -> list[int]:
    """Those the system gives to what is opened next."""
    free = [os.open("/", os.O_RDONLY) for _ in range(AHEAD)]
    for descriptor in free:
        os.close(descriptor)
    return free


@contextmanager
def free_port() -> Iterator[int]:
    """A TCP port that no one gets inside but who says SO_REUSEADDR, as QuickFIX does."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("", 0))
        yield int(keeper.getsockname()[1])


class Opened:
    """What QuickFIX has opened among `candidates`."""

    def __init__(self, candidates: list[int]) -> None:
        self.listener = -1
        self._pair: dict[int, int] = {}
        """descriptor: inode"""
        for descriptor in candidates:
            try:
                found = socket.socket(fileno=os.dup(descriptor))
            except OSError:
                continue  # not a socket, or not open
            with found:
                if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    if found.family == socket.AF_INET:
                        self.listener = descriptor
                elif found.family == socket.AF_UNIX and not found.getsockname():
                    self._pair[descriptor] = os.fstat(descriptor).st_ino
        if self.listener < 0 or len(self._pair) != 2:
            raise RuntimeError(f"QuickFIX has not opened what it should have: {self.listener}, {self._pair}")

    def close(self) -> None:
        """QuickFIX closes its listener, and leaves the pair open for good."""
        for descriptor, inode in self._pair.items():
            try:
                if os.fstat(descriptor).st_ino == inode:
                    os.close(descriptor)
            except OSError:
                pass  # a release of QuickFIX that closes it
        self._pair.clear()
