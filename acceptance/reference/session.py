"""One FIX session, from the acceptor's side: messages and time in, messages out. No I/O.

Whoever drives it takes bytes from `out` and closes the connection once `closed`. It can also be driven by
hand: `send` any message now, `skip` a number, name types in `hold` whose messages then wait in `held` for
`release`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from acceptance.reference import counting, judging, logon, resend
from acceptance.reference.clock import stamp
from acceptance.reference.dictionary import MISSING, MSG_TYPE, Dictionary, Wrong
from acceptance.reference.faults import Fault, Faults
from acceptance.reference.history import History, Sent
from acceptance.reference.settings import SessionSettings
from acceptance.reference.throttle import Throttle
from acceptance.wire import Message, encode, frame

LOGOUT_WAIT = 2.0
"""seconds for which the other side may leave a Logout unanswered, or not close after one"""
SILENCE, SILENCE_END = 1.2, 2.4
"""heartbeat intervals without a word after which the client is asked, and then dropped"""

Body = list[tuple[int, str]]


class Session:
    def __init__(
        self,
        settings: SessionSettings,
        dictionary: Dictionary,
        history: History,
        faults: Faults,
        deliver: Callable[[Session, Message, float], None],
    ) -> None:
        """`deliver` is called for each application message, in order and once; it may call `report`. Times
        are seconds since the epoch."""
        self.settings = settings
        self.dictionary = dictionary
        self.history = history
        self.faults = faults
        self.out: list[bytes] = []
        self.hold: set[str] = set()
        self.held: list[bytes] = []
        self._deliver = deliver
        self._throttle = Throttle(settings.messages_per_second)
        self.connect(0.0)
        self.closed = True

    def connect(self, now: float) -> None:
        """A new connection."""
        self.closed = self.logged_on = self.client_left = False
        self.heartbeat = 30
        """HeartBtInt(108), seconds"""
        self.out.clear()
        self.queue: dict[int, Message] = {}
        """what came above a gap"""
        self.gap_end = 0
        """the highest number seen when the gap was asked for; 0: there is no gap"""
        self.last_out = self.last_in = now
        self.asked_at: float | None = None
        self._proves = 0
        """what an answer to the TestRequest proves to have arrived"""
        self.logged_out_at: float | None = None
        self._throttle.forgive()

    def lost(self) -> None:
        """The connection is gone."""
        self.closed, self.logged_on = True, False

    # In

    def receive(self, message: Message | None, now: float) -> None:
        """The next message; None: something garbled."""
        if self.closed:
            return
        if message is None:
            judging.garbled(self, now)
            return
        self.last_in = now
        if not self.faults.on(Fault.TEST_REQUEST_REPEATED):
            self.asked_at = None
        if not self.logged_on:
            logon.first(self, message, now)
        elif self.logged_out_at is None or message.msg_type in ("5", "2"):
            self._receive(message, now)

    def _receive(self, message: Message, now: float) -> None:
        if message[8] != self.settings.begin_string and not self.faults.on(Fault.BEGIN_STRING_NOT_CHECKED):
            counting.count(self, message, now)
            self.log_out("Incorrect BeginString", now)
            return
        if 34 not in message or (52 not in message and self.settings.begin_string != "FIX.4.4"):
            self.closed = self.closed or self.settings.begin_string != "FIX.4.4"
            return
        if judging.wrong_content(self, message, now) or judging.wrong_header(self, message, now):
            return
        if not message[34].isdecimal():
            return  # only a broken dictionary lets it come this far
        kind = message.msg_type
        if kind not in self.dictionary.orders:
            self.spend(now)
        if kind == "A":
            logon.again(self, message, now)
        elif kind == "2":
            counting.count(self, message, now)
            resend.answer(self, message, now)
        elif kind == "5":
            self._client_logs_out(message, now)
        elif kind == "4":
            counting.sequence_reset(self, message, now)
        elif kind == "3" and message.sequence > self.history.target:
            pass  # shown with the next message
        elif counting.expected(self, message, now):
            self.take(message, now)
            counting.drain(self, now)

    def take(self, message: Message, now: float) -> None:
        """A message with the number that is expected."""
        if not self.faults.on(Fault.NUMBER_NOT_COUNTED) or message.msg_type != "D":
            self.history.target += 1
        if message.possible_duplicate and counting.bad_duplicate(self, message, now):
            return
        kind = message.msg_type
        if kind == "0":
            if self._proves and message.get(112) is not None:
                self.history.prove(self._proves)
        elif kind == "1":
            self._answer_test_request(message, now)
        elif kind in ("A", "4", "5"):
            pass
        elif kind == "3":
            if self.faults.on(Fault.REJECT_ANSWERED):
                self.reject(message, Wrong(MSG_TYPE), now)
        else:
            self._deliver(self, message, now)

    def _answer_test_request(self, message: Message, now: float) -> None:
        if self.faults.on(Fault.TEST_REQUEST_IGNORED):
            return
        label = message.get(112, "")
        if self.faults.on(Fault.WRONG_TEST_REQ_ID):
            label = "TEST"
        echo = [] if self.faults.on(Fault.NO_TEST_REQ_ID) else [(112, label)]
        self.send("0", echo, now)

    def _client_logs_out(self, message: Message, now: float) -> None:
        counting.count(self, message, now)
        if self.logged_out_at is not None:
            self.closed = True
            return
        self.client_left = True
        self.history.prove(self.history.sender - 1)
        if self.faults.on(Fault.DROPS_ON_LOGOUT):
            self.closed = True
        elif not self.faults.on(Fault.LOGOUT_NOT_ANSWERED):
            self.send("5", [], now)
            self.logged_out_at = now

    def spend(self, now: float) -> int:
        """One message of what it may send: 0, or milliseconds until there is room for one. A flood that goes
        on is logged out."""
        wait = self._throttle.wait(now)
        limit, seconds = self.settings.messages_per_second, self.settings.flood_seconds
        if wait and self._throttle.over_for >= seconds and not self.faults.on(Fault.FLOOD_KEPT):
            self.log_out(f"more than {limit} messages per second for {seconds} s", now)
        return wait

    # Time

    def tick(self, now: float) -> None:
        """To be called several times a second."""
        if self.closed:
            return
        if self.logged_out_at is not None:
            if now - self.logged_out_at > LOGOUT_WAIT:
                self.closed = not self.faults.on(Fault.WAITS_FOR_LOGOUT_FOR_EVER)
            return
        if not self.logged_on:
            return
        late = 3.0 if self.faults.on(Fault.HEARTBEAT_LATE) else 1.0
        if now - self.last_out >= self.heartbeat * late and not self.faults.on(Fault.NO_HEARTBEAT):
            self.send("0", [(112, "x")] if self.faults.on(Fault.HEARTBEAT_WITH_TEST_REQ_ID) else [], now)
        silent = now - self.last_in
        if silent > self.heartbeat * SILENCE_END and not self.faults.on(Fault.SILENT_CLIENT_KEPT):
            if not self.faults.on(Fault.NO_TEST_REQUEST) or silent > self.heartbeat * 2 * SILENCE_END:
                self.closed = True
        elif silent > self.heartbeat * SILENCE and self.asked_at is None:
            self.asked_at = now
            if not self.faults.on(Fault.NO_TEST_REQUEST):
                self._proves = self.history.sender - 1
                body = (
                    [] if self.faults.on(Fault.TEST_REQUEST_WITHOUT_ID) else [(112, f"TEST-{self._proves}")]
                )
                self.send("1", body, now)

    # Out

    def report(self, msg_type: str, body: Body, now: float, resent: bool = False) -> None:
        """An application message, which is kept, and sent if the client is there. `resent`: it was sent
        under an earlier number."""
        if self.faults.on(Fault.NOT_REPORTED_WHILE_AWAY) and not self.logged_on:
            return
        body = [(97, "Y"), *body] if resent and not self.faults.on(Fault.NO_POSS_RESEND) else body
        number = self.history.sender
        self.history.keep(number, Sent(msg_type, stamp(now), body))
        self.send(msg_type, body, now, there=self.logged_on)

    def reject(self, message: Message, wrong: Wrong, now: float) -> None:
        """Reject(3)"""
        if wrong.reason == MISSING and self.faults.on(Fault.MISSING_TAG_AS_BUSINESS):
            body = [(45, message[34]), (58, wrong.text), (372, message.msg_type), (380, "5")]
            self.report("j", body, now)
            return
        reason = 99 if self.faults.on(Fault.WRONG_REJECT_REASON) else wrong.reason
        number = str(self.history.sender) if self.faults.on(Fault.WRONG_REF_SEQ_NUM) else message[34]
        body = [(45, number), (58, wrong.text)]
        if wrong.tag is not None and not self.faults.on(Fault.NO_REF_TAG_ID):
            body.append((371, str(wrong.tag)))
        if not self.faults.on(Fault.NO_REF_MSG_TYPE):
            body.append((372, message.msg_type))
        self.send("3", [*body, (373, str(reason))], now)
        if self.faults.on(Fault.REJECT_DISCONNECTS):
            self.closed = True

    def log_out(self, text: str, now: float, close: bool = False) -> None:
        """The venue ends the session; `close`: without waiting for the answer."""
        if self.logged_out_at is None and not self.closed:
            silent = close and self.faults.on(Fault.ENDS_WITHOUT_LOGOUT)
            if not silent:
                self.send("5", [] if self.faults.on(Fault.LOGOUT_WITHOUT_TEXT) else [(58, text)], now)
            self.logged_out_at = now
        self.closed = self.closed or close

    def send(
        self,
        msg_type: str,
        body: Iterable[tuple[int, object]],
        now: float,
        *,
        sequence: int | None = None,
        first_sent: str = "",
        there: bool = True,
    ) -> None:
        """Under the next number, or again under an old one: then `first_sent` is its OrigSendingTime(122)
        and PossDupFlag(43) is set."""
        if sequence is None:
            sequence = self.history.sender
            twice = self.faults.on(Fault.NUMBER_USED_TWICE) and msg_type == "0"
            self.history.sender += 0 if twice else 1
            self.history.sender += self.faults.on(Fault.NUMBER_LEFT_OUT) and msg_type == "8"
        if not there:
            return
        again = first_sent != ""
        header: list[tuple[int, object]] = [(35, msg_type), (34, sequence)]
        header += [(43, "Y")] if again and not self.faults.on(Fault.NO_POSS_DUP) else []
        names = (self.settings.venue, self.settings.comp_id)
        names = names[::-1] if self.faults.on(Fault.NAMES_SWAPPED) else names
        header += [(49, names[0]), (52, stamp(now)), (56, names[1])]
        header += [(122, first_sent)] if again and not self.faults.on(Fault.NO_ORIG_SENDING_TIME) else []
        raw = frame(self.settings.begin_string, encode([*header, *body]))
        if msg_type in self.hold:
            self.held.append(raw)
        else:
            self.out.append(raw)
        self.last_out = now

    # By hand

    def skip(self, count: int = 1) -> None:
        """Leaves out numbers: the client sees a gap."""
        self.history.sender += count

    def release(self) -> None:
        """Sends what is held, and holds nothing any more."""
        self.out += self.held
        self.held = []
        self.hold.clear()
