"""What must be so of several nodes together, at every position of each of their journals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from engine.events import Execution
from engine.order import DISTANT, Order
from engine.peers import Channel, at_home, home_of
from engine.state import State
from engine.venue import Venue
from engine.words import BUY, TRADE

FEES = "maker_fee", "taker_fee"
SAME = ("cl_ord_id", "quantity", "price", "stop_price", "leaves_quantity", "cum_quantity", "notional", "step")
"""in both pictures of an order"""


class Between:
    def __init__(self) -> None:
        self.venues: dict[int, Venue] = {}
        """of each node as it is on disk, by number"""
        self.crossed: Counter[str] = Counter()
        """by currency, what trades have brought to nodes together, with what they have not heard of yet"""
        self._told: dict[tuple[int, int], list[Execution]] = defaultdict(list)
        """all that was said of orders, by market and home"""
        self._heard: Counter[tuple[int, int]] = Counter()

    def tell(self, market: int, event: Execution) -> None:
        """The market has said it of an order of another node."""
        self._told[market, home_of(event.order_id)].append(event)

    def hear(self, home: int, market: int, event: Execution) -> None:
        """It is heard there: all, once, in the order in which it was said (features 45, 50)."""
        told, heard = self._told[market, home], self._heard[market, home]
        assert heard < len(told), f"node {home} knows more than the market on node {market}: {event}"
        self._heard[market, home] += 1
        one = told[heard]
        assert at_home(one.order_id) == event.order_id, f"{one} is heard as {event}"
        for name in ("exec_type", "ord_status", "last_quantity", "last_price", "match_id", *SAME[1:]):
            assert getattr(one, name) == getattr(event, name), f"{one} is heard as {event}"

    def look(self, number: int, sent: Counter[int]) -> None:
        """Money first: what a trade of two nodes brings to one it takes from the other, told or untold.
        `sent`: messages of this node in its journal, by node."""
        money = Counter(self.crossed)
        for (market, home), told in self._told.items():
            for event in told[self._heard[market, home] :]:
                if event.exec_type == TRADE:
                    money.update(gain(self.venues[market], event))
        assert not any(money.values()), f"all nodes together have won {dict(money)}"
        venue = self.venues[number]
        for peer, channel in venue.channels.items():
            there = self.venues[peer].channels.get(number) or Channel()
            first = next(iter(channel.outstanding), channel.sent + 1)
            assert channel.sent == sent[peer], "a message is not in the journal"
            assert list(channel.outstanding) == list(range(first, channel.sent + 1)), "a message is missing"
            assert first - 1 <= there.taken <= channel.sent, "what was not taken counts as taken"
            assert channel.taken <= there.sent, "more was taken than was said"
            assert channel.in_flight == sum(not order.step for order in distant(venue, peer))
            assert channel.in_flight <= venue.in_flight, "more orders are in flight than may be"

    def unheard(self) -> str:
        """Who has not heard all that was said to it."""
        for number, venue in self.venues.items():
            for peer, channel in venue.channels.items():
                there = self.venues[peer].channels.get(number) or Channel()
                if there.taken < channel.sent:
                    return f"node {peer} has taken {there.taken} of {channel.sent} messages of node {number}"
        return ""

    def compare(self) -> list[tuple[int, int]]:
        """Nodes that have said and heard all have the same picture of the orders between them. Returns home
        and market of those."""
        pairs = []
        for number, venue in self.venues.items():
            for peer, channel in venue.channels.items():
                there = self.venues[peer].channels.get(number) or Channel()
                if channel.taken == there.sent and there.taken == channel.sent:
                    compare(venue, self.venues[peer], number, peer)
                    pairs.append((number, peer))
        return pairs


def compare(home: Venue, market: Venue, number: int, peer: int) -> None:
    assert all(asked.symbol not in home.distant or home.distant[asked.symbol].peer != peer
               for asked in home.asked.values()), "what was asked is not answered"  # fmt: skip
    for symbol, market_there in home.distant.items():
        if market_there.peer == peer:
            state = market.markets[symbol].state
            assert market_there.state == state, f"{symbol} is {state}, and {market_there.state} at home"
    there = {at_home(order.order_id): order for order in live(market) if home_of(order.order_id) == number}
    for order in distant(home, peer):
        found = there.pop(order.order_id, None)
        assert found is not None, f"{order} is not in its market"
        for name in (*SAME, *FEES):
            assert getattr(order, name) == getattr(found, name), f"{order} has another {name} in its market"
        user = home.users.get(order.account)
        rate = max(found.maker_fee, found.taker_fee) if order.side == BUY else 0
        assert user is None or user.holds[order.order_id].rate == rate, f"{order} is held at another rate"
    assert not there, f"{there} have ended at home"


def live(state: State) -> Iterator[Order]:
    return (order for orders in state.live.values() for order in orders.values())


def distant(state: State, peer: int) -> Iterator[Order]:
    """Orders of users here in markets of that node."""
    for order in live(state):
        if order.where == DISTANT and state.distant[order.symbol].peer == peer:
            yield order


def gain(state: State, trade: Execution) -> dict[str, int]:
    """What this side of a trade brings."""
    instrument = state.instrument(trade.symbol)
    sign = 1 if trade.side == BUY else -1
    cost = trade.last_quantity * trade.last_price * instrument.quote_per_tick_lot
    return {
        instrument.base: sign * trade.last_quantity * instrument.base_per_lot,
        instrument.quote: -sign * cost,
    }
