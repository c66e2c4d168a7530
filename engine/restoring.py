"""The state that a snapshot was made of, from its parts."""

from collections.abc import Iterable

from engine.market import Market
from engine.order import BOOK, DISTANT, PARKED, STOPS, TOUCHED, Order
from engine.peer_messages import AMEND
from engine.peers import Channel, DistantMarket
from engine.routing import Pin, Router, Routing
from engine.shard import Shard
from engine.snapshot import Counters, Listed, Nodes, Orders, Part, Places, Resident
from engine.state import State
from engine.user import Hold, User
from engine.venue import Venue


def restore(parts: Iterable[Part]) -> Venue:
    """The digest of what comes out is that of what was taken apart."""
    venue = Venue()
    idle: list[tuple[str, list[str]]] = []
    listed: list[tuple[Market, Listed, dict[int, Order]]] = []
    away: list[Order] = []
    for part in parts:
        if isinstance(part, Counters):
            _count(venue, part)
        elif isinstance(part, Places):
            idle = _place(venue, part)
        elif isinstance(part, Listed):
            listed.append((_list(venue, part), part, {}))
        elif isinstance(part, Orders):
            piece = [Order(None, None, *fields) for fields in part.fields]  # type: ignore[arg-type]
            if not listed:
                away += piece
                continue
            market, _, orders = listed[-1]
            for order in piece:
                orders[order.order_id] = order
                _put(market, order)
        elif isinstance(part, Nodes):
            _connect(venue, part)
        else:
            _enter(venue, part)
    for market, part, orders in listed:
        market.touched.update((number, orders[number]) for number in part.touched)
        market.parked = {number: orders[number] for number in part.parked}
        market.passing = {number: orders[number] for number in part.passing}
    for name, users in idle:
        venue.shards[name].idle.update((user, venue.users[user]) for user in users)
    _index(venue, [*away, *(order for *_, orders in listed for order in orders.values())])
    _ask(venue, away)
    return venue


def _count(state: State, part: Counters) -> None:
    state.sequence, state.match_id = part.sequence, part.match_id
    state.day, state.ending = part.day, part.ending
    state.resident, state.in_flight = part.resident, part.in_flight
    state.supply = dict(part.supply)
    state.collected = dict(part.collected)
    state.killed = dict.fromkeys(part.killed)
    state.corrected = dict(part.corrected)
    state.canceling = dict(part.canceling)
    state.limits = {limits.account: limits for limits in part.limits}
    state.orders = {client: {} for client in part.clients}


def _place(state: State, part: Places) -> list[tuple[str, list[str]]]:
    """Returns who is idle, by shard."""
    pins = tuple(Pin(*pin) for pin in part.routing.pins)
    state.router = Router(Routing(part.routing.epoch, part.routing.members, pins))
    state.shards = {name: Shard(name, state.collected) for name, _, _ in part.shards}
    for name, _, flushing in part.shards:
        state.shards[name].flushing = {flush.user: flush for flush in flushing}
    state.to_move = {pin[0]: Pin(*pin) for pin in part.to_move}
    state.moving = {pin[0]: Pin(*pin) for pin in part.moving}
    state.to_look_at, state.to_compare = part.to_look_at, part.to_compare
    state.to_confirm = part.to_confirm
    for event in part.unheard:
        state.unheard.setdefault(event.account, {})[event.order_id, event.step] = event
    return [(name, idle) for name, idle, _ in part.shards]


def _connect(state: State, part: Nodes) -> None:
    for peer, sent, taken, last_order, outstanding in part.channels:
        channel = state.channels[peer] = Channel()
        channel.sent, channel.taken, channel.last_order = sent, taken, last_order
        channel.outstanding = dict(outstanding)
    for instrument, market_state, difference, maker_fee, taker_fee in part.distant:
        market = state.distant[instrument.symbol] = DistantMarket(instrument)
        market.state, market.difference = market_state, difference
        market.maker_fee, market.taker_fee = maker_fee, taker_fee
    state.followers = dict(part.followers)
    state.asked = {(order_id, what): asked for order_id, what, asked in part.asked}


def _list(state: State, part: Listed) -> Market:
    market = state.markets[part.instrument.symbol] = Market(part.instrument)
    market.follow(part.rules)
    market.state, market.reason = part.state, part.reason
    market.last_price, market.dynamic_reference = part.last_price, part.dynamic_reference
    return market


def _put(market: Market, order: Order) -> None:
    if order.where == BOOK:
        shown = order.shown
        market.side(order.side).add(order)
        order.shown = shown
    elif order.where == STOPS:
        market.stops.add(order)
    else:
        assert order.where in (TOUCHED, PARKED), order


def _enter(state: State, part: Resident) -> None:
    shard = state.shards[part.shard]
    user = User(part.name, part.row, part.version, shard, state.limits_of(part.name))
    for currency, reserved in part.reserved:
        user.balances[currency].reserved = reserved
    user.state, user.epoch, user.last_active = part.state, part.epoch, part.last_active
    user.second, user.accepted = part.second, part.accepted
    for order_id, session, symbol, side, per_lot, amount, step, rate, *raised in part.holds:
        hold = Hold(order_id, session, state.instrument(symbol), side, per_lot, amount, rate)
        hold.step = step
        hold.raised, hold.raised_per_lot, hold.raised_rate = raised
        user.holds[order_id] = hold
        shard.in_flight += not step
    shard.open_orders += len(user.holds)
    state.users[user.name] = shard.users[user.name] = user


def _index(state: State, orders: list[Order]) -> None:
    for order in sorted(orders, key=_order_id):
        state.orders[order.client][order.cl_ord_id] = order
        state.live[order.session][order.order_id] = order
        if order.expire_time and order.where != DISTANT:
            state.expiring[order.expire_time, order.order_id] = order


def _ask(state: State, away: list[Order]) -> None:
    """Counts orders that are in flight, and finds those that a replace is under way for by both names."""
    for order in away:
        state.channels[state.distant[order.symbol].peer].in_flight += not order.step
        asked = state.asked.get((order.order_id, AMEND))
        if asked is not None:
            state.orders[order.client][asked.cl_ord_id] = order


def _order_id(order: Order) -> int:
    return order.order_id
