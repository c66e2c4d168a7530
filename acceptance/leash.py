"""`python -m acceptance.leash PID FOLDER MODULE WORDS...`: `python -m MODULE WORDS...`, which outlives the
process PID by no more than a moment. `kill -9` leaves who started it no last word; then it ends, and its
folder goes."""

from __future__ import annotations

import os
import runpy
import select
import sys
import threading
import time

GLANCE = 0.5
"""seconds, where there is nothing to wait for"""


def hold(pid: int, folder: str) -> None:
    """Returns never: a process becomes the one that removes its folder."""
    try:
        waiting = select.poll()
        waiting.register(os.pidfd_open(pid), select.POLLIN)  # not fooled by a zombie, or by a pid used again
        waiting.poll()
    except ProcessLookupError:
        pass
    except (AttributeError, OSError):  # another system than Linux
        while _alive(pid):
            time.sleep(GLANCE)
    os.execvp("rm", ["rm", "-rf", "--", folder])


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    pid, folder, module = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    os.setpgrp()  # Ctrl-C on a terminal is for who started it
    threading.Thread(target=hold, args=(pid, folder), daemon=True).start()
    sys.argv[1:] = sys.argv[4:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
