"""What happens to an order while a request for it is on its way to the market (docs/nodes.md, 3.3)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.commands import CancelOrder, CancelSession, NewOrder, ReplaceOrder, SetState
from engine.events import Execution
from engine.words import (
    BUY,
    CANCEL_TAKER,
    CANCELED,
    CONNECTION_LOST,
    DAY,
    DECREMENT,
    HALTED,
    LIMIT,
    REPLACED,
    SELL,
    SLIDE,
    TRADE,
)
from tests.engine.nodes.network import Network, Node, denied


def joined() -> tuple[Network, Node]:
    network = Network()
    network.rest()
    return network, network.nodes[0]


def order(network: Network, client: str, name: str, side: str, quantity: int, price: int) -> NewOrder:
    return NewOrder(
        network.tick(), client, client, client, name, "BTC-USD", side, LIMIT, DAY, quantity, price
    )  # fmt: skip


def replaced(network: Network, name: str, quantity: int, price: int) -> ReplaceOrder:
    return ReplaceOrder(
        network.tick(), "A1", "A1", "", "r", name, "BTC-USD", BUY, LIMIT, quantity, price
    )  # fmt: skip


def hear(network: Network, number: int) -> int:
    """The home hears up to this message, and has so much reserved."""
    for each in range(1, number + 1):
        network.carry(network.market, network.nodes[0], each)
    network.check()
    return network.nodes[0].venue.users["A1"].balances["USD"].reserved


def told(network: Network) -> int:
    """To the home, messages."""
    return network.market.venue.channels[1].sent


def ask(network: Network) -> None:
    """The market hears all."""
    for number in list(network.nodes[0].venue.channels[2].outstanding):
        network.carry(network.nodes[0], network.market, number)


def test_a_price_that_slides_frees_nothing_that_a_replace_may_need() -> None:
    network, home = joined()
    assert network.market.give(order(network, "A2", "offer", SELL, 5, 50)) is None
    assert home.give(replace(order(network, "A1", "a", BUY, 5, 50), post_only=SLIDE)) is None
    assert home.give(replaced(network, "a", 5, 50)) is None
    first = told(network) + 1
    ask(network)
    assert hear(network, first) == 5 * 50 * 2, "its price is 49 now, and the replace asks for 50"
    network.rest()
    assert hear(network, 0) == 5 * 49 * 2
    network.check_at_rest()


def test_a_decrement_frees_nothing_that_a_replace_may_need() -> None:
    network, home = joined()
    assert home.give(replace(order(network, "A1", "a", BUY, 10, 50), group="one")) is None
    network.rest()
    own = order(network, "A1", "own", SELL, 4, 50)
    assert home.give(replace(own, group="one", self_trade=DECREMENT)) is None
    assert home.give(replaced(network, "a", 10, 50)) is None
    last = told(network)
    ask(network)
    assert told(network) == last + 4, "the new one, what both have lost, and the replace"
    assert hear(network, last + 3) == 10 * 50 * 2, "6 lots are left, and the replace asks for 10"
    network.rest()
    assert home.reports()[-1].exec_type == REPLACED  # type: ignore[union-attr]
    assert hear(network, 0) == 10 * 50 * 2
    network.check_at_rest()


def test_a_lost_connection_ends_an_order_though_its_market_refuses_a_cancel_of_the_client() -> None:
    network, home = joined()
    assert home.give(order(network, "A1", "a", BUY, 5, 50)) is None
    network.rest()
    assert network.market.give(SetState(network.tick(), "BTC-USD", HALTED)) is None
    assert home.give(CancelOrder(network.tick(), "A1", "A1", "c", "a", "BTC-USD", BUY)) is None
    assert home.give(CancelSession(network.tick(), "A1", CONNECTION_LOST, True, 100)) is None
    network.rest()
    assert [each.cl_ord_id for each in denied(home)] == ["c"]
    last = home.reports()[-1]
    assert isinstance(last, Execution) and (last.cl_ord_id, last.exec_type) == ("a", CANCELED)
    network.check_at_rest()


def test_clients_of_two_nodes_are_not_of_one_group() -> None:
    """As each node has its own names."""
    network, home = joined()
    for node, client, side in (network.market, "A2", SELL), (home, "A1", BUY):
        one = order(network, client, "a", side, 5, 50)
        assert node.give(replace(one, group="client:A", self_trade=CANCEL_TAKER)) is None
    network.rest()
    trades = [each for each in home.reports() if isinstance(each, Execution) and each.exec_type == TRADE]
    assert [(each.last_quantity, each.last_price) for each in trades] == [(5, 50)]
