"""What must be so of the state of one node."""

from __future__ import annotations

from engine.order import DISTANT, Order
from engine.peer_messages import AMEND
from engine.peers import SPAN
from engine.user import User
from engine.venue import Venue
from engine.words import ACTIVE, BUY, MOVING
from tests.simulation.between import live
from tests.simulation.record import SimulatedRecord


def count_orders(venue: Venue) -> None:
    """That is not in the digest, so the venue is asked itself."""
    for shard in venue.shards.values():
        holds = sum(len(user.holds) for user in shard.users.values())
        assert shard.open_orders == holds, f"{shard.name} counts {shard.open_orders} of {holds} orders"
        waiting = sum(not hold.step for user in shard.users.values() for hold in user.holds.values())
        assert shard.in_flight == waiting, f"{shard.name} counts {shard.in_flight} of {waiting} in flight"


def look_up_orders(venue: Venue) -> None:
    """Each is found by its ClOrdID, and by that of a replace that is under way."""
    for order in live(venue):
        assert venue.orders[order.client].get(order.cl_ord_id) is order, f"{order} is not found"
        asked = venue.asked.get((order.order_id, AMEND))
        if asked is not None:
            assert venue.orders[order.client].get(asked.cl_ord_id) is order, f"{order} is not found"


def look(venue: Venue, record: SimulatedRecord, expected: dict[str, int], steps: dict[int, int]) -> None:
    """`expected`: all the money there is; `steps`: of each order, that there were."""
    count_orders(venue)
    look_up_orders(venue)
    money: dict[str, int] = {}
    places: dict[str, str] = {}
    for shard in venue.shards.values():
        for name, user in shard.users.items():
            assert name not in places, f"{name} is on two shards"
            places[name] = shard.name
            assert venue.router.owner(name) == shard.name, f"{name} is with one who does not own him"
            assert user is venue.users[name]
            _look_at(user, money)
            quiet = not user.holds and name not in shard.flushing
            assert quiet or name not in shard.idle, f"{name} is idle and is not"
        assert all(name in shard.users for name in (*shard.idle, *shard.flushing))
    assert places.keys() == venue.users.keys()
    for name in venue.moving:
        moving = name not in places or venue.users[name].state == MOVING
        assert moving, f"{name} is on its way to another shard, and trades"
    assert any(state == ACTIVE for _, state in venue.router.routing.members)
    assert {name for name, _ in venue.router.routing.members} == set(venue.shards)
    _compare_orders(venue, steps)
    for currency, amount in venue.collected.items():
        assert amount >= 0, f"the venue has given {currency} that it did not have"
        money[currency] = money.get(currency, 0) + amount
    supply = {currency: amount for currency, amount in venue.supply.items() if amount}
    in_memory = {currency: amount for currency, amount in money.items() if amount}
    assert supply == in_memory, f"in memory is {in_memory}, and is counted as {supply}"
    for name, kept in record.rows.items():
        if name not in places:
            for currency, amount in kept.row.balances:
                money[currency] = money.get(currency, 0) + amount
    there = {currency: amount for currency, amount in money.items() if amount}
    should = {currency: amount for currency, amount in expected.items() if amount}
    assert there == should, f"there is {there}, and there should be {should}"


def _look_at(user: User, money: dict[str, int]) -> None:
    held: dict[str, int] = {}
    for hold in user.holds.values():
        held[hold.currency] = held.get(hold.currency, 0) + hold.amount + hold.raised
    for currency, balance in user.balances.items():
        assert 0 <= balance.reserved <= balance.total, f"{user.name} has reserved too much {currency}"
        assert balance.reserved == held.pop(currency, 0), f"{user.name}: {currency} of no order"
        money[currency] = money.get(currency, 0) + balance.total
    assert not any(held.values())


def _compare_orders(venue: Venue, steps: dict[int, int]) -> None:
    """The open orders of the markets are the holds of the users, and each reserves what is left of it."""
    orders: dict[int, Order] = {}
    for market in venue.markets.values():
        places = market.bids, market.asks, market.stops, market.touched.values(), market.parked.values()
        orders |= {order.order_id: order for place in places for order in place}
    orders |= {order.order_id: order for order in live(venue) if order.where == DISTANT}
    assert orders.keys() == {order.order_id for order in live(venue)}
    holds = {number: hold for user in venue.users.values() for number, hold in user.holds.items()}
    ours = {number for number in orders if number < SPAN}
    assert ours == holds.keys(), "holds and open orders differ"
    for number, order in orders.items():
        assert order.step == steps.get(number, 0)
        if number >= SPAN:
            continue  # its home has debited it
        hold = holds[number]
        assert number in venue.users[order.account].holds
        assert hold.step == order.step
        if order.side == BUY and not hold.per_lot:
            continue
        instrument = venue.instrument(order.symbol)
        limit = order.price if order.where == DISTANT else order.limit
        needed = order.leaves_quantity * instrument.base_per_lot
        if order.side == BUY:
            value = order.leaves_quantity * limit * instrument.quote_per_tick_lot
            needed = value + value * max(order.maker_fee, order.taker_fee) // 1_000_000
        assert hold.amount == needed, f"{order} holds {hold.amount}"
