"""`fixgw admin sessions`: how each session stands."""

import asyncio

import msgspec

from fixgw.admin.words import SessionState
from fixgw.assembly import Assembly
from fixgw.codec.times import utc_timestamp
from fixgw.sessions.session import Session

PIECE = 200
"""sessions looked at before others have their turn"""


async def session_lines(assembly: Assembly) -> list[str]:
    """Each session as JSON, in the order of the file."""
    lines = []
    for count, name in enumerate(list(assembly.settings.sessions), 1):
        if name in assembly.sessions:  # else it is about to come
            lines.append(msgspec.json.encode(_state_of(assembly.sessions[name])).decode())
        if count % PIECE == 0:
            await asyncio.sleep(0)
    return lines


def _state_of(session: Session) -> SessionState:
    mailbox, connection = session.mailbox, session.connection
    if connection is not None:
        state = "logged on" if session.logged_on else "logging on"
    else:
        state = "blocked" if mailbox.blocked else "closed" if session.closed else "logged off"
    return SessionState(
        session=session.name,
        client=session.client,
        state=state,
        address=str(connection.peer) if connection is not None else "",
        next_out=mailbox.sender,
        next_in=mailbox.target,
        last_out=mailbox.outflow.last_out,
        last_in=utc_timestamp(session.last_in) if session.last_in else "",
        unread_bytes=mailbox.outflow.unread,
        resends=mailbox.resends,
        blocked=mailbox.blocked,
        schedule=session.settings.schedule,
        begin_string=mailbox.begin_string,
        comp_id=mailbox.comp_id,
    )
