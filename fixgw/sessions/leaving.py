"""How sessions are seen to the door: those that are told to leave, and when they are gone."""

import asyncio
from collections.abc import Collection

from fixgw.sessions.session import Session

PATIENCE = 3.0
"""seconds a client has to answer a Logout; QuickFIX disconnects it after 2"""


async def see_out(sessions: Collection[Session]) -> None:
    """Returns when none of them has a client any more. One that stays too long is cut; what it was not sent
    waits for its next logon."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE
    while staying := [session for session in sessions if session.connection is not None]:
        if loop.time() > deadline:
            for session in staying:
                session.cut(f"still there {PATIENCE:.0f} s after its Logout")
        await asyncio.sleep(0.01)
