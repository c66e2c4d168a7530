"""Markets and accounts that come, and the limits that are set on them."""

from engine.commands import LimitAccount, ListInstrument, OpenAccount, SetRules
from engine.events import AccountLimited, AccountOpened, Event, InstrumentListed, RulesSet
from engine.market import Market
from engine.state import State


def list_instrument(state: State, _: int, command: ListInstrument) -> list[Event]:
    symbol = command.symbol
    assert symbol and symbol not in state.markets, command
    state.markets[symbol] = Market(command)
    base, quote, tick, lot = command.base, command.quote, command.tick, command.lot
    return [InstrumentListed(command.time, symbol, base, quote, tick, lot)]


def open_account(state: State, _: int, command: OpenAccount) -> list[Event]:
    state.shard.open(command)
    state.orders.setdefault(command.client, {})
    return [AccountOpened(command.time, command.account, command.client, command.balances)]


def set_rules(state: State, _: int, command: SetRules) -> list[Event]:
    numbers = command.min_price, command.max_notional, command.band, command.collar, command.dynamic_band
    assert min(*numbers, command.reference_price) >= 0, command
    market = state.markets[command.symbol]
    assert command.min_price <= market.instrument.max_price, command
    assert command.reference_price <= market.instrument.max_price, command
    market.follow(command)
    return [RulesSet(command.time, command.symbol, *numbers, command.reference_price)]


def limit_account(state: State, _: int, command: LimitAccount) -> list[Event]:
    assert min((command.max_open_orders, *dict(command.max_notional).values())) >= 0, command
    assert len(dict(command.max_notional)) == len(command.max_notional), command
    state.accounts[command.account].limits = command
    most = command.max_open_orders, command.max_notional
    return [AccountLimited(command.time, command.account, *most)]
