"""What the venue has at a moment: looked up once a second beside the turns, and not counted in them."""

from fixgw.assembly import Assembly
from fixgw.cycle.cycle import TICKS
from fixgw.metrics.table import OF_SHARDS, SHARD_NAME, SHARD_SIZE, SHARDS, SHARDS_AT, place

EVERY = 2 * TICKS
"""ticks"""
_UNREAD, _MOST, _INBOX, _LOGGED_ON = map(
    place, ("unread_bytes", "unread_bytes_most", "inbox_bytes", "sessions_logged_on")
)


class Watch:
    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._ticks = 0
        self._sums: dict[str, tuple[int, int]] = {}
        """of counters of mailboxes: the last sum, and what was lost with those that came anew"""
        self.look()

    def tick(self) -> None:
        self._ticks += 1
        if self._ticks % EVERY == 0:
            self.look()

    def look(self) -> None:
        assembly = self._assembly
        numbers, agent, traffic = assembly.meter.numbers, assembly.agent, assembly.door.traffic
        mailboxes = assembly.mailboxes.values()
        room = assembly.recorder.room
        for name, value in {
            "sessions": len(assembly.sessions),
            "session_rejects": self._sum("rejects", sum(each.rejects for each in mailboxes)),
            "resend_requests": self._sum("resends", sum(each.resends for each in mailboxes)),
            "parked_messages": len(assembly.parking),
            "received_bytes": traffic.received,
            "sent_bytes": traffic.sent,
            "connections": traffic.connections,
            "logons": traffic.logons,
            "cuts": traffic.cut,
            "record_reads": agent.reader.reads,
            "record_writes": agent.writer.writes,
            "record_writing": agent.writer.writing,
            "record_trouble": bool(agent.contact.trouble),
            "store_full": room.full,
        }.items():
            numbers[place(name)] = value
        self._look_at_sessions()
        self._look_at_shards()

    def _look_at_sessions(self) -> None:
        numbers = self._assembly.meter.numbers
        here = [each for each in self._assembly.sessions.values() if each.connection is not None]
        unread = [each.mailbox.outflow.unread for each in here]
        numbers[_UNREAD], numbers[_MOST] = sum(unread), max(unread, default=0)
        numbers[_INBOX] = sum(each.connection.waiting for each in here if each.connection is not None)
        numbers[_LOGGED_ON] = sum(each.logged_on for each in here)

    def _look_at_shards(self) -> None:
        numbers, shards = self._assembly.meter.numbers, self._assembly.recorder.venue.shards
        numbers[place("shards")] = len(shards)
        names = sorted(shards)[:SHARDS]
        for number in range(SHARDS):
            at = SHARDS_AT + number * SHARD_SIZE
            name = names[number] if number < len(names) else ""
            text = name.encode().ljust(SHARD_NAME, b"\0")
            words = [int.from_bytes(text[byte : byte + 8], "big") for byte in range(0, SHARD_NAME, 8)]
            shard = shards.get(name)
            told = (
                [len(shard.users), len(shard.flushing), shard.open_orders]
                if shard is not None
                else [0] * len(OF_SHARDS)
            )
            for offset, value in enumerate([*words, *told]):
                numbers[at + offset] = value

    def _sum(self, name: str, value: int) -> int:
        """A session that was removed and added again begins anew; the sum of all must not go back."""
        last, lost = self._sums.get(name, (0, 0))
        lost += max(last - value, 0)
        self._sums[name] = value, lost
        return value + lost
