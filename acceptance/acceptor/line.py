"""One client session over all its connections, on the reference venue's session machine.

Everything happens in the thread that calls `pump` or `idle`: it reads, answers what is a matter of the
session, and keeps what scenarios wait for in `heard`."""

from __future__ import annotations

import select
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue

from acceptance.acceptor.orders import DUPLICATE, Orders
from acceptance.reference import counting, resend
from acceptance.reference.clock import stamp
from acceptance.reference.dictionary import of_version
from acceptance.reference.faults import Faults
from acceptance.reference.history import History, Sent
from acceptance.reference.session import Session
from acceptance.reference.settings import SessionSettings
from acceptance.reference.venue import Connection
from acceptance.standard import HEADER, standard
from acceptance.wire import Fields, Message, encode, frame

TICK = 0.05
"""seconds between looks at the clock"""
LONGEST_HEARTBEAT = 3600
"""seconds"""
_SESSION_LEVEL = "A012345"
REQUESTS = ("D", "F", "G")
"""MsgTypes of what a trader does"""
_OBJECTIONS = ("3", "5", "j")
"""MsgTypes by which the venue says that the client did something wrong"""


class Stopped(Exception):
    """The run is over."""


class Seen(Message):
    """A possible duplicate of what the session machine has taken before."""


