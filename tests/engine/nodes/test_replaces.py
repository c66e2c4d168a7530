"""What a replace that is under way holds besides is enough, whatever is filled before its market answers
(docs/nodes.md, 3.3)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.commands import ListInstrument, NewOrder, ReplaceOrder
from engine.fees import HIGHEST, fee_of
from engine.order import DISTANT, Order
from engine.peers import DistantMarket
from engine.terms import terms_of_distant, terms_of_distant_replace
from engine.words import BUY, DAY, LIMIT, SELL

LOTS = st.integers(1, 60)
PRICES = st.integers(1, 60)
RATES = st.one_of(st.just(0), st.integers(0, HIGHEST))


@given(st.sampled_from((BUY, SELL)), LOTS, LOTS, PRICES, PRICES, RATES, RATES)
def test_it_is_enough_and_no_more_than_one_unit_too_much(
    side: str, lots: int, more: int, before: int, after: int, rate_before: int, rate_after: int
) -> None:
    market = DistantMarket(ListInstrument(1, "M", "B", "Q", "1", "1", 7, 3, 10**6, 10**6, 1))
    market.taker_fee = rate_before
    new = NewOrder(1, "A", "A", "A", "a", "M", side, LIMIT, DAY, lots, before)
    old = terms_of_distant(market, new)
    assert old is not None
    order = Order(
        None, None, 1, "A", "A", "A", "M", "a", side, LIMIT, DAY, lots, before, lots, before, where=DISTANT
    )
    market.taker_fee = rate_after
    request = ReplaceOrder(1, "A", "A", "", "b", "a", "M", side, LIMIT, more, after)
    terms = terms_of_distant_replace(market, order, old.rate, request)

    def held(per_lot: int, left: int, rate: int) -> int:
        return per_lot * left + fee_of(per_lot * left, rate)

    short = [
        held(terms.per_lot, max(more - filled, 0), terms.rate) - held(old.per_lot, lots - filled, old.rate)
        for filled in range(lots + 1)
    ]
    most = max(0, *short)
    assert most <= terms.needed <= most + (1 if rate_before or rate_after else 0)
