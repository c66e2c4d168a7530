"""What must be so for a command about users to be carried out."""

from collections.abc import Callable
from typing import Any

from engine import refusals
from engine.commands import Command
from engine.refusals import Refusal
from engine.routing import Pin, shared_by_two_alone
from engine.state import MAX_SUPPLY, State
from engine.transfers import REMEMBERED
from engine.user import User
from engine.user_commands import Deposit, HydrateUser, MoveUsers, ResolveUser, SetShard, Withdraw
from engine.words import ACTIVE, BLOCKED, HELD, LEAVING, MOVING, RECEIVING

BECOMES = {RECEIVING: ("",), ACTIVE: (RECEIVING,), LEAVING: (ACTIVE, RECEIVING)}
"""what a shard may become, by what it is; "" is no member"""


def away(user: User) -> Refusal | None:
    """Why it takes no order, though it is in memory."""
    if user.state == MOVING:
        return Refusal(refusals.NOT_RESIDENT, user.name)
    return Refusal(refusals.BLOCKED, user.name) if user.state == BLOCKED else None


def no_place(state: State, user: str) -> Refusal | None:
    """Its shard has as many as it may (docs/users.md, 2.5)."""
    shard = state.shards[state.router.owner(user)]
    if len(shard.users) >= state.resident:
        return Refusal(refusals.SHARD_FULL, len(shard.users), state.resident)
    return None


def _hydrate(state: State, command: HydrateUser) -> Refusal | None:
    if command.user in state.users:
        return Refusal(refusals.RESIDENT, command.user)
    if command.user in state.moving:
        return Refusal(refusals.ON_THE_MOVE, command.user)
    if (refusal := no_place(state, command.user)) is not None:
        return refusal
    for currency, amount in command.row.balances:
        if state.supply.get(currency, 0) + amount > MAX_SUPPLY:
            return Refusal(refusals.SUPPLY, amount, MAX_SUPPLY, currency)
    return None


def _transfer(state: State, command: Deposit | Withdraw) -> Refusal | None:
    user = state.users.get(command.user)
    if user is None:
        return Refusal(refusals.NOT_RESIDENT, command.user)
    refusal = away(user)
    if refusal is not None:
        return refusal
    if command.reference in user.references:
        return Refusal(refusals.REPEATED, command.reference, REMEMBERED)
    if isinstance(command, Withdraw):
        return user.spared(command.currency, command.amount)
    there = state.supply.get(command.currency, 0)
    if there + command.amount > MAX_SUPPLY:
        return Refusal(refusals.SUPPLY, command.amount, MAX_SUPPLY - there, command.currency)
    return None


def _move(state: State, command: MoveUsers) -> Refusal | None:
    members = dict(state.router.routing.members)
    for _, shard, _ in command.pins:
        if members.get(shard) not in (ACTIVE, RECEIVING):
            return Refusal(refusals.UNKNOWN_SHARD, shard)
    pins = [Pin(*pin) for pin in (*state.to_move.values(), *state.moving.values(), *command.pins)]
    shared = shared_by_two_alone(state.router.routing.with_pins(pins))
    return Refusal(refusals.NOT_ALONE, shared) if shared else None


def _shard(state: State, command: SetShard) -> Refusal | None:
    routing, shard = state.router.routing, command.shard
    members = dict(routing.members)
    known = members.get(shard, "")
    if known not in BECOMES[command.state]:
        return Refusal(refusals.SHARD_STATE, shard, known)
    if command.state != LEAVING:
        return None
    if all(name == shard or what != ACTIVE for name, what in members.items()):
        return Refusal(refusals.LAST_SHARD, shard)
    pins = (*routing.pins, *state.to_move.values(), *state.moving.values())
    pinned = next((pin.user for pin in pins if pin.shard == shard and pin.why != HELD), None)
    return None if pinned is None else Refusal(refusals.PINNED_THERE, shard, pinned)


def _resolve(state: State, command: ResolveUser) -> Refusal | None:
    user = state.users.get(command.user)
    if user is None or user.state != BLOCKED:
        return Refusal(refusals.NOT_BLOCKED, command.user)
    if user.holds and not command.keep:
        return Refusal(refusals.NOT_FLAT, len(user.holds))
    return None


USER_CHECKS: dict[type[Command], Callable[[State, Any], Refusal | None]] = {
    HydrateUser: _hydrate,
    Deposit: _transfer,
    Withdraw: _transfer,
    MoveUsers: _move,
    SetShard: _shard,
    ResolveUser: _resolve,
}
