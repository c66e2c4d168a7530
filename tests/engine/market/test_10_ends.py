"""The end of orders, market.md 10."""

from __future__ import annotations

from typing import Any

import pytest

from engine.commands import (
    CancelSession,
    ContinueMany,
    CorrectTrade,
    EndDay,
    ExpireOrders,
    NewOrder,
    WithdrawOrder,
)
from engine.events import Execution
from engine.words import (
    AT_THE_CLOSE,
    AT_THE_OPENING,
    DAY,
    GOOD_TILL_CANCEL,
    GOOD_TILL_DATE,
)
from tests.engine.market.desk import ETH_USD, TIME, Desk, new


def test_good_till_date_ends_at_its_time(desk: Desk) -> None:
    """market.md 10.1: the earliest first, wherever it waits, only so many in one command."""
    desk.buy("a", 1, 50, GOOD_TILL_DATE, expire_time=3000)
    desk.buy("b", 1, 50, GOOD_TILL_DATE, expire_time=2000, stop_price=70)
    desk.buy("c", 1, 50, GOOD_TILL_DATE, expire_time=2001)
    desk.buy("d", 1, 50, GOOD_TILL_DATE, expire_time=2000)
    desk.buy("e", 1, 50, GOOD_TILL_CANCEL)
    assert desk.send(ExpireOrders(1999, 9)) == []
    assert desk.send(ExpireOrders(2500, 2)) == ["b expired: expired", "d expired: expired"]
    assert desk.send(ExpireOrders(2500, 2)) == ["c expired: expired"]
    assert desk.send(ExpireOrders(3000, 2)) == ["a expired: expired"]
    assert desk.bids() == ["e 1 @ 50"]
    assert desk.event_of("a")["ord_status"] == "C"


def test_good_till_date_in_the_past_is_refused(desk: Desk) -> None:
    """market.md 10.1."""
    desk.send(EndDay(TIME, "2026-01-02"))
    assert desk.buy("b", 1, 50, "6", expire_time=TIME) == [f"refused: past {TIME} {TIME}"]
    assert desk.buy("b", 1, 50, "6", expire_day="2026-01-01") == ["refused: past 2026-01-01 2026-01-02"]
    assert desk.buy("b", 1, 50, "6", expire_day="2026-01-02") == ["b new"]
    assert desk.buy("c", 1, 50, "6", expire_time=TIME + 1) == ["c new"]
    assert desk.replace("c", "d", 1, expire_time=TIME) == [f"refused: past {TIME} {TIME}"]


def test_the_end_of_the_day(desk: Desk) -> None:
    """market.md 10.1."""
    desk.send(EndDay(TIME, "2026-01-02"))
    desk.buy("a", 1, 50, GOOD_TILL_DATE, expire_day="2026-01-02")
    desk.buy("b", 1, 50, GOOD_TILL_DATE, expire_day="2026-01-03")
    desk.buy("c", 1, 50, GOOD_TILL_CANCEL)
    desk.buy("d", 1, 50, DAY)
    desk.buy("e", 1, 0, DAY, stop_price=70)
    desk.buy("f", 1, 0, AT_THE_CLOSE)
    desk.enter("pre-open")
    desk.buy("g", 1, 0, AT_THE_OPENING)
    assert desk.send(EndDay(TIME, "2026-01-03")) == [
        *(f"{name} expired: end of the day" for name in "adefg"),
        "2026-01-03 begins",
    ]
    assert desk.send(EndDay(TIME, "2026-01-10"))[0] == "b expired: end of the day"


def test_the_end_of_the_day_in_pieces(desk: Desk) -> None:
    """market.md 10.6: the oldest first; the day begins with the last, and commands may come between."""
    desk.send(EndDay(TIME, "2026-01-02"))
    for name in "abcd":
        desk.buy(name, 1, 50, DAY)
    assert desk.send(EndDay(TIME, "2026-01-03", 1)) == ["a expired: end of the day"]
    desk.cancel("b")
    desk.buy("e", 1, 50, GOOD_TILL_CANCEL)
    desk.buy("f", 1, 50, GOOD_TILL_DATE, expire_day="2026-01-02")
    assert desk.send(EndDay(TIME, "2026-01-03", 2)) == [f"{name} expired: end of the day" for name in "cd"]
    assert desk.send(EndDay(TIME, "2026-01-03", 2)) == ["f expired: end of the day", "2026-01-03 begins"]
    assert desk.send(EndDay(TIME, "2026-01-04", 2)) == ["2026-01-04 begins"]


