"""Orders as lines of words, for clients of any engine."""

from __future__ import annotations

from datetime import UTC, datetime


def fields_of(line: str) -> tuple[str, list[tuple[int, str]]]:
    """MsgType and fields of `new CLORDID QUANTITY`, `cancel CLORDID ORIGINAL` or
    `replace CLORDID ORIGINAL QUANTITY`."""
    verb, cl_ord_id, *rest = line.split()
    now = datetime.now(UTC).strftime("%Y%m%d-%H:%M:%S.%f")[:-3]
    what = [(1, "ACCOUNT"), (55, "BTC-USD"), (54, "1"), (60, now)]
    if verb == "cancel":
        return "F", [(11, cl_ord_id), (41, rest[0]), *what]
    terms = [(38, rest[-1]), (40, "2"), (44, "100.00"), (59, "0")]
    if verb == "replace":
        return "G", [(11, cl_ord_id), (41, rest[0]), *what, *terms]
    return "D", [(11, cl_ord_id), *what, *terms]


def body_of(line: str) -> tuple[str, str]:
    """The same, the fields as FIX text."""
    msg_type, fields = fields_of(line)
    return msg_type, "".join(f"{tag}={value}\x01" for tag, value in fields)
