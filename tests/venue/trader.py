"""A client as it should be, without quickfix: it keeps what it sent and what it received over any number of
connections, asks for what is missing, and sends again what it is asked for."""

from __future__ import annotations

from tests.raw import Disconnected, RawClient, Received


class Trader(RawClient):
    """`reports` holds every application message by MsgSeqNum, as first received; one that comes again under
    its number must be the same. `replayed` counts those that came as possible duplicates."""

    def __init__(self, host: str, port: int, comp_id: str, begin_string: str = "FIX.4.4") -> None:
        super().__init__(host, port, comp_id, begin_string=begin_string, timeout=20.0)
        self.sent: dict[int, tuple[str, list[tuple[int, object]]]] = {}
        self.reports: dict[int, Received] = {}
        self.replayed = 0
        self._asked = False

    def trade(self, msg_type: str, fields: list[tuple[int, object]]) -> None:
        self.sent[self.next_outbound] = (msg_type, fields)
        self.send(msg_type, fields)

    def recover(self, port: int) -> None:
        """Connects again, logs on with the numbers as they stand, and returns when nothing is missing."""
        self.address = (self.address[0], port)
        self._asked = False
        self.connect()
        self.send_logon(heartbeat=60)
        self.fence()

    def fence(self) -> None:
        """Returns when everything the venue had to say to what was sent so far is here."""
        answered = False
        label = self._ask()
        while not answered or self._missing():
            message = self.take()
            if message.msg_type == "2":
                label = self._ask()  # the resend has filled the gap over the question, too
            answered = answered or message.get(112) == label

    def take_up_to(self, count: int) -> None:
        """Takes messages, at most `count`, and none after the last answer to what was sent so far."""
        label = self._ask()
        for _ in range(count):
            if self.take().get(112) == label:
                return

    def _ask(self) -> str:
        label = f"fence-{self.next_outbound}"
        self.send("1", [(112, label)])
        return label

    def take(self) -> Received:
        """Receives one message and does what the session layer asks for."""
        message = self.receive()
        if message.msg_type == "2":
            self._resend(int(message[7]))
        elif message.msg_type == "1":
            self.send("0", [(112, message[112])])
        elif message.msg_type == "5":
            raise Disconnected(f"{self.comp_id}: logged out: {message.get(58)}")
        elif message.msg_type in ("8", "9", "j"):
            self._keep(message)
        if self._missing() and not self._asked:
            self.send("2", [(7, self.next_inbound), (16, 0)])
        self._asked = self._missing()
        return message

    def _missing(self) -> bool:
        return any(number > self.next_inbound for number in self._ahead)

    def _keep(self, message: Received) -> None:
        self.replayed += message.possible_duplicate
        known = self.reports.setdefault(message.sequence, message)
        assert body(known) == body(message), f"number {message.sequence} was {known} and is {message}"

    def _resend(self, first: int) -> None:
        """Orders again with PossDupFlag, the rest as gap fills."""
        number = first
        while number < self.next_outbound:
            if number in self.sent:
                msg_type, fields = self.sent[number]
                original = str(dict(fields)[60])
                self.send(msg_type, fields, sequence=number, possdup=True, original_sending_time=original)
                number += 1
                continue
            following = min([sent for sent in self.sent if sent > number], default=self.next_outbound)
            fill: list[tuple[int, object]] = [(123, "Y"), (36, following)]
            self.send("4", fill, sequence=number, possdup=True, original_sending_time=_long_ago())
            number = following


def body(message: Received) -> list[tuple[int, str]]:
    """What must be the same whenever a number comes again: all but the header fields of the sending."""
    return [pair for pair in message.fields if pair[0] not in (9, 10, 43, 52, 122)]


def _long_ago() -> str:
    return "20200101-00:00:00.000"
