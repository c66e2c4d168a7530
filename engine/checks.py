"""What must be so for a command to be carried out. Nothing here changes the state."""

from engine import refusals
from engine.commands import CancelOrder, Command, ListInstrument, NewOrder, ReplaceOrder, SetCancelOnly
from engine.refusals import Refusal
from engine.shard import Account
from engine.state import State
from engine.words import DAY, FILL_OR_KILL, GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL, LIMIT, MARKET

TIMES_IN_FORCE = (DAY, GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL, FILL_OR_KILL)


def refusal_of(state: State, command: Command) -> Refusal | None:
    """The first reason not to carry out the command in this state; None if there is none."""
    if isinstance(command, NewOrder):
        return _new(state, command)
    if isinstance(command, CancelOrder):
        return _request(state, command)
    if isinstance(command, ReplaceOrder):
        return _request(state, command) or _replace(state, command)
    if isinstance(command, SetCancelOnly) and command.symbol and command.symbol not in state.markets:
        return Refusal(refusals.UNKNOWN_SYMBOL, command.symbol)
    return None


def assert_in_range(instrument: ListInstrument, command: NewOrder | ReplaceOrder) -> None:
    """Fails if the command was made outside the ranges that engine.commands gives."""
    assert 0 < command.quantity <= instrument.max_quantity, command
    if command.ord_type == LIMIT:
        assert 0 < command.price <= instrument.max_price, command
    else:
        assert command.ord_type == MARKET and command.price == 0, command


def assert_time_in_force(command: NewOrder) -> None:
    assert command.time_in_force in TIMES_IN_FORCE, command


def _new(state: State, command: NewOrder) -> Refusal | None:
    market = state.markets.get(command.symbol)
    if market is None:
        return Refusal(refusals.UNKNOWN_SYMBOL, command.symbol)
    account = state.accounts.get(command.account)
    if account is None or account.client != command.client:
        return Refusal(refusals.UNKNOWN_ACCOUNT, command.account)
    if command.cl_ord_id in state.orders[command.client]:
        return Refusal(refusals.DUPLICATE, command.cl_ord_id)
    if state.cancel_only or market.cancel_only:
        return Refusal(refusals.CANCEL_ONLY, command.symbol)
    needed = market.needed(command.side, command.quantity, command.price, command.time_in_force)
    return _funds(account, market.reserve_currency[command.side], needed)


def _request(state: State, command: CancelOrder | ReplaceOrder) -> Refusal | None:
    order = state.order(command.client, command.orig_cl_ord_id)
    if order is None:
        return Refusal(refusals.UNKNOWN_ORDER, command.orig_cl_ord_id)
    if command.cl_ord_id in state.orders[command.client]:
        return Refusal(refusals.DUPLICATE, command.cl_ord_id)
    if command.symbol != order.symbol:
        return Refusal(refusals.MISMATCH, command.symbol, order.symbol, "Symbol")
    if command.side != order.side:
        return Refusal(refusals.MISMATCH, command.side, order.side, "Side")
    return None


def _replace(state: State, command: ReplaceOrder) -> Refusal | None:
    order = state.orders[command.client][command.orig_cl_ord_id]
    if command.ord_type != order.ord_type:
        return Refusal(refusals.MISMATCH, command.ord_type, order.ord_type, "OrdType")
    if command.account and command.account != order.account:
        return Refusal(refusals.MISMATCH, command.account, order.account, "Account")
    if command.time_in_force and command.time_in_force != order.time_in_force:
        return Refusal(refusals.MISMATCH, command.time_in_force, order.time_in_force, "TimeInForce")
    market = state.markets[order.symbol]
    if state.cancel_only or market.cancel_only:
        return Refusal(refusals.CANCEL_ONLY, order.symbol)
    if command.quantity <= order.cum_quantity:
        return Refusal(refusals.NOT_ABOVE_FILLED, command.quantity, order.cum_quantity)
    side = order.side
    held = market.reservation(side, order.leaves_quantity, order.price)
    needed = market.reservation(side, command.quantity - order.cum_quantity, command.price)
    return _funds(state.accounts[order.account], market.reserve_currency[side], needed - held)


def _funds(account: Account, currency: str, needed: int) -> Refusal | None:
    available = account.available(currency)
    return Refusal(refusals.FUNDS, needed, available, currency) if needed > available else None
