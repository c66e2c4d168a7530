"""What is refused between nodes (docs/nodes.md, 2.2 and 3): every reason that no single node has."""

from __future__ import annotations

from msgspec.structs import replace

from engine import refusals
from engine.commands import CancelOrder, CorrectTrade, NewOrder, ReplaceOrder
from engine.events import Execution
from engine.peer_commands import Acknowledge, TakeMessage
from engine.refusals import Refusal
from engine.user_commands import ShapeShards
from engine.words import BUY, DAY, LIMIT, MARKET, SELL, STOP
from tests.engine.nodes.network import Network, Node, denied

ORDER = NewOrder(10**9, "A1", "A1", "A1", "a", "BTC-USD", BUY, LIMIT, DAY, 5, 50)
CANCEL = CancelOrder(10**9, "A1", "A1", "c", "a", "BTC-USD", BUY)
REPLACE = ReplaceOrder(10**9, "A1", "A1", "", "r", "a", "BTC-USD", BUY, LIMIT, 6, 50)


def reached() -> tuple[Network, Node]:
    network = Network()
    network.rest()
    return network, network.nodes[0]


def test_no_order_before_the_market_is_reached() -> None:
    assert Network().nodes[0].give(ORDER) == Refusal(refusals.NOT_REACHED, "")


def test_what_is_held_must_be_known_here() -> None:
    """44: the debit is exact without a look at the book."""
    _, home = reached()
    for changes, needed in (
        ({"ord_type": MARKET, "price": 0}, "Price or CashOrderQty"),
        ({"ord_type": STOP, "price": 0, "stop_price": 60}, "Price"),
        ({"ord_type": MARKET, "price": 0, "side": SELL, "quantity": 0, "cash": 100}, "OrderQty"),
    ):
        assert home.give(replace(ORDER, **changes)) == Refusal(refusals.UNKNOWN_AMOUNT, needed)
    assert home.give(replace(ORDER, ord_type=MARKET, price=0, quantity=0, cash=700)) is None
    assert home.venue.users["A1"].balances["USD"].reserved == 700
    assert home.give(replace(ORDER, cl_ord_id="s", ord_type=MARKET, price=0, side=SELL)) is None
    assert home.venue.users["A1"].balances["BTC"].reserved == 50


def test_one_request_of_a_kind_at_a_time() -> None:
    network, home = reached()
    assert home.give(ORDER) is None
    assert home.give(REPLACE) is None
    assert home.give(replace(REPLACE, cl_ord_id="r2")) == Refusal(refusals.PENDING)
    assert home.give(replace(CANCEL, orig_cl_ord_id="r")) is None
    assert home.give(replace(CANCEL, cl_ord_id="c2")) == Refusal(refusals.PENDING)
    assert home.give(replace(REPLACE, cl_ord_id="r3")) == Refusal(refusals.PENDING)
    network.rest()
    said = [(event.cl_ord_id, event.exec_type) for event in home.events if isinstance(event, Execution)]
    assert said == [("a", "A"), ("r", "E"), ("c", "6"), ("a", "0"), ("r", "5"), ("c", "4")]


def test_49_no_debit_for_an_order_that_cannot_be_delivered() -> None:
    network, home = reached()
    assert home.give(ShapeShards(10**9, 100, 2)) is None
    for name in "ab":
        assert home.give(replace(ORDER, cl_ord_id=name)) is None
    before = home.venue.digest()
    assert home.give(replace(ORDER, cl_ord_id="c")) == Refusal(refusals.IN_FLIGHT, 2, 2)
    assert home.venue.digest() == before
    assert home.give(replace(CANCEL, cl_ord_id="x")) is None
    network.rest()
    assert home.give(replace(ORDER, cl_ord_id="c")) is None


def test_50_each_message_takes_effect_once() -> None:
    """One order, though it is carried a thousand times."""
    network, home = reached()
    assert home.give(ORDER) is None
    number, carried = next(iter(home.venue.channels[2].outstanding.items()))
    take = TakeMessage(10**9, 1, number, carried)
    assert network.market.give(replace(take, number=number + 1)) == Refusal(
        refusals.OUT_OF_TURN, number + 1, number
    )
    assert network.market.give(take) is None
    for _ in range(1000):
        assert network.market.give(take) == Refusal(refusals.OUT_OF_TURN, number, number + 1)
    assert network.market.give(replace(take, number=number + 1)) is None  # said again under another number
    assert len(network.market.venue.live["1:A1"]) == 1
    assert home.give(Acknowledge(10**9, 2, 99)) == Refusal(refusals.OUT_OF_TURN, 99, number)


def test_a_trade_of_two_nodes_cannot_be_taken_back() -> None:
    network, home = reached()
    there = replace(ORDER, client="A2", session="A2", account="A2", side=SELL)
    assert network.market.give(there) is None
    assert home.give(ORDER) is None
    network.rest()
    for node in network.nodes:
        trades = [each for each in node.events if isinstance(each, Execution) and each.exec_type == "F"]
        buy, sell = trades[0], trades[-1]
        correct = CorrectTrade(10**9, buy, sell, buy.match_id, 1, 2, 5, 50, 0, 0, "error")
        assert node.give(correct) == Refusal(refusals.DISTANT)


def test_a_full_market_takes_cancels_only() -> None:
    """nodes.md 3.2: in words, and what was debited is free again."""
    network, home = reached()
    assert home.give(ORDER) is None
    network.rest()
    for command in replace(ORDER, cl_ord_id="b"), REPLACE, CANCEL:
        assert home.give(command) is None
    for number, carried in home.venue.channels[2].outstanding.items():
        assert network.market.give(TakeMessage(10**9, 1, number, carried, full=True)) is None
    network.rest()
    full = Refusal(refusals.STORE_FULL)
    assert [(each.request, each.refusal) for each in denied(home)] == [("D", full), ("G", full)]
    assert home.venue.users["A1"].balances["USD"].reserved == 0 == len(home.venue.live["A1"])


def test_a_message_of_another_release_changes_nothing() -> None:
    _, home = reached()
    before = home.venue.digest()
    for payload in b"", b"\xc1", b"\x91\xa6unknown":
        refusal = home.give(TakeMessage(10**9, 2, home.venue.channels[2].taken + 1, payload))
        assert refusal is not None and refusal.reason == refusals.UNREADABLE
    assert home.venue.digest() == before
