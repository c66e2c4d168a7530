"""Decimals are exact or refused, never rounded."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.decimals import MAX_LENGTH, NotDecimal, OffStep, Step, currency

steps = st.builds(
    lambda size, places: Step(f"{Decimal(size).scaleb(-places):f}"), st.integers(1, 10**6), st.integers(0, 12)
)


@given(step=steps, count=st.integers(0, 2**62))
def test_every_multiple_comes_back_as_itself(step: Step, count: int) -> None:
    """feature 3"""
    text = step.print(count)
    assert Decimal(text) == Decimal(step.text) * count
    assert len(text.partition(".")[2]) == step.places
    assert "E" not in text
    if len(text) <= MAX_LENGTH:
        assert step.parse(text) == count


@given(step=steps, number=st.decimals(0, 10**12, places=14))
def test_what_is_parsed_is_exactly_what_was_written(step: Step, number: Decimal) -> None:
    """feature 3"""
    text = f"{number:f}"
    if number % Decimal(step.text):
        with pytest.raises(OffStep):
            step.parse(text)
    else:
        assert step.parse(text) * Decimal(step.text) == number


@given(text=st.text(alphabet="0123456789.+-eE_ \t٣²,x", max_size=8))
def test_only_plain_numbers_are_numbers(text: str) -> None:
    """feature 3"""
    whole, _, fraction = text.partition(".")
    plain = (whole + fraction).isdigit() and (whole + fraction).isascii()
    if plain:
        assert Step("0.00000001").parse(text) == int((whole or "0") + fraction.ljust(8, "0"))
    else:
        with pytest.raises(NotDecimal):
            Step("0.00000001").parse(text)


@pytest.mark.parametrize(
    "text", ["", ".", "-1", "+1", "1e3", "1_000", " 1", "1 ", "0x1", "NaN", "1.2.3", "1" * 41]
)
def test_not_a_plain_decimal_number(text: str) -> None:
    """feature 3"""
    with pytest.raises(NotDecimal):
        Step("0.01").parse(text)


def test_forms_of_one_number() -> None:
    step = Step("0.05")
    assert [step.parse(text) for text in ("1.5", "1.50", "01.5", "1.500000", "1.5000")] == [30] * 5
    assert (step.parse("7"), step.parse("7."), step.parse(".05"), step.parse("0")) == (140, 140, 1, 0)
    assert (step.print(0), step.print(1), step.print(140)) == ("0.00", "0.05", "7.00")
    with pytest.raises(OffStep):
        step.parse("0.07")
    with pytest.raises(OffStep):
        step.parse("0.0500001")
    assert (Step("25").parse("100"), Step("25").print(4)) == (4, "100")


@pytest.mark.parametrize("text", ["0", "0.00", "-0.01", "1e-2", ""])
def test_a_step_is_a_plain_number_above_zero(text: str) -> None:
    with pytest.raises((NotDecimal, OffStep)):
        Step(text)


def test_currencies() -> None:
    assert (currency(0).text, currency(2).text, currency(8).text) == ("1", "0.01", "0.00000001")
    assert currency(8).parse("0.1") == 10_000_000
