"""The same client on fixcore-engine, a FIX engine in plain Python that shares no code with QuickFIX.

fixcore_client.py PORT COMPID VERSION DIRECTORY [NAME=VALUE ...]
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from fixcore.application import Application
from fixcore.message.message import Message
from fixcore.session.session_id import SessionID
from fixcore.session.session_settings import SessionSettings
from fixcore.transport.initiator import SocketInitiator

from tests.acceptance.engines.requests import fields_of


class Client(Application):
    def on_logon(self, session_id: SessionID) -> None:
        print("logged on", flush=True)

    def on_logout(self, session_id: SessionID) -> None:
        print("logged out", flush=True)

    def from_app(self, message: Message, session_id: SessionID) -> None:
        fields = [*message.header.items(), *message.body.items()]
        print("|".join(f"{tag}={value}" for tag, value in fields) + "|", flush=True)


async def run(port: str, comp_id: str, version: str, directory: str, *settings: str) -> None:
    file = Path(directory) / "fixcore.cfg"
    lines = [
        "[DEFAULT]", "ConnectionType=initiator", "SocketConnectHost=127.0.0.1", f"SocketConnectPort={port}",
        "HeartBtInt=1", "ReconnectInterval=1", "[SESSION]", f"BeginString={version}",
        f"SenderCompID={comp_id}", "TargetCompID=FIXGW", "DefaultApplVerID=FIX.5.0SP2", *settings,
    ]  # fmt: skip
    file.write_text("\n".join(lines))
    initiator = SocketInitiator(SessionSettings.from_file(file), Client())
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    async with initiator:
        (session,) = initiator.sessions.values()
        while line := (await reader.readline()).decode():
            msg_type, fields = fields_of(line)
            message = Message()
            message.header.set(35, msg_type)
            for tag, value in fields:
                message.set_field(tag, value)
            await session.send_app(message)


if __name__ == "__main__":
    asyncio.run(run(*sys.argv[1:]))
