"""What operator and venue say to each other: one JSON object a line, one line each way."""

from msgspec import Struct

SOCKET = "admin.sock"
"""in the data directory"""
MAX_LINE = 65536
"""bytes of a request"""


class CancelOnly(Struct, forbid_unknown_fields=True, tag="cancel-only"):
    on: bool
    symbol: str = ""
    """empty: the whole venue"""


class EndOfDay(Struct, forbid_unknown_fields=True, tag="end-of-day"):
    again: bool
    """also a day that has not begun by the calendar"""


class Status(Struct, forbid_unknown_fields=True, tag="status"):
    pass


Request = CancelOnly | EndOfDay | Status


class Answer(Struct):
    ok: bool
    lines: list[str]
    """for people"""
