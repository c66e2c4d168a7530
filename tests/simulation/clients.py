"""Both ends of a FIX session, without the FIX between them: what a client has sent and been sent, and what
stands in for the venue's Session and Mailbox. Messages and reports are numbered, and on disk as they are
there, so that a crash loses none and repeats none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fixgw.codec.fields import fields
from fixgw.codec.terms import terms
from fixgw.settings.session import Session as SessionSettings
from fixgw.store.keys import number_key, number_of
from tests.simulation.store import MemoryTransaction

NEVER = 2**62


class Client:
    """At the other end; it outlives the venue's process."""

    def __init__(
        self, name: str, firm: str, told: Callable[[dict[str, str]], None], slides: bool = False
    ) -> None:
        """`told` is given each report; `slides`: what becomes of its post-only orders that would trade."""
        self.name = name
        self.slides = slides
        self.firm = firm
        self.sent: list[str] = []
        self.heard = 0
        """reports"""
        self._told = told

    def hear(self, text: str) -> None:
        self.heard += 1
        self._told(fields(text))

    def hear_aside(self, text: str) -> None:
        """What has no number."""
        self._told(fields(text))


class Outflow:
    def __init__(self, pump: Callable[[], None]) -> None:
        self.pump = pump


class Mailbox:
    """In place of fixgw.sessions.mailbox.Mailbox."""

    begin_string = "FIXT.1.1"
    decimals = 3
    generation = 0
    needs_sweep = carries = unsettled = pending_new = False

    def __init__(self, store: Any, client: Client) -> None:
        self.name = client.name
        self.cancels = ""
        self.outflow = Outflow(self._pump)
        self._store = store
        self._client = client
        self._prefix = client.name.encode() + b"\x01"
        with store.read() as transaction:
            saved = transaction.get(client.name.encode(), db=self._store.sessions) or bytes(16)
        self.sender, self.target = number_of(saved[:8]), number_of(saved[8:])

    def post(self, transaction: MemoryTransaction, msg_type: str, sending_time: str, body: bytes) -> None:
        key = self._prefix + number_key(self.sender)
        assert transaction.put(key, f"35={msg_type}\x01".encode() + body, db=self._store.outbox)
        self.sender += 1

    def tell(self, msg_type: str, sending_time: str, body: bytes) -> None:
        """A refusal that is not kept, as the store is full; it may be lost, and is taken for an answer."""
        self._client.hear_aside(f"35={msg_type}\x01" + body.decode())

    def settle(self, transaction: MemoryTransaction) -> None:
        key, value = self.name.encode(), number_key(self.sender) + number_key(self.target)
        if transaction.get(key, db=self._store.sessions) != value:
            transaction.put(key, value, db=self._store.sessions)

    def carry_over(self, transaction: MemoryTransaction, sending_time: str) -> bool:
        return False

    def _pump(self) -> None:
        while self._client.heard < self.sender:
            with self._store.read() as transaction:
                key = self._prefix + number_key(self._client.heard)
                report = transaction.get(key, db=self._store.outbox)
            self._client.hear((report or b"").decode())


class Line:
    """In place of fixgw.sessions.session.Session, at the venue's end."""

    next_change = NEVER
    connection = None
    attended = False
    barred = ""

    def __init__(self, mailbox: Mailbox, client: Client) -> None:
        self.name = client.name
        self.client = client.firm
        self.mailbox = mailbox
        self.settings = SessionSettings(
            client=client.firm,
            begin_string="FIXT.1.1",
            transact_time_seconds=86_400,
            cancel_gtc="yes",
            post_only="slide" if client.slides else "refuse",
        )
        self.terms = terms(client.name, self.settings)
        self._client = client

    def spend(self) -> int:
        return 0

    def log_on_if_waiting(self, time: int) -> None:
        pass

    def read(self, time: int) -> bool:
        return False

    def take_inbox(self) -> list[str]:
        new = self._client.sent[self.mailbox.target :]
        self.mailbox.target += len(new)
        return new

    def flush(self) -> None:
        self.mailbox.outflow.pump()

    def tick(self, second: int, time: int) -> bool:
        return False
