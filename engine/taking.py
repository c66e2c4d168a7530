"""Messages of other nodes take effect (docs/nodes.md, 2)."""

from engine import answering, comparing, visiting
from engine.events import Event
from engine.peer_commands import Acknowledge, TakeMessage
from engine.peer_messages import (
    Amend,
    Cancel,
    Compare,
    Confirm,
    Denied,
    Follow,
    Following,
    Missing,
    Place,
    Told,
    message_of,
)
from engine.peers import Channel, acknowledge
from engine.state import State


def take_message(state: State, sequence: int, command: TakeMessage) -> list[Event]:
    """The next one of its node: any other is refused, so that each takes effect once and in its order."""
    peer, logged_time = command.peer, command.time
    channel = state.channels.get(peer)
    if channel is None:
        channel = state.channels[peer] = Channel()
    assert command.number == channel.taken + 1, command
    channel.taken = command.number
    match message_of(command.payload):
        case Told() as message:
            return answering.hear(state, peer, message)
        case Denied() as message:
            return answering.deny(state, peer, logged_time, message)
        case Following() as message:
            return answering.follow(state, peer, logged_time, message)
        case Place() as message:
            return visiting.enter(state, sequence, logged_time, peer, message, command.full)
        case Cancel() as message:
            return visiting.cancel(state, logged_time, peer, message)
        case Amend() as message:
            return visiting.change(state, sequence, logged_time, peer, message, command.full)
        case Follow() as message:
            return visiting.follow(state, logged_time, peer, message)
        case Compare() as message:
            return comparing.look(state, peer, logged_time, message)
        case Missing() as message:
            return comparing.end_ghosts(state, logged_time, message)
        case Confirm() as message:
            return comparing.repair(state, peer, logged_time, message)


def acknowledge_messages(state: State, _: int, command: Acknowledge) -> list[Event]:
    acknowledge(state.channels, command)
    return []
