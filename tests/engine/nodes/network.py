"""Nodes that are joined by a network which loses, repeats and delays what they say, and an operator who kills
them: one state machine each, from the same commands as a real one's."""

from __future__ import annotations

from random import Random

from msgspec import msgpack

from engine.commands import Command, ListInstrument, OpenAccount
from engine.events import Event, Execution, RequestDenied
from engine.peer_commands import Acknowledge, MessageSent, TakeMessage
from engine.peer_messages import Told, message_of
from engine.refusals import Refusal
from engine.venue import Venue
from engine.words import BUY, TRADE
from tests.engine.users.desk import again

UNITS = "0.01", "0.001", 10, 2, 100, 1000
RICH = (("BTC", 1_000), ("USD", 10_000))


class Node:
    def __init__(self, number: int) -> None:
        self.number = number
        self.venue = Venue()
        self.journal: list[bytes] = []
        self.events: list[Event] = []
        """all there were"""

    def give(self, command: Command) -> Refusal | None:
        refusal = self.venue.refusal(command)
        if refusal is None:
            self.journal.append(msgpack.encode(command))
            events = self.venue.apply(len(self.journal), command)
            self.events += events
            for symbol in {event.symbol for event in events if isinstance(event, Execution)}:
                market = self.venue.markets.get(symbol)
                assert market is None or not market.unfinished
        return refusal

    def replay(self) -> None:
        """It dies and starts: nothing is said again, and it comes to the same."""
        venue, events = Venue(), []
        for sequence, entry in enumerate(self.journal, 1):
            events += venue.apply(sequence, msgpack.decode(entry, type=Command))
        assert venue.digest() == self.venue.digest() == again(self.venue).digest()
        assert events == self.events
        self.venue = again(venue)

    def reports(self, kind: type[Event] = Execution) -> list[Event]:
        return [event for event in self.events if type(event) is kind]


class Network:
    """`homes` have users, node 0 has the market BTC-USD, and users of its own."""

    def __init__(self, homes: int = 1) -> None:
        self.nodes = [Node(number) for number in range(1, homes + 2)]
        self.market = self.nodes[-1]
        self.now = 0
        for node in self.nodes:
            peer = 0 if node is self.market else self.market.number
            node.give(ListInstrument(self.tick(), "BTC-USD", "BTC", "USD", *UNITS, peer))
            for name in f"A{node.number}", f"B{node.number}":
                node.give(OpenAccount(self.tick(), name, name, RICH))

    def tick(self) -> int:
        self.now += 1_000_000
        return self.now

    def pairs(self) -> list[tuple[Node, Node]]:
        """(from, to)"""
        homes = self.nodes[:-1]
        return [pair for home in homes for pair in ((home, self.market), (self.market, home))]

    def carry(self, sender: Node, receiver: Node, number: int) -> Refusal | None:
        """One message, whatever its number."""
        channel = sender.venue.channels.get(receiver.number)
        if channel is None or number not in channel.outstanding:
            return None
        carried = channel.outstanding[number]
        return receiver.give(TakeMessage(self.tick(), sender.number, number, carried))

    def acknowledge(self, sender: Node, receiver: Node) -> None:
        channel = receiver.venue.channels.get(sender.number)
        if channel is not None and channel.taken:
            assert sender.give(Acknowledge(self.tick(), receiver.number, channel.taken)) is None

    def carry_some(self, choose: Random) -> None:
        sender, receiver = choose.choice(self.pairs())
        channel = sender.venue.channels.get(receiver.number)
        if channel is None or not channel.outstanding:
            return
        if choose.random() < 0.2:
            self.acknowledge(sender, receiver)
            return
        taken = receiver.venue.channels.get(sender.number)
        following = (taken.taken if taken else 0) + 1
        any_of_them = choose.choice(list(channel.outstanding))
        self.carry(sender, receiver, following if choose.random() < 0.7 else any_of_them)

    def rest(self) -> None:
        """All that is to be said has been said."""
        moved = True
        while moved:
            moved = False
            for sender, receiver in self.pairs():
                channel = sender.venue.channels.get(receiver.number)
                for number in list(channel.outstanding) if channel else ():
                    moved |= self.carry(sender, receiver, number) is None
                self.acknowledge(sender, receiver)
        for node in self.nodes:
            assert not any(channel.outstanding for channel in node.venue.channels.values())

    # -- what is so ------------------------------------------------------------------------------------

    def check(self) -> None:
        """At every moment: what was traded was traded once on both sides, whoever has heard of it already."""
        money = {"BTC": 0, "USD": 0}
        for node in self.nodes:
            there: dict[str, int] = {}
            for user in node.venue.users.values():
                for currency, balance in user.balances.items():
                    holds = [hold for hold in user.holds.values() if hold.currency == currency]
                    held = sum(hold.amount + hold.raised for hold in holds)
                    assert held == balance.reserved <= balance.total, (user.name, currency)
                    there[currency] = there.get(currency, 0) + balance.total
            for currency, amount in node.venue.collected.items():
                there[currency] += amount
            assert there == node.venue.supply
            for currency, total in there.items():
                money[currency] += total
        for sender, receiver in self.pairs():
            for currency, amount in unheard(sender, receiver):
                money[currency] += amount
        users = 2 * len(self.nodes)
        assert money == {currency: amount * users for currency, amount in RICH}

    def check_at_rest(self) -> None:
        """The homes know what the market knows, and all that was asked is answered."""
        at_market = {
            order.order_id: order for orders in self.market.venue.live.values() for order in orders.values()
        }
        for node in self.nodes[:-1]:
            state = node.venue
            assert not state.asked and not state.channels[self.market.number].in_flight
            for orders in state.live.values():
                for order in orders.values():
                    there = at_market.pop(node.number * 10**15 + order.order_id)
                    for name in ("cl_ord_id", "quantity", "price", "leaves_quantity", "cum_quantity", "step"):
                        assert getattr(order, name) == getattr(there, name), (name, order, there)
                    hold = state.users[order.account].holds[order.order_id]
                    assert hold.amount == hold.needs(order.leaves_quantity) and not hold.raised
                    assert hold.rate == (max(there.maker_fee, there.taker_fee) if order.side == BUY else 0)
                    assert hold.per_lot == (2 * order.price if order.side == BUY else 10)
            named = sorted(id(order) for orders in state.orders.values() for order in orders.values())
            assert len(named) == sum(map(len, state.live.values()))
        assert all(order.order_id < 10**15 for order in at_market.values())


def unheard(sender: Node, receiver: Node) -> list[tuple[str, int]]:
    """What users of the receiver will have got by trades that it has not heard of."""
    channel = sender.venue.channels.get(receiver.number)
    there = receiver.venue.channels.get(sender.number)
    taken, found = there.taken if there else 0, []
    for number, payload in channel.outstanding.items() if channel else ():
        message = message_of(payload)
        if number > taken and isinstance(message, Told) and message.event.exec_type == TRADE:
            event, sign = message.event, 1 if message.event.side == BUY else -1
            found.append(("BTC", sign * event.last_quantity * 10))
            found.append(("USD", -sign * event.last_quantity * event.last_price * 2))
    return found


def denied(node: Node) -> list[RequestDenied]:
    return [event for event in node.events if isinstance(event, RequestDenied)]


def sent(node: Node) -> list[MessageSent]:
    return [event for event in node.events if isinstance(event, MessageSent)]
