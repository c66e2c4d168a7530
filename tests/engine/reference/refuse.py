"""Why not. Each of these yields all reasons that hold, in the order of engine/refusals.py, of which the first
one is told; one that follows need not make sense where an earlier one holds."""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands import (
    CancelMany,
    CancelOrder,
    Command,
    CorrectTrade,
    NewOrder,
    ReplaceOrder,
    SetRules,
    SetState,
    TellIndicative,
    TriggerStops,
    WithdrawOrder,
)
from tests.engine.reference import corrections, limits, orders
from tests.engine.reference.states import CALL_PHASES, OPENING, TAKES_ORDERS
from tests.engine.reference.world import Open, Refused, World


def reasons(world: World, command: Command) -> Iterator[Refused]:
    if isinstance(command, NewOrder):
        yield from new(world, command)
    elif isinstance(command, CancelOrder):
        yield from request(world, command)
        if world.states[command.symbol] == "halted":
            yield ("state", "cancels", "halted", "")
    elif isinstance(command, ReplaceOrder):
        yield from request(world, command)
        yield from replace(world, command)
    elif isinstance(command, SetState | SetRules | TellIndicative | TriggerStops):
        everywhere = isinstance(command, SetState) and command.symbol == ""
        if not everywhere and command.symbol not in world.instruments:
            yield ("unknown symbol", command.symbol, 0, "")
    elif isinstance(command, CancelMany):
        yield from many(world, command)
    elif isinstance(command, WithdrawOrder) and command.order_id not in {order.id for order in world.live}:
        yield ("unknown order", command.order_id, 0, "")
    elif isinstance(command, CorrectTrade):
        yield from corrections.reasons(world, command)


def new(world: World, command: NewOrder) -> Iterator[Refused]:
    if command.symbol not in world.instruments:
        yield ("unknown symbol", command.symbol, 0, "")
    if command.account not in world.owners:
        yield ("not in memory", command.account, 0, "")
    if world.owners.get(command.account) != command.client:
        yield ("unknown account", command.account, 0, "")
    if world.find(command.client, command.cl_ord_id):
        yield ("duplicate ClOrdID", command.cl_ord_id, 0, "")
    yield from killed(world, command.client, command.account)
    order = orders.from_command(world, 0, command)
    yield from state(world, order, "orders")
    in_call_phase = world.states[command.symbol] in CALL_PHASES
    if in_call_phase and command.min_quantity:
        yield ("state", "MinQty", world.states[command.symbol], "")
    if in_call_phase and command.cash:
        yield ("state", "CashOrderQty", world.states[command.symbol], "")
    yield from terms(world, order, command, command.time)
    yield from worth(world, order)
    own = [other for other in world.live if other.command.account == command.account]
    allowed = world.limits[command.account].max_open_orders
    if allowed and len(own) >= allowed:
        yield ("open orders", len(own), allowed, "")
    yield from funds(world, order, limits.needed(world, order))


def request(world: World, command: CancelOrder | ReplaceOrder) -> Iterator[Refused]:
    order = world.find(command.client, command.orig_cl_ord_id)
    if order is None:
        yield ("unknown order", command.orig_cl_ord_id, 0, "")
        return
    if world.find(command.client, command.cl_ord_id):
        yield ("duplicate ClOrdID", command.cl_ord_id, 0, "")
    fields = {"Symbol": "symbol", "Side": "side"}
    if isinstance(command, ReplaceOrder):
        fields |= {"OrdType": "ord_type"}
        optional = {"Account": "account", "TimeInForce": "time_in_force"}
        fields |= {word: name for word, name in optional.items() if getattr(command, name)}
    for word, name in fields.items():
        sent, had = getattr(command, name), getattr(order.command, name)
        if sent != had:
            yield ("mismatch", sent, had, word)
    if isinstance(command, ReplaceOrder):
        yield from conditions(order, command)


