"""Any bytes fit into a line, and a line that is cut off spoils no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.messages.lines import CONNECT, DISCONNECT, GAP, IN, NOTE, OUT, Entry, line, parse

MICROSECOND = 1000
times = st.integers(0, 4 * 10**18)
kinds = st.sampled_from([IN, OUT, CONNECT, DISCONNECT, GAP, NOTE])
data = st.binary(max_size=60) | st.text("\\n\n\r\x01=", max_size=20).map(str.encode)


@given(time=times, kind=kinds, data=data)
def test_what_is_written_is_read(time: int, kind: bytes, data: bytes) -> None:
    """To the microsecond."""
    written = line(time, kind, data)
    assert written.count(b"\n") == 1 and written.endswith(b"\n")
    assert parse(written) == Entry(time // MICROSECOND * MICROSECOND, kind, data)


def test_as_it_looks() -> None:
    assert line(1_784_021_400_000_001_999, OUT, b"35=0\x01\n\\") == (
        b"2026-07-14T09:30:00.000001Z out 35=0\x01\\n\\\\\n"
    )


@given(time=times, kind=kinds, data=data, end=st.integers(0, 100))
def test_a_line_cut_off_has_the_beginning_of_its_bytes_or_is_none(
    time: int, kind: bytes, data: bytes, end: int
) -> None:
    entry = parse(line(time, kind, data)[:end])
    if entry is not None:
        assert (entry.time // MICROSECOND, entry.kind) == (time // MICROSECOND, kind)
        assert data.startswith(entry.data.removesuffix(b"\\"))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"8=FIX.4.4\x01",
        b"2026-13-14T09:30:00.000001Z in x\n",
        b"2026-07-14T09:30:00.000001Z into x\n",
        b"2026-07-14T09:30:00Z in x\n",
    ],
)
def test_what_is_no_line(text: bytes) -> None:
    assert parse(text) is None
