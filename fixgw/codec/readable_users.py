"""Commands and events about users as lines for people. Amounts are in smallest units."""

from collections.abc import Iterable

from engine.commands import Command
from engine.events import Event
from engine.peer_commands import MessageSent, TakeMessage
from engine.peer_messages import message_of
from engine.routing import Pin
from engine.user_commands import Deposit, HydrateUser, MoveUsers, ResolveUser, Row, SweepUsers, Withdraw
from engine.user_events import BalanceMoved, BeginDehydrate, Repaired, RoutingSet, UserHydrated
from fixgw.codec.readable import shown
from fixgw.codec.times import exact_timestamp

UNITS = "smallest units:"


def readable_of_user(entry: Command | Event) -> str | None:
    """None for what is shown well by the names of its fields."""
    match entry:
        case HydrateUser(user=user, version=version):
            return f"HydrateUser {user} version={version} {_row(entry.row)}"
        case UserHydrated(user=user, shard=shard, version=version):
            return f"UserHydrated {user} shard={shard} version={version} {_row(entry.row)}"
        case BeginDehydrate(user=user, shard=shard, epoch=epoch, expected=expected):
            place = f"shard={shard} epoch={epoch} expected={expected}"
            return f"BeginDehydrate {user} {place} {_row(entry.row)}"
        case ResolveUser(user=user, version=version, keep=keep):
            return f"ResolveUser {user} version={version} counts={'memory' if keep else 'record'}"
        case SweepUsers(before=before, most=most):
            return f"SweepUsers before={exact_timestamp(before)} most={most}"
        case MoveUsers(pins=pins):
            return f"MoveUsers {_pins(pins)}"
        case RoutingSet(routing=routing):
            members = ",".join(f"{name}:{state}" for name, state in routing.members)
            return f"RoutingSet epoch={routing.epoch} members={members} {_pins(routing.pins)}".rstrip()
        case TakeMessage(peer=peer, number=number, payload=payload):
            return f"TakeMessage node={peer} number={number} {message_of(payload)}"
        case MessageSent(peer=peer, number=number, payload=payload):
            return f"MessageSent node={peer} number={number} {message_of(payload)}"
    return _transfer(entry)


def _transfer(entry: Command | Event) -> str | None:
    match entry:
        case Deposit() | Withdraw():
            what = f"{type(entry).__name__} {entry.user} {UNITS} {entry.currency}={entry.amount}"
            return f"{what} reference={shown(entry.reference)}"
        case BalanceMoved():
            what = f"BalanceMoved {entry.user} {UNITS} {entry.currency}={entry.amount:+} total={entry.total}"
            return f"{what} reference={shown(entry.reference)}"
        case Repaired():
            order = f" OrderID={entry.order_id}" if entry.order_id else ""
            less = f" {UNITS} {entry.currency}={-entry.amount:+}" if entry.currency else ""
            return f"Repaired {entry.user} {entry.what}{order}{less}"
    return None


def _row(row: Row) -> str:
    money = " ".join(f"{name}={units}" for name, units in row.balances)
    references = f" references={','.join(map(shown, row.references))}" if row.references else ""
    return f"client={row.client}{references} {UNITS} {money}".rstrip()


def _pins(pins: Iterable[Pin]) -> str:
    """A user's shard, and why it is there."""
    words = [f"{user}:{shard}:{why}" for user, shard, why in pins]
    return f"pins={','.join(words)}" if words else ""
