"""Markets that come, and the limits of markets, accounts and shards."""

from engine.commands import LimitAccount, ListInstrument, SetRules
from engine.events import AccountLimited, Event, InstrumentListed, RulesSet
from engine.fees import HIGHEST
from engine.market import Market
from engine.peer_commands import MAX_PEER
from engine.peer_messages import Follow
from engine.peers import DistantMarket, say
from engine.state import State
from engine.user_commands import ShapeShards


def list_instrument(state: State, _: int, command: ListInstrument) -> list[Event]:
    symbol = command.symbol
    assert symbol and symbol not in state.markets and symbol not in state.distant, command
    market = Market(command)  # checks the numbers
    base, quote, tick, lot = command.base, command.quote, command.tick, command.lot
    events: list[Event] = [InstrumentListed(command.time, symbol, base, quote, tick, lot)]
    if command.peer:
        assert 0 < command.peer <= MAX_PEER, command
        state.distant[symbol] = DistantMarket(command)
        events.append(say(state.channels, command.time, command.peer, Follow(command)))
    else:
        state.markets[symbol] = market
    return events


def set_rules(state: State, _: int, command: SetRules) -> list[Event]:
    numbers = command.min_price, command.max_notional, command.band, command.collar, command.dynamic_band
    fees = command.maker_fee, command.taker_fee
    assert min(*numbers, command.reference_price, *fees) >= 0 and max(fees) <= HIGHEST, command
    market = state.markets[command.symbol]
    assert command.min_price <= market.instrument.max_price, command
    assert command.reference_price <= market.instrument.max_price, command
    market.follow(command)
    return [RulesSet(command.time, command.symbol, *numbers, command.reference_price, *fees)]


def limit_account(state: State, _: int, command: LimitAccount) -> list[Event]:
    numbers = command.max_open_orders, command.max_orders_per_second, *dict(command.max_notional).values()
    assert min(numbers) >= 0, command
    assert len(dict(command.max_notional)) == len(command.max_notional), command
    state.limits[command.account] = command
    user = state.users.get(command.account)
    if user is not None:
        user.limits = command
    most = command.max_open_orders, command.max_notional, command.max_orders_per_second
    return [AccountLimited(command.time, command.account, *most)]


def shape_shards(state: State, _: int, command: ShapeShards) -> list[Event]:
    assert min(command.resident, command.in_flight) >= 1, command
    state.resident, state.in_flight = command.resident, command.in_flight
    return []
