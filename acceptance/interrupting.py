"""Ctrl-C, SIGTERM and SIGHUP: a run that is ended from outside ends at once, and still in good order."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """Raised in the main thread, once: no `except Exception` on the way may keep it."""

    def __init__(self, number: int) -> None:
        self.name = signal.Signals(number).name
        super().__init__(self.name)


def exit_code(name: str) -> int:
    """As a shell says it: 128 and the signal's number."""
    return 128 + signal.Signals[name].value


def heeded() -> list[signal.Signals]:
    """Those that whoever started this process did not have ignored, as `nohup` does."""
    return [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]


class Interruptible:
    """Inside, the first signal raises Interrupted. Those after it are passed over, to the end of the process:
    what is left to do then takes a moment only."""

    def __init__(self) -> None:
        self._deaf = threading.current_thread() is not threading.main_thread()
        self._came = False
        self._before = {} if self._deaf else {number: signal.getsignal(number) for number in heeded()}

    def __enter__(self) -> Self:
        for number in self._before:
            signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._came:
            for number, handler in self._before.items():
                signal.signal(number, handler)

    def pass_over(self) -> None:
        """From now on there is nothing that a signal should end."""
        self._deaf = True

    def _hear(self, number: int, _: FrameType | None) -> None:
        self._came = True
        if not self._deaf:
            self._deaf = True
            raise Interrupted(number)
