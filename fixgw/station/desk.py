"""What a publisher does for the sessions of its station."""

from collections.abc import Mapping
from typing import Protocol

from fixgw.publish.standing import Standing
from fixgw.sessions.session import Session
from fixgw.store.store import Store
from fixgw.store.transaction import Transaction


class Sender(Protocol):
    """What a desk may do in a turn: all of it is in the turn's transaction, and leaves after it."""

    @property
    def transaction(self) -> Transaction: ...

    def post(self, session: Session, msg_type: str, body: bytes) -> None:
        """Numbered, kept, and sent again when it is asked for."""
        ...

    def tell(self, session: Session, msg_type: str, body: bytes) -> None:
        """The same, but not kept: a gap for who asks for it again."""
        ...


class Desk(Protocol):
    def open(self, store: Store, sessions: Mapping[str, Session]) -> None:
        """Before the door opens."""
        ...

    def look(self) -> bool | None:
        """Reads what is new in the log; between turns, every few milliseconds. It must be short. True if
        there is more: then the next look comes as soon as everyone else has had a turn."""
        ...

    def standing(self) -> Standing: ...

    def logged_on(self, session: Session, sender: Sender) -> None: ...

    def handle(self, session: Session, text: str, sender: Sender) -> None:
        """An application message of the client, new and in order."""
        ...

    def due(self, session: Session) -> bool:
        """There is something for this session, which is logged on and reads what it is sent."""
        ...

    def serve(self, session: Session, sender: Sender) -> None:
        """Sends a piece of it: some kilobytes, so that a turn is short and a slow reader has little ahead."""
        ...

    def left(self, session: Session) -> None:
        """Its client has gone."""
        ...
