"""What is right and what is wrong about a message, field by field."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.grouping import unknown
from acceptance.matching import Matching
from acceptance.standard import standard
from acceptance.values import Unknown, Variables

REPORT = [
    (35, "8"), (37, "7"), (11, "a1"), (54, "1"), (38, "10.0000"), (44, "100.50"), (58, "no liquidity"),
    (453, "2"), (448, "X"), (452, "1"), (448, "Y"), (452, "3"),
]  # fmt: skip


def matched(expected: dict[str, Any], **known: str) -> Matching:
    variables = Variables(known, Decimal("0.01"), lambda name: f"new-{name}")
    matching = Matching(standard("FIX.4.4"), variables, {"next": 7})
    matching.compare(REPORT, expected)
    return matching


RIGHT: list[dict[str, Any]] = [
    {"Side": "BUY", "OrderID": "7", "58": "no liquidity"},
    {"OrderQty": "10", "Price": "100.5"},
    {"ClOrdID": "$id"},
    {"Account": "absent", "Text": "present"},
    {"Text": {"pattern": "no .*"}},
    {"Price": {"above": "100", "below": "$price+60"}},
    {"Price": {"at least": "100.5", "at most": "100.50"}},
    {"Side": {"one of": ["BUY", "SELL"]}},
    {"Side": {"not": "SELL"}},
    {"Text": {"text": "no liquidity"}},
    {"NoPartyIDs": [{"PartyID": "X", "PartyRole": "1"}, {"PartyRole": "3"}]},
    {},
]


@pytest.mark.parametrize("expected", RIGHT)
def test_right(expected: dict[str, Any]) -> None:
    assert matched(expected, id="a1", price="100").right


WRONG = [
    ({"Side": "SELL"}, "Side(54)", "SELL(2)", "BUY(1)"),
    ({"OrderQty": "10.1"}, "OrderQty(38)", "10.1", "10.0000"),
    ({"OrderID": "07"}, "OrderID(37)", "07", "7"),
    ({"ClOrdID": "$other"}, "ClOrdID(11)", "new-other", "a1"),
    ({"Account": "present"}, "Account(1)", "present", ""),
    ({"Account": "X"}, "Account(1)", "X", ""),
    ({"Account": {"not": "X"}}, "Account(1)", "not X", ""),
    ({"Text": "absent"}, "Text(58)", "absent", "no liquidity"),
    ({"Text": {"pattern": "no"}}, "Text(58)", "pattern no", "no liquidity"),
    ({"Price": {"above": "100.5"}}, "Price(44)", "above 100.5", "100.50"),
    ({"Price": {"at least": "1", "below": "9.9"}}, "Price(44)", "at least 1 and below 9.9", "100.50"),
    ({"Side": {"one of": ["SELL", "5"]}}, "Side(54)", "one of SELL(2), SELL_SHORT(5)", "BUY(1)"),
    ({"Text": {"text": "absent"}}, "Text(58)", "absent", "no liquidity"),
    ({"NoPartyIDs": [{"PartyID": "X"}]}, "NoPartyIDs(453)", "1", "2"),
    ({"PartyID": "X"}, "PartyID(448)", "X", ""),
    ({"NoPartyIDs": [{}, {"PartyID": "Z"}]}, "NoPartyIDs(453)[2].PartyID(448)", "Z", "Y"),
]


@pytest.mark.parametrize(("expected", "name", "wanted", "received"), WRONG)
def test_wrong(expected: dict[str, Any], name: str, wanted: str, received: str) -> None:
    (difference,) = [each for each in matched(expected).differences if not each.right]
    assert (difference.name, difference.expected, difference.received) == (name, wanted, received)


def test_remembered_only_if_it_is_there() -> None:
    matching = matched({"OrderID": {"remember": "order"}, "Side": {"remember": "side", "not": "SELL"}})
    assert matching.right and matching.remembered == {"order": "7", "side": "1"}
    assert not matched({"Account": {"remember": "account"}}).right


def test_arithmetic() -> None:
    variables = Variables({"price": "100", "quantity": "0.5", "name": "x"}, Decimal("0.25"), str)
    assert variables.fill("$price+3") == "100.75" and variables.fill("$price-4") == "99"
    assert variables.fill("$quantity*3") == "1.5" and variables.fill("$next+5", {"next": 7}) == "12"
    assert variables.fill("a ${name} b") == "a x b" and variables.fill("5$") == "5$"
    assert variables.fill("$now-60") < variables.fill("$now") < variables.fill("$now+60")
    assert variables.fill("$today") == variables.fill("$now")[:8] == variables.fill("${today}")
    with pytest.raises(Unknown, match=r"\$name is 'x': nothing can be added to it"):
        variables.fill("$name+1")


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 9), st.text(max_size=3)), max_size=3), min_size=1, max_size=4)
)
def test_groups_are_found_again(entries: list[list[tuple[int, str]]]) -> None:
    """Whatever is in them, as long as each begins with the same tag."""
    made = [[(100, "first"), *entry] for entry in entries]
    fields = [(35, "8"), (99, str(len(made))), *[field for entry in made for field in entry]]
    found = unknown(fields, 99)
    assert found is not None and found.right and found.entries == made
