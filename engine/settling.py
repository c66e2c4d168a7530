"""Events of orders reach the users they are about (docs/users.md, 1.4, 1.5, 2.9)."""

from engine.events import Event, Execution
from engine.moving import move_if_wanted
from engine.state import State
from engine.user_events import UserWanted


def settle(state: State, events: list[Event]) -> None:
    """Settles what the markets have said in this command, and adds what comes of that."""
    users = state.users
    for event in tuple(events):
        if type(event) is not Execution:
            continue
        user = users.get(event.account)
        if user is None:
            _keep(state, event, events)
        elif user.hear(event):
            user.shard.rested(user, event.time)
            if state.to_move:
                move_if_wanted(state, event.time, user, events)


def _keep(state: State, event: Execution, events: list[Event]) -> None:
    """Until the user is in memory again."""
    waiting = state.unheard.get(event.account)
    if waiting is None:
        waiting = state.unheard[event.account] = {}
        events.append(UserWanted(event.time, event.account))
    waiting[event.order_id, event.step] = event
