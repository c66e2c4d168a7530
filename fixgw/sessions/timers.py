"""What a connection does when time has passed and nothing else happened."""

from fixgw.sessions.acceptor import Acceptor
from fixgw.sessions.dialogue import Dialogue

LONG = 5
"""HeartBtInt(108), seconds, from which on they run once in each second and not twice"""


class Timers:
    """QuickFIX counts in whole seconds: a client with a short HeartBtInt that was not looked at in one of
    them would be disconnected unasked."""

    def __init__(self, acceptor: Acceptor, dialogue: Dialogue) -> None:
        self._acceptor = acceptor
        self._dialogue = dialogue
        self._second = 0
        """in which they have last run"""
        self._probe_due = 0
        """the second in which the venue asks whether its reports have arrived; 0: not decided yet"""

    def begin(self) -> None:
        """A new connection."""
        self._probe_due = 0

    def run(self, heartbeat: int, second: int, time: int) -> bool:
        """Whether QuickFIX has said something: to be heard before anything else is said. `heartbeat`: the
        client's HeartBtInt; `second` counts the venue's seconds, `time` is its time."""
        if second == self._second and heartbeat >= LONG:
            return False
        self._second = second
        self._dialogue.hand_back()
        return self._acceptor.tick(time)

    def ask(self, heartbeat: int, second: int) -> bool:
        """Whether the client was asked for a proof that its reports have arrived."""
        self._probe_due = self._probe_due or second + heartbeat
        if second < self._probe_due or not self._dialogue.unproven:
            return False
        self._probe_due = second + heartbeat
        self._dialogue.probe()
        return True
