"""One client of a crowd: an asyncio connection, the session rules a client must keep, and the books it keeps
of what it sent and what it was told."""

from __future__ import annotations

import asyncio

from tests.wire import Fields, Parser, Received, encode, frame, new_order, utc_now

LONG_AGO = "20200101-00:00:00.000"


class Trader:
    """`sent` holds its orders by MsgSeqNum, `reports` every ExecutionReport by the venue's MsgSeqNum. Both
    outlive connections."""

    def __init__(self, comp_id: str, begin_string: str, account: str) -> None:
        self.comp_id, self.begin_string, self.account = comp_id, begin_string, account
        self.next_outbound = 1
        self.next_inbound = 1
        self.sent: dict[int, tuple[str, Fields]] = {}
        self.reports: dict[int, Received] = {}
        self.acknowledged: set[str] = set()
        self.quiet = asyncio.Event()
        """set once everything sent is answered and nothing the venue said is missing"""
        self.up = False
        self._ahead: set[int] = set()
        self._asked_up_to = 0
        self._writer: asyncio.StreamWriter | None = None

    async def run(self, host: str, port: int) -> None:
        """Logs on and talks until the connection ends, from whichever side."""
        reader, self._writer = await asyncio.open_connection(host, port)
        parser = Parser()
        self._asked_up_to = 0
        self._logon()
        try:
            while data := await reader.read(65536):
                for message in parser.feed(data):
                    self._take(message)
        except ConnectionError:
            pass
        finally:
            self.up = False
            self._writer.close()

    def drop(self) -> None:
        """Dies without a word."""
        self.up = False
        if self._writer is not None:
            self._writer.transport.abort()

    def order(self, name: str, side: str, price: str) -> None:
        msg_type, fields = new_order(name, side, "0.001", price, account=self.account)
        self.sent[self.next_outbound] = (msg_type, fields)
        self.quiet.clear()
        self._send(msg_type, fields)

    # -- the session ---------------------------------------------------------------------------------

    def _logon(self) -> None:
        fields: Fields = [(98, 0), (108, 30)]
        self._send("A", [*fields, (1137, 9)] if self.begin_string == "FIXT.1.1" else fields)

    def _send(self, msg_type: str, fields: Fields, sequence: int = 0, header: Fields | None = None) -> None:
        if not sequence:
            sequence, self.next_outbound = self.next_outbound, self.next_outbound + 1
        standard: Fields = [(35, msg_type), (34, sequence), *(header or []), (49, self.comp_id)]
        body = encode([*standard, (52, utc_now()), (56, "FIXGW"), *fields])
        assert self._writer is not None
        self._writer.write(frame(self.begin_string, body))

    def _take(self, message: Received) -> None:
        self._count(message)
        kind = message.msg_type
        if kind == "A":
            self.up = True
        elif kind == "1":
            self._send("0", [(112, message[112])])
        elif kind == "2":
            self._resend(int(message[7]))
        elif kind == "8":
            known = self.reports.setdefault(message.sequence, message)
            assert known[17] == message[17], f"number {message.sequence} was {known} and is {message}"
            self.acknowledged.add(message[11])
        elif kind in ("3", "5", "9", "j"):
            raise AssertionError(f"{self.comp_id}: {message}")
        if self._ahead and self.next_inbound > self._asked_up_to:
            self._asked_up_to = max(self._ahead)
            self._send("2", [(7, self.next_inbound), (16, 0)])
        if not self._ahead and len(self.acknowledged) == len(self.sent):
            self.quiet.set()

    def _count(self, message: Received) -> None:
        """Every number once, in order: a gap stops next_inbound until it is filled."""
        number = message.sequence
        if message.msg_type == "4" and number <= self.next_inbound:
            self.next_inbound = max(self.next_inbound, int(message[36]))
        elif number >= self.next_inbound:
            self._ahead.add(number)
        elif not message.possible_duplicate:
            raise AssertionError(f"{self.comp_id}: {self.next_inbound} is next: {message}")
        while self.next_inbound in self._ahead:
            self._ahead.remove(self.next_inbound)
            self.next_inbound += 1
        self._ahead = (
            {each for each in self._ahead if each >= self.next_inbound} if self._ahead else self._ahead
        )

    def _resend(self, first: int) -> None:
        """Orders again, the rest as gap fills."""
        again: Fields = [(43, "Y"), (122, LONG_AGO)]
        number = first
        while number < self.next_outbound:
            if number in self.sent:
                self._send(*self.sent[number], sequence=number, header=again)
                number += 1
                continue
            following = min((each for each in self.sent if each > number), default=self.next_outbound)
            self._send("4", [(123, "Y"), (36, following)], sequence=number, header=again)
            number = following