def many(desk: Desk) -> None:
    desk.send(ETH_USD)
    desk.buy("a", 1, 50)
    desk.sell("b", 1, 60, by="ALPHA")
    desk.send(new("c", "1", 1, 50, "0", by="ALPHA", symbol="ETH-USD"))
    desk.buy("d", 1, stop_price=70)
    desk.buy("e", 1, 0, AT_THE_CLOSE)
    desk.buy("f", 1, 50, by="BRAVO")


@pytest.mark.parametrize(
    ("which", "names"),
    [
        ({}, "abcde"),
        ({"symbol": "BTC-USD"}, "abde"),
        ({"side": "2"}, "b"),
        ({"symbol": "ETH-USD", "side": "1"}, "c"),
        ({"symbol": "ETH-USD", "side": "2"}, ""),
        ({"account": "ALPHA-1", "side": "1"}, "acde"),
    ],
)
def test_a_mass_cancel_request(desk: Desk, which: dict[str, Any], names: str) -> None:
    """market.md 10.2."""
    many(desk)
    told = desk.cancel_many(client="ALPHA", session="ALPHA", cl_ord_id="m", **which)
    assert told == [*(f"{name} canceled" for name in names), f"{len(names)} canceled for m"]
    report = desk.events[-1]
    assert (report["order_id"], report["session"]) == (desk.sequence, "ALPHA")
    ends = desk.events[:-1]
    assert {(e["requester"], e["restatement"], e["orig_cl_ord_id"]) for e in ends} <= {("", "", "")}


def test_a_mass_cancel_by_another_session_of_the_client(desk: Desk) -> None:
    """market.md 10.2."""
    many(desk)
    desk.cancel_many(client="ALPHA", session="OTHER", cl_ord_id="m", side="2")
    assert (desk.events[0]["session"], desk.events[0]["requester"]) == ("ALPHA", "OTHER")
    assert desk.events[1]["session"] == "OTHER"


def test_a_mass_cancel_in_pieces(desk: Desk) -> None:
    """market.md 10.2: those that came before it, the number of all; other commands may come between."""
    many(desk)
    assert desk.cancel_many(2, client="ALPHA", session="ALPHA", cl_ord_id="m") == ["a canceled", "b canceled"]
    request = desk.sequence
    desk.buy("g", 1, 50)
    desk.cancel("d")
    assert desk.send(ContinueMany(TIME, 1)) == ["c canceled"]
    assert desk.send(ContinueMany(TIME, 1)) == ["e canceled", "4 canceled for m"]
    assert desk.events[-1]["order_id"] == request
    assert desk.send(ContinueMany(TIME, 1)) == []
    assert desk.bids() == ["f 1 @ 50", "g 1 @ 50"]


def test_cancels_that_find_no_room(desk: Desk) -> None:
    """market.md 10.6: they are known, and go on later, with what was there."""
    many(desk)
    why = "cancel on disconnect: logged out"
    assert desk.send(CancelSession(TIME, "BRAVO", "13", True, 0)) == []
    assert desk.cancel_many(0, client="ALPHA", session="ALPHA", cl_ord_id="m", side="1") == []
    desk.buy("g", 1, 40, by="BRAVO")
    desk.buy("h", 1, 40)
    assert desk.send(ContinueMany(TIME, 9)) == [f"f canceled: {why}"]
    assert desk.send(ContinueMany(TIME, 9))[-1] == "4 canceled for m"
    assert desk.bids() == ["g 1 @ 40", "h 1 @ 40"]


def test_good_till_cancel_orders_of_a_session_may_stay(desk: Desk) -> None:
    """market.md 10.6: cancel on disconnect, in pieces."""
    for name in "abcd":
        desk.buy(name, 1, 50, GOOD_TILL_CANCEL if name in "ac" else DAY)
    why = "canceled: cancel on disconnect: connection lost"
    assert desk.send(CancelSession(TIME, "ALPHA", "12", False, 1)) == [f"b {why}"]
    assert desk.send(ContinueMany(TIME, 1)) == [f"d {why}"]
    assert desk.send(ContinueMany(TIME, 1)) == []
    assert desk.bids() == ["a 1 @ 50", "c 1 @ 50"]


