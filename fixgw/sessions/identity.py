"""Who talks to whom, and how QuickFIX is told."""

from dataclasses import dataclass
from pathlib import Path

import quickfix


@dataclass(frozen=True)
class Identity:
    begin_string: str
    venue_comp_id: str
    client_comp_id: str


def settings_of(
    identity: Identity, dictionaries: dict[str, Path], max_latency: int, decimals: int, port: int
) -> quickfix.SessionSettings:
    """For one acceptor with one session. `max_latency`: seconds; `decimals`: of the seconds in times sent."""
    lines = {
        "ConnectionType": "acceptor",
        "SocketAcceptPort": str(port),
        "NonStopSession": "Y",
        "PersistMessages": "N",  # the outbox is the only message store
        "CheckLatency": "Y",
        "MaxLatency": str(max_latency),
        "TimestampPrecision": str(decimals),
        "UseDataDictionary": "Y",
        "ValidateUserDefinedFields": "Y",
        "ValidateFieldsOutOfOrder": "Y",
        "ValidateFieldsHaveValues": "Y",
        "SendRedundantResendRequests": "N",
        "StartTime": "00:00:00",
        "EndTime": "00:00:00",
    }
    if identity.begin_string == "FIXT.1.1":
        lines["DefaultApplVerID"] = "FIX.5.0SP2"
        lines["TransportDataDictionary"] = str(dictionaries["FIXT11"])
        lines["AppDataDictionary"] = str(dictionaries["FIX50SP2"])
    else:
        lines["DataDictionary"] = str(dictionaries["FIX44"])
    dictionary = quickfix.Dictionary()
    for name, value in lines.items():
        dictionary.setString(name, value)
    settings = quickfix.SessionSettings()
    settings.set(session_id(identity), dictionary)
    return settings


def session_id(identity: Identity) -> quickfix.SessionID:
    return quickfix.SessionID(identity.begin_string, identity.venue_comp_id, identity.client_comp_id)
