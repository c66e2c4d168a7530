"""What a connection does when time has passed and nothing else happened."""

from fixgw.sessions.acceptor import Acceptor
from fixgw.sessions.dialogue import Dialogue

UNASKED = 3
"""seconds a client has to send unasked what NextExpectedMsgSeqNum(789) tells it; then it is asked"""
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
        self._filled_by = 0
        """the second by which a gap that a Logon's 789 speaks of must have begun to close; 0: not decided yet"""
        self._probe_due = 0
        """the second in which the venue asks whether its reports have arrived; 0: not decided yet"""

    def begin(self) -> None:
        """A new connection."""
        self._probe_due = self._filled_by = 0

    def run(self, heartbeat: int, second: int, time: int) -> bool:
        """Whether QuickFIX has said something: to be heard before anything else is said. `heartbeat`: the
        client's HeartBtInt; `second` counts the venue's seconds, `time` is its time."""
        if second == self._second and heartbeat >= LONG:
            return False
        self._second = second
        self._dialogue.hand_back()
        return self._acceptor.tick(time)

    def ask(self, heartbeat: int, second: int) -> bool:
        """Whether the client was asked for what it has left out, or a proof that its reports have arrived."""
        if self._dialogue.waits_for_missing:
            self._filled_by = self._filled_by or second + UNASKED
            if second >= self._filled_by:
                self._dialogue.ask_for_missing()
                return True
        self._probe_due = self._probe_due or second + heartbeat
        if second < self._probe_due or not self._dialogue.unproven:
            return False
        self._probe_due = second + heartbeat
        self._dialogue.probe()
        return True
