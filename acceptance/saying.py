"""Lines on the terminal from several threads, none inside of another."""

from __future__ import annotations

from threading import Lock

_LOCK = Lock()


def say(text: str) -> None:
    with _LOCK:
        print(text, flush=True)