def test_the_request_that_has_waited_longest_goes_on(desk: Desk) -> None:
    """market.md 10.2."""
    many(desk)
    desk.cancel_many(1, client="ALPHA", session="ALPHA", cl_ord_id="m")
    desk.sell("g", 1, 90)
    desk.cancel_many(1, client="BRAVO", session="BRAVO", cl_ord_id="n")
    assert desk.send(ContinueMany(TIME, 9))[-1] == "5 canceled for m"
    assert desk.send(ContinueMany(TIME, 9)) == ["g canceled", "2 canceled for n"]


def test_a_mass_cancel_leaves_halted_markets_out(desk: Desk) -> None:
    """market.md 10.2, 7.1."""
    many(desk)
    desk.enter("halted")
    asked: dict[str, Any] = {"client": "ALPHA", "session": "ALPHA", "cl_ord_id": "m"}
    assert desk.cancel_many(symbol="BTC-USD", **asked) == ["refused: state cancels halted"]
    assert desk.cancel_many(**asked) == ["c canceled", "1 canceled for m"]
    assert desk.cancel_many(symbol="XRP-USD", **asked) == ["refused: unknown symbol XRP-USD"]
    assert desk.cancel_many(account="BRAVO-1", **asked) == ["refused: unknown account BRAVO-1"]


def test_a_kill_switch_cancels_what_is_there(desk: Desk) -> None:
    """market.md 10.3, 7.7: in every state, without a report that counts."""
    many(desk)
    desk.enter("halted")
    assert desk.cancel_many(client="ALPHA", text="kill switch") == [
        f"{name} canceled: kill switch" for name in "abcde"
    ]
    assert {e["restatement"] for e in desk.events} == {"99"}
    assert desk.cancel_many(text="kill switch") == ["f canceled: kill switch"]


def test_a_kill_switch_of_an_account_cancels_the_orders_of_that_account(desk: Desk) -> None:
    """market.md 10.3."""
    many(desk)
    assert desk.cancel_many(account="BRAVO-1", text="kill switch") == ["f canceled: kill switch"]


@pytest.mark.parametrize(("scope", "name"), [("venue", ""), ("client", "ALPHA"), ("account", "ALPHA-1")])
def test_a_kill_switch_refuses_new_orders_and_replaces(desk: Desk, scope: str, name: str) -> None:
    """market.md 10.3: cancels pass."""
    desk.buy("b1", 1, 50)
    assert desk.kill(scope, name) == [f"kill {scope} {name} on"]
    told = f"refused: kill switch {scope} {name}".strip()
    assert desk.buy("b2", 1, 50) == [told]
    assert desk.replace("b1", "b2", 1, 40) == [told]
    others = [told] if scope == "venue" else ["s new"]
    assert desk.sell("s", 1, 60) == others
    assert desk.cancel("b1", "x") == ["x canceled"]
    assert desk.kill(scope, name, False) == [f"kill {scope} {name} off"]
    assert desk.buy("b2", 1, 50) == ["b2 new"]


def test_the_widest_kill_switch_is_told(desk: Desk) -> None:
    """market.md 10.3."""
    desk.kill("account", "ALPHA-1")
    desk.kill("client", "ALPHA")
    assert desk.buy("b", 1, 50) == ["refused: kill switch client ALPHA"]
    desk.kill("venue")
    assert desk.buy("b", 1, 50) == ["refused: kill switch venue"]


def test_the_operator_cancels_an_order(desk: Desk) -> None:
    """market.md 10.4."""
    desk.buy("b", 1, 50)
    number = desk.event_of("b")["order_id"]
    assert desk.send(WithdrawOrder(TIME, number, "by the operator")) == ["b canceled: by the operator"]
    assert desk.events[0]["restatement"] == "99"
    assert desk.send(WithdrawOrder(TIME, number, "again")) == [f"refused: unknown order {number}"]


