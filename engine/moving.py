"""Users who go to another shard, and shards that come and go (docs/users.md, 4 and 5)."""

from engine.events import Event
from engine.routing import Pin, Resident, Router, Routing, activated, left, settled
from engine.shard import Shard
from engine.state import State
from engine.user import User
from engine.user_commands import MoveUsers, MoveWave, SetShard
from engine.user_events import RoutingSet
from engine.words import ACTIVE, BLOCKED, HELD, LEAVING, MOVING, RECEIVING

LOOKED_AT = 10
"""users that a wave looks at for each that it may move"""


def set_shard(state: State, _: int, command: SetShard) -> list[Event]:
    """A shard joins, takes its share, or leaves. Who is in memory stays where he is until he has moved."""
    routing, name = state.router.routing, command.shard
    residents = (Resident(user.name, user.shard.name) for user in state.users.values())
    if command.state == RECEIVING:
        after = routing.with_member(name, RECEIVING)
    elif command.state == ACTIVE:
        after = activated(routing, name, residents)
    else:
        after = left(routing, name, residents)
    if name not in state.shards:
        state.shards[name] = Shard(name, state.collected)
    state.to_look_at = list(state.users)
    return [_set(state, command.time, after)]


def move_users(state: State, _: int, command: MoveUsers) -> list[Event]:
    events: list[Event] = []
    for pin in command.pins:
        pin = Pin(*pin)
        user = state.users.get(pin.user)
        if user is None:
            state.moving[pin.user] = pin
        else:
            state.to_move[pin.user] = pin
            move_if_wanted(state, command.time, user, events)
    flip_when_ready(state, command.time, events)
    return events


def move_wave(state: State, _: int, command: MoveWave) -> list[Event]:
    """Looks at the next of those who were in memory when shards changed; who is not flat moves when he is."""
    events: list[Event] = []
    for _number in range(min(command.most * LOOKED_AT, len(state.to_look_at))):
        if len(state.moving) >= command.most:
            break
        name = state.to_look_at.pop()
        home = state.router.home(name)
        if name in state.to_move or name in state.moving or home == state.router.owner(name):
            continue
        user = state.users.get(name)
        if user is None:
            state.moving[name] = Pin(name, home, HELD)
        else:
            state.to_move[name] = Pin(name, home, HELD)
            move_if_wanted(state, command.time, user, events)
    flip_when_ready(state, command.time, events)
    return events


def move_if_wanted(state: State, logged_time: int, user: User, events: list[Event]) -> None:
    """One who may be flat now, and may have to go elsewhere; not before an operator who has to decide on it
    has done so."""
    if user.holds or user.name not in state.to_move or user.name in user.shard.flushing:
        return
    if user.state == BLOCKED:
        return
    state.moving[user.name] = state.to_move.pop(user.name)
    events.append(user.shard.flush(user, logged_time, MOVING))


def flip_when_ready(state: State, logged_time: int, events: list[Event]) -> None:
    """All who were to move have left: one epoch for all of them."""
    if not state.moving or any(name in state.users for name in state.moving):
        return
    routing = state.router.routing
    pins = [pin for pin in state.moving.values() if pin.why != HELD]
    home = settled(routing, [pin.user for pin in state.moving.values() if pin.why == HELD])
    after = Routing(routing.epoch + 1, routing.members, home.with_pins(pins).pins)
    state.moving.clear()
    events.append(_set(state, logged_time, after))


def _set(state: State, logged_time: int, routing: Routing) -> RoutingSet:
    """A shard that is leaving and has no one any more is gone with it."""
    for name, what in routing.members:
        if (
            what == LEAVING
            and not state.shards[name].users
            and all(pin.shard != name for pin in routing.pins)
        ):
            routing = routing.without_member(name)
            del state.shards[name]
    state.router = Router(routing)
    return RoutingSet(logged_time, routing)
