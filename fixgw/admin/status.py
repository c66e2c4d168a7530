"""`fixgw admin status`: how the venue stands, for people."""

import time

from fixgw import __version__
from fixgw.admin.account_lines import money
from fixgw.assembly import Assembly
from fixgw.bridge.peer import Peer
from fixgw.codec.decimals import currency
from fixgw.residents.agent import Agent
from fixgw.sessions.session import Session
from fixgw.store.room import Room

DAMAGED = 20
"""damaged rows that are shown"""


def status_lines(assembly: Assembly, digest: bool) -> list[str]:
    """`digest`: with the one of the whole state, which takes its time."""
    recorder, venue = assembly.recorder, assembly.recorder.venue
    lines = [
        f"fixgw {__version__}  {assembly.settings.venue.comp_id}  day {venue.day}",
        f"journal  {recorder.sequence} entries, {recorder.event_sequence} events",
        *_room(recorder.room),
        *([f"state    {venue.digest()}"] if digest else []),
    ]
    users, agent = len(venue.users), assembly.agent
    lines.append(
        f"users    {users} in memory on {len(venue.shards)} shards, {len(assembly.parking)} orders wait"
    )
    lines.append(f"record   {_record(agent)}, repaired {recorder.repaired}")
    lines += [f"damaged  {agent.contact.damaged[user]}" for user in sorted(agent.contact.damaged)[:DAMAGED]]
    lines += _fees(assembly)
    for symbol, market in venue.markets.items():
        why = f" ({market.reason})" if market.reason else ""
        lines.append(f"market   {symbol:<12} {market.state}{why}")
    for symbol, there in venue.distant.items():
        said = there.state or (f"differs in {there.difference}" if there.difference else "not reached yet")
        lines.append(f"market   {symbol:<12} {said}, on node {there.peer}")
    lines += [_peer(peer) for peer in assembly.bridge.peers.values()]
    outputs = assembly.outputs.standing(recorder.event_sequence, time.time_ns())
    lines += [f"output   {name:<12} {said}" for name, said in outputs]
    lines += [f"killed   {f'{scope} {name}'.rstrip()}" for scope, name in sorted(venue.killed)]
    lines += [_session(session) for session in assembly.sessions.values()]
    return lines


def _peer(peer: Peer) -> str:
    channel = peer.channel
    return (
        f"node     {peer.number:<12} {peer.trouble or 'connected'}; said {channel.sent}, "
        f"{len(channel.outstanding)} not taken; taken {channel.taken}; {channel.in_flight} orders in flight"
    )


def _record(agent: Agent) -> str:
    counts = f"read {agent.reader.reads}, written {agent.writer.writes}, writing {agent.writer.writing}"
    return f"{agent.contact.trouble or 'ok'}, {counts}"


def _fees(assembly: Assembly) -> list[str]:
    """What the venue has taken of all trades until now."""
    grids = {name: currency(each.decimals) for name, each in assembly.settings.currencies.items()}
    collected = sorted(assembly.recorder.venue.collected.items())
    taken = [money(grids.get(name), name, amount) for name, amount in collected if amount]
    return [f"fees     {'  '.join(taken)}"] if taken else []


def _room(room: Room) -> list[str]:
    if room.waiting:
        return ["store    no room is left: orders that are to end wait, and nothing else is taken"]
    return ["store    full: new orders are refused, cancels pass"] if room.full else []


def _session(session: Session) -> str:
    mailbox = session.mailbox
    state = "logged on" if session.logged_on else "blocked" if mailbox.blocked else "logged off"
    return (
        f"session  {session.name:<12} {state:<11} {mailbox.begin_string}  next out {mailbox.sender}  "
        f"next in {mailbox.target}  unread {mailbox.outflow.unread}"
    )
