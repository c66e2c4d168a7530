"""A client on the quickfix package's initiator, as a process: lines in are orders, lines out what it hears.

    quickfix_client.py PORT COMPID VERSION DIRECTORY [NAME=VALUE ...]

`new CLORDID QUANTITY`, `cancel CLORDID ORIGINAL`, `replace CLORDID ORIGINAL QUANTITY`. Names and values are
QuickFIX's settings."""

from __future__ import annotations

import sys

import quickfix

from tests.acceptance.engines.requests import body_of

DEFAULTS = {
    "ConnectionType": "initiator",
    "SocketConnectHost": "127.0.0.1",
    "HeartBtInt": "1",
    "ReconnectInterval": "1",
    "NonStopSession": "Y",
    "UseDataDictionary": "N",
    "DefaultApplVerID": "FIX.5.0SP2",
    "TargetCompID": "FIXGW",
}


class Client(quickfix.Application):  # type: ignore[misc]
    def onCreate(self, session_id: quickfix.SessionID) -> None: ...

    def onLogon(self, session_id: quickfix.SessionID) -> None:
        print("logged on", flush=True)

    def onLogout(self, session_id: quickfix.SessionID) -> None:
        print("logged out", flush=True)

    def toAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None: ...

    def toApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None: ...

    def fromAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None: ...

    def fromApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        print(message.toString().replace("\x01", "|"), flush=True)


def main(port: str, comp_id: str, version: str, directory: str, *settings: str) -> None:
    session_id = quickfix.SessionID(version, comp_id, "FIXGW")
    values = quickfix.Dictionary()
    for name, value in (DEFAULTS | {"SocketConnectPort": port, "FileStorePath": directory}).items():
        values.setString(name, value)
    for setting in settings:
        values.setString(*setting.split("=", 1))
    every = quickfix.SessionSettings()
    every.set(values)
    every.set(session_id, values)
    client, store = Client(), quickfix.FileStoreFactory(every)
    initiator = quickfix.SocketInitiator(client, store, every)
    initiator.start()
    for line in sys.stdin:
        msg_type, body = body_of(line)
        text = f"8={version}\x019=0\x0135={msg_type}\x01{body}10=000\x01"
        quickfix.Session.lookupSession(session_id).send(quickfix.Message(text, False))
    initiator.stop(True)


if __name__ == "__main__":
    main(*sys.argv[1:])
