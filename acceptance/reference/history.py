"""What a session keeps over connections and restarts: its numbers, and what it may have to send again."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Sent:
    """An application message as it was first sent."""

    msg_type: str
    sending_time: str
    """UTCTimestamp"""
    body: list[tuple[int, str]]


@dataclass
class History:
    sender: int = 1
    """the next MsgSeqNum(34) out"""
    target: int = 1
    """the next one expected"""
    sent: dict[int, Sent] = field(default_factory=dict)
    """by MsgSeqNum(34), since the last reset"""
    proven: int = 0
    """the client has shown that it has everything up to this number"""
    away: str = ""
    """CancelOnDisconnect(8013) in force while the client is, or was when the venue ended, connected"""
    new: set[int] = field(default_factory=set)
    """numbers of `sent` not written to disk yet"""
    begun_again: bool = False
    """what is on disk of `sent` is of before a reset"""

    def keep(self, number: int, sent: Sent) -> None:
        self.sent[number] = sent
        self.new.add(number)

    def prove(self, number: int) -> None:
        self.proven = max(self.proven, min(number, self.sender - 1))

    def reset(self) -> list[Sent]:
        """Both numbers are 1 again. Returns what may not have arrived."""
        lost = [sent for number, sent in sorted(self.sent.items()) if number > self.proven]
        self.sender = self.target = 1
        self.proven = 0
        self.sent = {}
        self.new = set()
        self.begun_again = True
        return lost
