"""Users come into memory and leave it (docs/users.md, 2)."""

from engine.commands import OpenAccount
from engine.events import AccountOpened, Event
from engine.late import hear_late
from engine.moving import flip_when_ready, move_if_wanted
from engine.state import MAX_SUPPLY, State
from engine.user import User
from engine.user_commands import FlushComplete, FlushFailed, HydrateUser, ResolveUser, Row, SweepUsers
from engine.user_events import UserConflict, UserHydrated, UserLeft
from engine.words import BLOCKED, HERE, LEAVING_MEMORY

FOR_ONE = 16
"""users that leave at most when one enters; if places are still short, a sweep goes on"""


def open_account(state: State, sequence: int, command: OpenAccount) -> list[Event]:
    """A user that no one had before; its first row is written when it leaves."""
    row = Row(command.client, command.balances)
    events: list[Event] = [AccountOpened(command.time, command.account, command.client, command.balances)]
    _enter(state, sequence, command.time, command.account, row, 0, events)
    return events


def hydrate_user(state: State, sequence: int, command: HydrateUser) -> list[Event]:
    events: list[Event] = []
    user = _enter(state, sequence, command.time, command.user, command.row, command.version, events)
    events.insert(0, UserHydrated(command.time, user.name, user.shard.name, user.version, command.row))
    return events


def _enter(
    state: State, sequence: int, logged_time: int, name: str, row: Row, version: int, events: list[Event]
) -> User:
    for currency, amount in row.balances:
        state.supply[currency] = supply = state.supply.get(currency, 0) + amount
        assert amount >= 0 and supply <= MAX_SUPPLY, (name, currency)
    shard = state.shards[state.router.owner(name)]
    user = User(name, row, version, shard, state.limits_of(name))
    user.epoch = sequence
    state.users[name] = user
    state.orders.setdefault(row.client, {})
    shard.enter(user, logged_time)
    for event in state.unheard.pop(name, {}).values():
        hear_late(state, user, event, events)
    _make_room(state, logged_time, user, events)
    return user


def _make_room(state: State, logged_time: int, entered: User, events: list[Event]) -> None:
    """Memory runs short: the quietest leave before their time (docs/users.md, 2.5)."""
    shard = entered.shard
    for _ in range(FOR_ONE):
        if not shard.is_short(state.resident):
            return
        quietest = next(iter(shard.idle.values()), None)
        if quietest is None or quietest is entered:  # who has entered is the last of them
            return
        events.append(shard.flush(quietest, logged_time, LEAVING_MEMORY))


def sweep_users(state: State, _: int, command: SweepUsers) -> list[Event]:
    events: list[Event] = []
    for shard in state.shards.values():
        while len(events) < command.most and shard.lets_go(command.before, state.resident):
            quietest = next(iter(shard.idle.values()))
            events.append(shard.flush(quietest, command.time, LEAVING_MEMORY))
    return events


def flush_complete(state: State, _: int, command: FlushComplete) -> list[Event]:
    """It leaves, unless it has done something since (docs/users.md, 2.7)."""
    user = _flushed(state, command)
    if user is None:
        return []
    user.version = command.version
    if user.epoch == command.epoch:
        return _leave(state, command.time, user)
    events: list[Event] = []
    user.shard.rested(user, user.last_active)
    move_if_wanted(state, command.time, user, events)
    return events


def flush_failed(state: State, _: int, command: FlushFailed) -> list[Event]:
    user = _flushed(state, command)
    if user is None:
        return []
    user.state = BLOCKED
    if user.name in state.moving:
        state.to_move[user.name] = state.moving.pop(user.name)
    user.shard.idle.pop(user.name, None)
    name, shard = user.name, user.shard.name
    events: list[Event] = [UserConflict(command.time, name, shard, user.version, command.version)]
    flip_when_ready(state, command.time, events)  # the others do not wait for it
    return events


def resolve_user(state: State, _: int, command: ResolveUser) -> list[Event]:
    user = state.users[command.user]
    user.version, user.state = command.version, HERE
    user.epoch += 1
    if not command.keep:
        return _leave(state, command.time, user)
    events: list[Event] = []
    user.shard.rested(user, command.time)
    move_if_wanted(state, command.time, user, events)
    return events


def _flushed(state: State, command: FlushComplete | FlushFailed) -> User | None:
    """Whose outstanding flush it is about; None if there is no such any more."""
    user = state.users.get(command.user)
    if user is None:
        return None
    flush = user.shard.flushing.get(user.name)
    if flush is None or flush.epoch != command.epoch:
        return None
    del user.shard.flushing[user.name]
    return user


def _leave(state: State, logged_time: int, user: User) -> list[Event]:
    user.shard.leave(user)
    del state.users[user.name]
    if user.name in state.to_move:
        state.moving[user.name] = state.to_move.pop(user.name)
    for currency, balance in user.balances.items():
        assert balance.reserved == 0, user.name
        state.supply[currency] -= balance.total
    events: list[Event] = [UserLeft(logged_time, user.name, user.shard.name, user.version)]
    flip_when_ready(state, logged_time, events)
    return events