def correct(desk: Desk, quantity: int, price: int, *, was: tuple[int, int], match_id: int = 1) -> list[str]:
    """Of the first trade, between the orders b and s."""
    sides = {}
    for name in "bs":
        event = desk.event_of(name)
        sides[name] = Execution(**{key: value for key, value in event.items() if key != "event"})
    numbers = (match_id, 71, 72, *was, quantity, price)
    return desk.send(CorrectTrade(TIME + 1, sides["b"], sides["s"], *numbers, "a mistake"))


def test_a_busted_trade_of_orders_that_were_filled(desk: Desk) -> None:
    """market.md 10.5: money and goods go back, and the orders are canceled from then on."""
    before = [desk.money(c, m) for c in ("ALPHA", "BRAVO") for m in ("USD", "BTC")]
    desk.sell("s", 3, 50)
    desk.buy("b", 3, 50)
    assert correct(desk, 0, 0, was=(3, 50)) == [
        "b busted 3 @ 50, 0 filled of 3",
        "s busted 3 @ 50, 0 filled of 3",
    ]
    for event, number in zip(desk.events, (71, 72), strict=True):
        assert (event["exec_type"], event["ord_status"], event["step"]) == ("H", "4", 3)
        assert (event["ref_id"], event["match_id"], event["text"]) == (number, 1, "a mistake")
        assert (event["leaves_quantity"], event["notional"], event["time"]) == (0, 0, TIME + 1)
    assert [desk.money(c, m) for c in ("ALPHA", "BRAVO") for m in ("USD", "BTC")] == before
    assert desk.bids() == desk.asks() == []


def test_a_busted_trade_of_an_order_that_lives(desk: Desk) -> None:
    """market.md 10.5: a busted quantity does not come back to the book."""
    desk.sell("s", 5, 50)
    desk.buy("b", 3, 50)
    assert correct(desk, 0, 0, was=(3, 50)) == [
        "b busted 3 @ 50, 0 filled of 3",
        "s busted 3 @ 50, 0 filled of 2",
    ]
    live = desk.event_of("s")
    assert (live["ord_status"], live["quantity"], live["leaves_quantity"]) == ("0", 2, 2)
    assert desk.asks() == ["s 2 @ 50"]
    assert desk.money("BRAVO", "BTC") == (100_000, 20)
    desk.buy("c", 2, 50)
    assert desk.event_of("s")["ord_status"] == "2"


def test_a_corrected_trade(desk: Desk) -> None:
    """market.md 10.5: money and goods differ by the correction; it can be corrected again."""
    desk.sell("s", 5, 50)
    desk.buy("b", 3, 50)
    assert correct(desk, 2, 60, was=(3, 50)) == [
        "b corrected to 2 @ 60, 2 filled of 3",
        "s corrected to 2 @ 60, 2 filled of 4",
    ]
    assert [e["ord_status"] for e in desk.events] == ["4", "1"]
    assert [e["notional"] for e in desk.events] == [120, 120]
    assert desk.money("ALPHA", "USD")[0] == 1_000_000 - 2 * 2 * 60
    assert desk.money("ALPHA", "BTC")[0] == 100_000 + 20
    assert desk.money("BRAVO", "BTC") == (100_000 - 20, 20)
    assert correct(desk, 0, 0, was=(2, 60))[1] == "s busted 2 @ 60, 0 filled of 2"
    assert desk.money("BRAVO", "USD")[0] == 1_000_000
    assert desk.money("ALPHA", "BTC")[0] == 100_000


def test_another_price_leaves_a_filled_order_filled(desk: Desk) -> None:
    """market.md 10.5."""
    desk.sell("s", 3, 50)
    desk.buy("b", 3, 50)
    correct(desk, 3, 49, was=(3, 50))
    assert [(e["ord_status"], e["notional"], e["cum_quantity"]) for e in desk.events] == [("2", 147, 3)] * 2
    assert desk.money("ALPHA", "USD")[0] == 1_000_000 - 294


def test_an_order_that_had_ended_stays_what_it_was(desk: Desk) -> None:
    """market.md 10.5."""
    desk.sell("s", 3, 50)
    desk.buy("b", 5, 50, "3")
    correct(desk, 0, 0, was=(3, 50))
    assert [(e["ord_status"], e["quantity"], e["cum_quantity"]) for e in desk.events] == [
        ("4", 5, 0),
        ("4", 3, 0),
    ]


