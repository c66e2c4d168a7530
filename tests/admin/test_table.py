"""The sessions as a table: every column as wide as it must be, times as ages."""

from __future__ import annotations

import pytest

from fixgw.admin.table import table
from fixgw.admin.words import SessionState
from fixgw.codec.times import SECOND, nanoseconds

NOON = nanoseconds("20260101-12:00:00")


def state(session: str = "A", **more: object) -> SessionState:
    values: dict[str, object] = {
        "client": "C", "state": "logged off", "address": "", "next_out": 1, "next_in": 1, "last_out": "",
        "last_in": "", "unread_bytes": 0, "resends": 0, "blocked": False, "schedule": "",
        "begin_string": "FIX.4.4", "comp_id": session,
    }  # fmt: skip
    return SessionState(session, **(values | more))  # type: ignore[arg-type]


def test_columns_stand_below_their_heads() -> None:
    busy = state(
        "A-LONG-NAME", state="logged on", address="192.0.2.17:40000", next_out=1234567, unread_bytes=99,
        blocked=True, last_in="20260101-11:59:58.500",
    )  # fmt: skip
    head, first, second = table([busy, state()], NOON)
    assert first.split() == [
        "A-LONG-NAME", "C", "logged", "on", "192.0.2.17:40000", "1234567", "1", "-", "1.5s", "99", "0", "yes",
    ]  # fmt: skip
    assert second.split() == ["A", "C", "logged", "off", "-", "1", "1", "-", "-", "0", "0", "no"]
    for left in ("session", "state", "address", "blocked"):
        assert head.index(left) in (
            first.index("A-LONG"),
            first.index("logged"),
            first.index("192"),
            first.index("yes"),
        )
    assert head.index("next-out") + len("next-out") == first.index("1234567") + len("1234567")


def test_a_schedule_has_a_column_only_if_there_is_one() -> None:
    assert "schedule" not in table([state()], NOON)[0]
    head, first, second = table([state(schedule="WEEKDAYS"), state()], NOON)
    assert (head.split()[-1], first.split()[-1], second.split()[-1]) == ("schedule", "WEEKDAYS", "-")


@pytest.mark.parametrize(
    ("seconds", "age"),
    [(0.04, "0.0s"), (9.9, "9.9s"), (10.2, "10s"), (119, "119s"), (120, "2m"), (7199, "120m"), (7200, "2h"),
     (172799, "48h"), (172800, "2d"), (-5, "0.0s")],
)  # fmt: skip
def test_ages(seconds: float, age: str) -> None:
    [_, row] = table([state(last_out="20260101-12:00:00.000")], NOON + int(seconds * SECOND))
    assert row.split()[7] == age
