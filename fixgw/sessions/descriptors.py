"""The sockets QuickFIX opens for an acceptor: a listener, and a pair by which it wakes itself. It names none
of them, so they are looked for among the descriptors that were free just before. Other threads may have taken
or freed some meanwhile: then they are not all there."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

AHEAD = 16
"""free descriptors looked at"""


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

    @property
    def complete(self) -> bool:
        return self.listener >= 0 and len(self._pair) == 2

    def close(self) -> None:
        """QuickFIX closes its listener, and leaves the pair open for good."""
        if not self.complete:
            return  # what was found may be another's
        for descriptor, inode in self._pair.items():
            try:
                if os.fstat(descriptor).st_ino == inode:
                    os.close(descriptor)
            except OSError:
                pass  # a release of QuickFIX that closes it
        self._pair.clear()
