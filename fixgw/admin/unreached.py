"""Why no venue answers on a data directory, as far as the user who asks can see."""

from pathlib import Path

from fixgw.admin.words import SOCKET
from fixgw.store.directory import check_kinds
from fixgw.store.failures import StoreError


def reason(directory: Path, problem: Exception) -> str:
    """`problem` is what came of asking."""
    try:
        check_kinds(directory, [SOCKET])
    except (StoreError, OSError) as odd:
        problem = odd
    match problem:
        case StoreError():
            return str(problem)
        case NotADirectoryError():
            return f"{directory}: is not a directory"
        case FileNotFoundError() if not directory.exists():
            return f"{directory}: there is no such directory"
        case FileNotFoundError():
            return f"no venue runs on {directory}: there is no {SOCKET} in it"
        case ConnectionRefusedError():
            return f"no venue runs on {directory}: its {SOCKET} is left over from one that was killed"
        case PermissionError():
            return f"{directory}: this user may not speak to its venue"
        case TimeoutError():
            return f"the venue on {directory} did not answer in time; what was asked may still be done"
    return f"the venue on {directory} went away before it had answered; what was asked may be done"
