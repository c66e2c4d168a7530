"""Times on the wire."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.times import nanoseconds, utc_timestamp

times = st.integers(0, 253_402_300_799 * 10**9 + 999_999_999)


@given(time=times)
def test_a_time_comes_back_to_the_millisecond(time: int) -> None:
    text = utc_timestamp(time)
    assert text == datetime.fromtimestamp(time // 10**9, UTC).strftime("%Y%m%d-%H:%M:%S.") + text[-3:]
    assert nanoseconds(text) == time // 10**6 * 10**6


def test_up_to_nine_decimals_are_read() -> None:
    assert nanoseconds("20231114-22:13:20") == 1_700_000_000 * 10**9
    assert nanoseconds("20231114-22:13:20.5") == 1_700_000_000 * 10**9 + 500_000_000
    assert nanoseconds("20231114-22:13:20.123456789") == 1_700_000_000_123_456_789


@pytest.mark.parametrize(
    "text",
    ["", "20231114", "2023-11-14 22:13:20", "20231114-22:13:20.", "20231114-22:13:20Z", "20231314-22:13:20",
     "20230230-00:00:00", "20231114-24:00:00", "20231114-22:13:20\n", "\uff120231114-22:13:20"],
)  # fmt: skip
def test_what_is_not_a_timestamp_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        nanoseconds(text)