def conditions(order: Open, command: ReplaceOrder) -> Iterator[Refused]:
    has_end, needs_end = bool(command.expire_time or command.expire_day), order.command.time_in_force == "6"
    if has_end and not needs_end:
        yield ("mismatch", "6", order.command.time_in_force, "TimeInForce")
    if order.triggered and command.stop_price != order.stop_price:
        yield ("mismatch", command.stop_price, order.stop_price, "StopPx")
    if needs_end and not has_end:
        yield ("no expiry", 0, 0, "")


def replace(world: World, command: ReplaceOrder) -> Iterator[Refused]:
    order = world.known(command.client, command.orig_cl_ord_id)
    yield from killed(world, order.command.client, order.command.account)
    wanted = orders.as_replaced(world, order, command)
    yield from state(world, wanted, "replaces")
    if command.quantity <= order.filled:
        yield ("not above filled", command.quantity, order.filled, "")
    yield from terms(world, wanted, command, command.time)
    yield from worth(world, wanted)
    yield from funds(world, wanted, world.holding(wanted) - world.holding(order))


def many(world: World, command: CancelMany) -> Iterator[Refused]:
    if command.symbol and command.symbol not in world.instruments:
        yield ("unknown symbol", command.symbol, 0, "")
    if (
        command.client
        and command.account
        and world.owners.get(command.account, command.client) != command.client
    ):
        yield ("unknown account", command.account, 0, "")
    if command.session and command.symbol and world.states[command.symbol] == "halted":
        yield ("state", "cancels", "halted", "")


def killed(world: World, client: str, account: str) -> Iterator[Refused]:
    for scope, name in ("venue", ""), ("client", client), ("account", account):
        if (scope, name) in world.killed:
            yield ("kill switch", scope, name, "")


def state(world: World, order: Open, requests: str) -> Iterator[Refused]:
    """7.1, 7.2."""
    now, time_in_force = world.states[order.command.symbol], order.command.time_in_force
    if now not in TAKES_ORDERS:
        yield ("state", requests, now, "")
    if (time_in_force in ("3", "4") and now in CALL_PHASES) or (time_in_force == "2" and now not in OPENING):
        yield ("state", f"TimeInForce {time_in_force}", now, "")


def terms(world: World, order: Open, sent: NewOrder | ReplaceOrder, time: int) -> Iterator[Refused]:
    symbol = order.command.symbol
    rules, reference = world.rules[symbol], world.reference_price(symbol)
    if sent.expire_time and sent.expire_time <= time:
        yield ("past", sent.expire_time, time, "")
    if sent.expire_day and sent.expire_day < world.day:
        yield ("past", sent.expire_day, world.day, "")
    prices = [(name, price) for name, price in (("Price", sent.price), ("StopPx", sent.stop_price)) if price]
    for name, price in prices:
        if price < rules.min_price:
            yield ("below minimum", price, rules.min_price, name)
    for name, price in prices if rules.band and reference else []:
        highest = limits.furthest(world, symbol, True, reference, rules.band)
        lowest = limits.furthest(world, symbol, False, reference, rules.band)
        if price > highest:
            yield ("out of band", price, highest, name)
        if price < lowest:
            yield ("out of band", price, lowest, name)
    if order.price == 0 and sent.price:
        yield ("would take", sent.price, world.best_opposite(order), "")
    if order.command.cash and order.quantity == 0:
        yield ("no lot", order.command.cash, 0, "")


def worth(world: World, order: Open) -> Iterator[Refused]:
    worth, account = limits.value(world, order), order.command.account
    symbol, of_account = order.command.symbol, dict(world.limits[account].max_notional)
    of_market, own = world.rules[symbol].max_notional, of_account.get(world.instruments[symbol].quote, 0)
    if of_market and worth > of_market:
        yield ("notional", worth, of_market, "market")
    if own and worth > own:
        yield ("notional", worth, own, "account")


def funds(world: World, order: Open, need: int) -> Iterator[Refused]:
    currency = world.pays_in(order)
    available = world.available(order.command.account, currency)
    if need > available:
        yield ("insufficient funds", need, available, currency)
