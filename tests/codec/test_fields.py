"""The text of a message as a dict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.fields import fields

values = st.text(st.characters(blacklist_characters="\x01"), min_size=1)


@given(pairs=st.dictionaries(st.integers(1, 99999).map(str), values, min_size=1))
def test_every_field_comes_back(pairs: dict[str, str]) -> None:
    assert fields("".join(f"{tag}={value}\x01" for tag, value in pairs.items())) == pairs


def test_a_value_may_hold_an_equal_sign() -> None:
    assert fields("8=FIX.4.4\x0158=a=b=\x0110=000\x01") == {"8": "FIX.4.4", "58": "a=b=", "10": "000"}


def test_a_piece_without_equal_sign_is_an_error() -> None:
    with pytest.raises(ValueError, match="element #1 has length 1"):
        fields("8=FIX.4.4\x01oops\x01")
