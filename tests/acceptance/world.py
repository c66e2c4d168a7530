"""The reference venue's sessions, desk and book without sockets and with a clock of its own: what it says to
a conversation depends on nothing else, so two runs can be compared."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from acceptance.reference.clock import stamp
from acceptance.reference.desk import Desk
from acceptance.reference.dictionary import of_version
from acceptance.reference.faults import Faults
from acceptance.reference.history import History
from acceptance.reference.session import Session
from acceptance.reference.settings import load
from acceptance.reference.stream import Stream
from acceptance.wire import Message, encode, frame

START = 1_800_000_000.0
"""seconds since the epoch"""
STEP = 0.1
RATE, FLOOD = 20, 2


class World:
    """`said` is everything the venue wrote, in order, and the ends of connections."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.now = START
        self.said: list[str] = []
        self.settings = load(None)
        self.desk = Desk(self.settings, faults, lambda name: self.sessions[name])
        self.sessions: dict[str, Session] = {}
        for name, each in self.settings.sessions.items():
            each.messages_per_second, each.flood_seconds = RATE, FLOOD
            dictionary = of_version(each.begin_string)
            self.sessions[name] = Session(each, dictionary, History(), faults, self.desk.handle)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self.now += STEP
            self.desk.at(self.now)
            for session in self.sessions.values():
                session.tick(self.now)
            self.collect()

    def collect(self) -> None:
        for name, session in self.sessions.items():
            self.said += [f"{round(self.now - START, 1)} {name} {Message(raw)}" for raw in session.out]
            session.out.clear()


class Peer:
    """One client. It numbers what it sends, and answers nothing by itself."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.session = world.sessions[name]
        self.name, self.version = name, self.session.settings.begin_string
        self.account = f"{self.session.settings.client}-1"
        self.number = 1
        self._stream = Stream(world.faults)
        self._ids = itertools.count(1)

    def connect(self) -> Peer:
        self.session.connect(self.world.now)
        self._stream = Stream(self.world.faults)
        return self

    def logon(self, *extra: tuple[int, object], heartbeat: int = 30, **how: object) -> None:
        self.connect()
        version = [(1137, 9)] if self.version == "FIXT.1.1" else []
        self.send("A", [(98, 0), (108, heartbeat), *version, *extra], **how)

    def drop(self) -> None:
        """The connection is gone."""
        session = self.session
        lost = not session.client_left
        session.lost()
        self.world.desk.leave(session, lost)
        self.world.collect()

    def message(self, msg_type: str, fields: Iterable[tuple[int, object]] = (), **how: object) -> bytes:
        """`how`: sequence, and anything of the header: version, sender, target, time, duplicate (43),
        original (122), resend (97)."""
        sequence = how.get("sequence")
        if sequence is None:
            sequence, self.number = self.number, self.number + 1
        header: list[tuple[int, object]] = [(35, msg_type), (34, sequence)]
        header += [(43, "Y")] if how.get("duplicate") else []
        header += [(49, how.get("sender", self.name)), (52, how.get("time", stamp(self.world.now)))]
        header += [(56, how.get("target", "FIXGW"))]
        header += [(97, "Y")] if how.get("resend") else []
        header += [(122, how["original"])] if "original" in how else []
        return frame(str(how.get("version", self.version)), encode([*header, *fields]))

    def send(self, msg_type: str, fields: Iterable[tuple[int, object]] = (), **how: object) -> None:
        self.raw(self.message(msg_type, fields, **how))

    def raw(self, data: bytes) -> None:
        for message in self._stream.feed(data):
            self.session.receive(message, self.world.now)
        self.world.collect()
        if self.session.closed:
            self.world.said.append(f"{self.name} closed")
            self.drop()

    def terms(
        self, cl_ord_id: str, side: str, quantity: object, price: object, **more: object
    ) -> list[tuple[int, object]]:
        kind: list[tuple[int, object]] = [(40, "1")] if price is None else [(40, "2"), (44, price)]
        fields: list[tuple[int, object]] = [
            (11, cl_ord_id), (1, more.get("account", self.account)), (55, more.get("symbol", "BTC-USD")),
            (54, side), (60, more.get("entered", stamp(self.world.now))), (38, quantity), *kind,
        ]  # fmt: skip
        return fields + ([(59, more["force"])] if "force" in more else [])

    def order(
        self,
        side: str = "1",
        quantity: object = 1,
        price: object = 100,
        extra: Iterable[tuple[int, object]] = (),
        cl_ord_id: str = "",
        **more: object,
    ) -> str:
        cl_ord_id = cl_ord_id or f"{self.name}-{next(self._ids)}"
        self.send("D", [*self.terms(cl_ord_id, side, quantity, price, **more), *extra], **more)
        return cl_ord_id

    def replace(self, original: str, quantity: object, price: object, side: str = "1", **more: object) -> str:
        cl_ord_id = f"{self.name}-{next(self._ids)}"
        self.send("G", [(41, original), *self.terms(cl_ord_id, side, quantity, price, **more)])
        return cl_ord_id

    def cancel(self, original: str, side: str = "1", order_id: str = "") -> str:
        cl_ord_id = f"{self.name}-{next(self._ids)}"
        fields = [(41, original), (11, cl_ord_id), (55, "BTC-USD"), (54, side), (60, stamp(self.world.now))]
        self.send("F", [*fields, *([(37, order_id)] if order_id else [])])
        return cl_ord_id
