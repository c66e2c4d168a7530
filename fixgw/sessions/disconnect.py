"""Cancel on disconnect: which values Mailbox.cancels takes, from a Logon to the cancels."""

from engine.words import CONNECTION_LOST, LOGGED_OUT

CANCEL_ON_DISCONNECT = 8013
"""a field of our own in the Logon"""
_ASKED = {"N": "off", "L": "loss", "Y": "loss-and-logout"}
"""its values, in the words of the setting"""

GONE = (CONNECTION_LOST, LOGGED_OUT)
"""once the client has gone: why its orders are to be cancelled"""


def on_logon(asked: str, setting: str) -> str:
    """Of a client that is there: a value of cancel_on_disconnect, "" for `off`. `asked`: the field of its
    Logon, "" if there is none."""
    wanted = _ASKED.get(asked, setting)
    return "" if wanted == "off" else wanted


def on_departure(cancels: str, logged_out: bool) -> str:
    if not cancels or (logged_out and cancels == "loss"):
        return ""
    return LOGGED_OUT if logged_out else CONNECTION_LOST