def test_who_does_not_have_it_any_more(desk: Desk) -> None:
    """market.md 10.5: what is reserved counts as not there; the buyer is looked at first."""
    desk.sell("s", 3, 50)
    desk.buy("b", 3, 50)
    desk.sell("h1", 100, 900, by="ALPHA")
    for n in range(99):
        desk.sell(f"g{n}", 100, 900, by="ALPHA")
    desk.sell("h2", 2, 900, by="ALPHA")
    assert desk.money("ALPHA", "BTC") == (100_030, 100_020)
    assert correct(desk, 0, 0, was=(3, 50)) == ["refused: insufficient funds 30 10 BTC"]
    assert correct(desk, 2, 50, was=(3, 50))[0] == "b corrected to 2 @ 50, 2 filled of 3"


def test_the_seller_must_have_the_money(desk: Desk) -> None:
    """market.md 10.5: and the buyer, where the price goes up."""
    desk.buy("b", 3, 50, by="BRAVO")
    desk.sell("s", 3, 50, by="ALPHA")
    desk.leave(299)
    assert correct(desk, 0, 0, was=(3, 50)) == ["refused: insufficient funds 300 299 USD"]
    assert correct(desk, 3, 1, was=(3, 50))[1] == "s corrected to 3 @ 1, 3 filled of 3"
    assert desk.money("ALPHA", "USD")[0] - desk.money("ALPHA", "USD")[1] == 299 - 294


def test_the_buyer_must_have_the_money_for_a_higher_price(desk: Desk) -> None:
    """market.md 10.5."""
    desk.buy("b", 3, 50)
    desk.sell("s", 3, 50)
    desk.leave(5)
    assert correct(desk, 3, 51, was=(3, 50)) == ["refused: insufficient funds 6 5 USD"]


def test_a_trade_of_an_account_with_itself_moves_nothing(desk: Desk) -> None:
    """market.md 10.5."""
    desk.sell("s", 3, 50, by="ALPHA")
    desk.buy("b", 3, 50)
    assert correct(desk, 0, 0, was=(3, 50))[0] == "b busted 3 @ 50, 0 filled of 3"
    assert desk.money("ALPHA", "USD") == (1_000_000, 0)


def test_a_client_order_id_is_taken_once(desk: Desk) -> None:
    """market.md 11.1: as long as the order lives; wherever it waits."""
    desk.buy("b", 1, stop_price=70)
    desk.buy("c", 1, 50, AT_THE_CLOSE)
    assert desk.buy("b", 1, 50) == ["refused: duplicate ClOrdID b"]
    assert desk.buy("c", 1, 50) == ["refused: duplicate ClOrdID c"]
    assert desk.replace("b", "c", 1, 50) == ["refused: duplicate ClOrdID c"]
    assert desk.cancel("b", "c") == ["refused: duplicate ClOrdID c"]


def test_the_reports_of_an_order_are_numbered(desk: Desk) -> None:
    """market.md 11.2: without a gap, from 1, to exactly one end."""
    desk.sell("s", 1, 55)
    desk.buy("b", 3, 60, stop_price=50)
    desk.trade(50)
    desk.replace("b", "c", 2, 59)
    desk.cancel("c", "d")
    number = desk.event_of("d")["order_id"]
    own = [e for e in desk.log if e["event"] == "Execution" and e["order_id"] == number]
    assert [(e["step"], e["exec_type"], e["ord_status"]) for e in own] == [
        (1, "0", "0"),
        (2, "L", "0"),
        (3, "F", "1"),
        (4, "5", "1"),
        (5, "4", "4"),
    ]


def test_new_orders_have_all_their_terms_in_every_report(desk: Desk) -> None:
    """market.md 11.2: no earlier event is needed to understand one."""
    sent = new(
        "b", "1", 9, 60, "6", by="ALPHA", display=2, min_quantity=1, expire_day="2030-01-01", group="g"
    )
    desk.sell("s", 1, 55)
    desk.send(sent)
    shared = set(NewOrder.__struct_fields__) & set(Execution.__struct_fields__) - {"time", "post_only"}
    for event in desk.events:
        if event["cl_ord_id"] == "b":
            assert {name: event[name] for name in shared} == {name: getattr(sent, name) for name in shared}
