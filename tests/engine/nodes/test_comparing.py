"""Feature 68 between nodes: what one of two has lost of the other's is found in one round, and put right."""

from __future__ import annotations

from engine.commands import NewOrder
from engine.events import Execution
from engine.user_commands import Reconcile
from engine.user_events import Repaired
from engine.words import BUY, CANCELED, DAY, LIMIT
from tests.engine.nodes.network import Network


def placed() -> Network:
    network = Network()
    network.rest()
    for name in "abc":
        order = NewOrder(network.tick(), "A1", "A1", "A1", name, "BTC-USD", BUY, LIMIT, DAY, 5, 50)
        assert network.nodes[0].give(order) is None
    network.rest()
    return network


def compare(network: Network) -> list[tuple[str, int, int]]:
    """(what, OrderID, amount) of the repairs."""
    for node in network.nodes:
        node.give(Reconcile(network.tick(), 100))
    network.rest()
    home, market = network.nodes
    repairs = [event for event in home.events if isinstance(event, Repaired)]
    assert not market.reports(Repaired)
    return [(event.what, event.order_id, event.amount) for event in repairs]


def reserved(network: Network) -> int:
    return network.nodes[0].venue.users["A1"].balances["USD"].reserved


def test_what_is_right_is_left_alone() -> None:
    network = placed()
    assert compare(network) == [] == compare(network)
    network.check_at_rest()


def test_an_order_that_the_market_has_lost_ends() -> None:
    """A ghost: its client hears of its end, and its money is free."""
    network = placed()
    order_id = network.nodes[0].venue.order("A1", "b").order_id  # type: ignore[union-attr]
    state = network.market.venue
    lost = state.live_order("1:A1", 10**15 + order_id)
    assert lost is not None
    state.markets["BTC-USD"].take_out(lost)
    del state.live["1:A1"][lost.order_id], state.orders["1:A1"]["b"]
    assert compare(network) == [("ghost", order_id, 500)]
    assert reserved(network) == 1000
    last = network.nodes[0].reports(Execution)[-1]
    assert isinstance(last, Execution) and (last.cl_ord_id, last.exec_type) == ("b", CANCELED)
    assert compare(network) == [("ghost", order_id, 500)]
    network.check_at_rest()


def test_an_order_that_its_home_has_lost_is_canceled() -> None:
    """An orphan: nothing pays for it."""
    network = placed()
    state = network.nodes[0].venue
    order = state.order("A1", "b")
    assert order is not None
    del state.orders["A1"]["b"], state.live["A1"][order.order_id]
    user = state.users["A1"]
    user.balances["USD"].reserved -= user.holds.pop(order.order_id).amount
    user.shard.open_orders -= 1
    assert compare(network) == [("orphan", order.order_id, 0)]
    assert network.market.venue.order("1:A1", "b") is None
    network.check_at_rest()


def test_an_order_that_is_known_otherwise_is_put_right() -> None:
    """A leak: more is held than is left of it."""
    network = placed()
    state = network.market.venue
    order = state.order("1:A1", "b")
    assert order is not None
    state.markets["BTC-USD"].side(BUY).reduce(order, 3)
    order.quantity = 3
    order.step += 1
    mirror = network.nodes[0].venue.order("A1", "b")
    assert mirror is not None
    assert compare(network) == [("leak", mirror.order_id, 200)]
    assert (mirror.step, mirror.leaves_quantity, reserved(network)) == (2, 3, 1300)
    assert len(compare(network)) == 1