class Line:
    def __init__(
        self, comp_id: str, begin_string: str, venue: str, tell: Callable[[str, bytes | str], None]
    ) -> None:
        """`tell` hears of "in" and "out" with a message's bytes, and of "note" with words."""
        settings = SessionSettings(
            comp_id, comp_id, begin_string, comp_id, venue, heartbeat_max_seconds=LONGEST_HEARTBEAT
        )
        self.names = standard(begin_string)
        self.history = History()
        self.orders = Orders(begin_string)
        self.session = Session(settings, of_version(begin_string), self.history, Faults(), self._deliver)
        self.incoming: SimpleQueue[tuple[Connection, list[Message]]] = SimpleQueue()
        """connections of this client, with what they have said so far"""
        self.heard: deque[Message | None] = deque()
        """all but what the session refused; None: the connection has ended"""
        self.objections: list[str] = []
        """what the venue had to refuse, in words"""
        self.held: list[Message] | None = None
        """ResendRequests whose answer waits, while answers are held back"""
        self.silent = False
        """the venue says nothing at all"""
        self.stopping = threading.Event()
        self.tell = tell
        self._question: tuple[str, int] | None = None
        """what is asked with a TestRequest, and its number"""
        self._connection: Connection | None = None

    @property
    def connected(self) -> bool:
        return self._connection is not None and self.session.logged_on

    # In

    def pump(self, seconds: float) -> None:
        """Until something is heard, or the time is over. Raises Stopped."""
        deadline = time.monotonic() + seconds
        while not self.heard:
            left = deadline - time.monotonic()
            self._turn(max(0.0, min(left, TICK)))
            if left <= 0:
                return

    def idle(self, seconds: float) -> None:
        """Keeps the session alive for so long, whatever comes."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._turn(min(left, TICK))

    def _turn(self, seconds: float) -> None:
        if self.stopping.is_set():
            raise Stopped
        try:
            self._begin(*self.incoming.get(timeout=0.0 if self._connection else seconds))
        except Empty:
            if self._connection is None:
                return
        connection = self._connection
        if connection is not None and select.select([connection.line], [], [], seconds)[0]:
            self._read(connection)
        if self._connection is not None and not self.silent:
            silent = self.session.logged_on and self.session.logged_out_at is None
            self.session.tick(time.time())
            if silent and self.session.closed:
                self.objections.append("the client sent nothing, not even an answer to a TestRequest(1)")
            self._speak(by_itself=True)

    def _begin(self, connection: Connection, messages: list[Message]) -> None:
        if self._connection is not None:
            self._end()
        self._connection = connection
        self.tell("note", "the client has connected")
        self.session.connect(time.time())
        for message in messages:
            self._hear(message)

    def _read(self, connection: Connection) -> None:
        data = connection.read()
        if data is None:
            self.tell("note", "the client has closed the connection")
            self._end()
            return
        for message in connection.stream.feed(data):
            if message is None:
                self.objections.append("the client sent something that is no FIX message")
            elif self._connection is connection:
                self._hear(message)

    def _hear(self, message: Message) -> None:
        self.tell("in", message.bytes)
        kind, now = message.msg_type, time.time()
        if self.silent:
            if 34 in message:
                counting.count(self.session, message, now)
            self.heard.append(message)
            return
        number = message.get(34) or ""
        if message.possible_duplicate and number.isdigit() and int(number) < self.history.target:
            self.heard.append(Seen(message.bytes))
        elif kind in _SESSION_LEVEL:
            self.heard.append(message)
        if kind == "2" and self.held is not None and 34 in message:
            self.session.last_in = now
            counting.count(self.session, message, now)
            self.held.append(message)
            return
        session = self.session
        session.receive(message, now)
        if kind == "2":
            self._ask_again(message)
        elif self._question is not None and message.get(112) == self._question[0]:
            self._question = None
        if session.closed and not session.client_left and session.logged_out_at is None:
            self.objections.append("the client's message ended the session, without a word of the venue")
        self._speak(by_itself=True)

    def _deliver(self, session: Session, message: Message, now: float) -> None:
        if message.msg_type not in REQUESTS or self._acceptable(message, now):
            self.heard.append(message)

    def _acceptable(self, message: Message, now: float) -> bool:
        """Whether a venue would look at this order or request at all; if not, it is answered."""
        problem, reason = self.orders.objection(message)
        if reason == DUPLICATE and message.get(97) == "Y":
            self.tell("note", "a possible resend of what is there already is passed over")
        elif problem:
            self.session.report(*self.orders.rejection(message, problem, reason), now)
            self.objections.append(f"{self.names.message(message.msg_type)}: {problem}")
        return not problem

    # Out

    def report(self, msg_type: str, body: list[tuple[int, str]], lost: bool = False) -> int:
        """An application message: kept, so that it can be asked for, and sent unless it is `lost`. Returns
        its number."""
        now, number = time.time(), self.history.sender
        self.history.keep(number, Sent(msg_type, stamp(now), body))
        self.session.send(msg_type, body, now, there=self.connected and not lost)
        if lost:
            self.tell("note", f"message {number} is lost on the way")
        self._speak()
        return number

    def again(self, number: int) -> None:
        """What was sent under `number`, as a possible duplicate."""
        sent = self.history.sent[number]
        body = list(sent.body)
        self.session.send(sent.msg_type, body, time.time(), sequence=number, first_sent=sent.sending_time)
        self._speak()

    def say(self, msg_type: str, body: Fields, header: dict[int, str], counted: bool = True) -> None:
        """A message with any header, right or wrong. A MsgSeqNum(34) in it is not counted."""
        session, now = self.session, time.time()
        standing = {35: msg_type, 34: self.history.sender, 49: session.settings.venue,
                    52: stamp(now), 56: session.settings.comp_id} | header  # fmt: skip
        if 34 not in header and counted:
            self.history.sender += 1
        fields = encode([*((tag, standing[tag]) for tag in HEADER if tag in standing), *body])
        raw = frame(str(header.get(8, session.settings.begin_string)), fields)
        if header.get(10) == "wrong":
            raw = raw[:-4] + b"%03d\x01" % ((int(raw[-4:-1]) + 1) % 256)
        session.out.append(raw)
        session.last_out = now
        self._speak()

    def ask(self, label: str) -> None:
        """A TestRequest(1)."""
        self._question = label, self.history.sender
        self.say("1", [(112, label)], {})

    def _ask_again(self, request: Message) -> None:
        """The answer to a ResendRequest fills the gap over a TestRequest as well: a client that has not
        looked at it yet, as there was something missing before it, never will."""
        first = request.get(7) or ""
        if self._question is not None and first.isdigit() and int(first) <= self._question[1]:
            self.ask(self._question[0])

    def log_out(self, text: str) -> None:
        self.session.log_out(text, time.time())
        self._speak()

    def release(self) -> None:
        """Answers the ResendRequests that were held."""
        held, self.held = self.held or [], None
        for message in held:
            resend.answer(self.session, message, time.time())
            self._ask_again(message)
        self._speak()

    def close(self) -> None:
        """Without a word."""
        if self._connection is not None:
            self.tell("note", "the venue closes the connection")
            self._end()
            self.heard.clear()

    def _speak(self, by_itself: bool = False) -> None:
        connection = self._connection
        if connection is None:
            self.session.out.clear()
            return
        for raw in self.session.out:
            self.tell("out", raw)
            message = Message(raw) if by_itself else None
            if message is not None and message.msg_type in _OBJECTIONS and not self.session.client_left:
                self.objections.append(self.names.words(message))
        connection.waiting += b"".join(self.session.out)
        self.session.out.clear()
        connection.flush()
        if (self.session.closed and not connection.waiting) or connection.ends:
            self.tell("note", "the venue closes the connection")
            self._end()

    def _end(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.hang_up()
        self.session.lost()
        self.silent, self.held, self._question = False, None, None
        self.heard.append(None)
