"""Events of orders reach the users they are about (docs/users.md, 1.4, 1.5, 2.9), here or on another node."""

from engine.events import Event, Execution, StateSet
from engine.moving import move_if_wanted
from engine.peer_messages import Following, Told
from engine.peers import SPAN, home_of, say
from engine.state import State
from engine.user_events import UserWanted
from engine.words import BUY, TRADE


def settle(state: State, logged_time: int, events: list[Event]) -> None:
    """Settles what the markets have said in this command, and adds what comes of that."""
    users, followed = state.users, bool(state.followers)  # otherwise no other node has orders here
    for event in tuple(events):
        if type(event) is not Execution:
            if followed and type(event) is StateSet:
                _tell_followers(state, event, events)
            continue
        if followed and event.order_id >= SPAN:
            events.append(say(state.channels, logged_time, home_of(event.order_id), Told(event)))
            if event.exec_type == TRADE:
                count_supply(state, event, -1)
            continue
        user = users.get(event.account)
        if user is None:
            _keep(state, event, events)
        elif user.hear(event):
            user.shard.rested(user, logged_time)
            if state.to_move:
                move_if_wanted(state, logged_time, user, events)


def count_supply(state: State, event: Execution, sign: int) -> None:
    """A trade of two nodes: what users here have together changes by what this side of it has got, or if it
    is the other side (`sign` -1) has given. Both sides of one node cancel out."""
    instrument = state.instrument(event.symbol)
    sign = sign if event.side == BUY else -sign
    goods = event.last_quantity * instrument.base_per_lot
    cost = event.last_quantity * event.last_price * instrument.quote_per_tick_lot
    supply = state.supply
    supply[instrument.base] = supply.get(instrument.base, 0) + sign * goods
    supply[instrument.quote] = supply.get(instrument.quote, 0) - sign * cost


def _tell_followers(state: State, event: StateSet, events: list[Event]) -> None:
    for peer in state.followers.get(event.symbol, ()):
        message = Following(event.symbol, event.state, event.reason)
        events.append(say(state.channels, event.time, peer, message))


def _keep(state: State, event: Execution, events: list[Event]) -> None:
    """Until the user is in memory again."""
    waiting = state.unheard.get(event.account)
    if waiting is None:
        waiting = state.unheard[event.account] = {}
        events.append(UserWanted(event.time, event.account))
    waiting[event.order_id, event.step] = event
