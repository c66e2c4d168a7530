"""What an operator does to a session: each deed in the transaction of a turn, with its note in the audit."""

from collections.abc import Callable

from fixgw.admin.deeds import Refused, in_a_turn
from fixgw.admin.words import Answer, Block, Disconnect, LogOut, OfSession, Reset, SetNumbers
from fixgw.assembly import Assembly
from fixgw.cycle.recorder import Recorder
from fixgw.sessions.leaving import see_out
from fixgw.sessions.session import Session
from fixgw.settings.building import close

BLOCKED = "this session is blocked by the operator"
RESET = "the sequence numbers of this session begin again at 1"


class Operations:
    """All for one operator, `who`. A session may go while a turn is waited for: each deed looks it up."""

    def __init__(self, assembly: Assembly, who: str) -> None:
        self._assembly = assembly
        self._who = who

    async def carry_out(self, request: OfSession) -> Answer:
        try:
            self._find(request.session)
            if isinstance(request, Reset):
                return Answer(True, [await self._reset(request)])
            return Answer(True, [await self._in_a_turn(lambda *turn: self._deed(request, *turn))])
        except Refused as refusal:
            return Answer(False, [str(refusal)])

    async def _in_a_turn(self, deed: Callable[[Recorder, int], str]) -> str:
        return await in_a_turn(self._assembly.cycle, deed)

    def _find(self, name: str) -> Session:
        sessions = self._assembly.sessions
        if name not in sessions:
            raise Refused(f"there is no session {name}{close(name, sessions)}")
        return sessions[name]

    def _deed(self, request: OfSession, recorder: Recorder, time: int) -> str:
        session = self._find(request.session)
        match request:
            case LogOut():
                return self._log_out(session, request, recorder, time)
            case Disconnect():
                return self._disconnect(session, recorder, time)
            case Block():
                return self._block(session, request, recorder, time)
            case SetNumbers():
                return self._set_numbers(session, request, recorder, time)
        raise AssertionError(request)

    def _log_out(self, session: Session, request: LogOut, recorder: Recorder, time: int) -> str:
        if not session.logged_on:
            raise Refused(f"session {session.name} is not logged on")
        recorder.note(time, self._who, f"logout {session.name}: {request.text}")
        self._send_away(session, request.text)
        return f"session {session.name}: a Logout is sent"

    def _disconnect(self, session: Session, recorder: Recorder, time: int) -> str:
        if session.connection is None:
            raise Refused(f"session {session.name} is not connected")
        recorder.note(time, self._who, f"disconnect {session.name}")
        session.cut(f"disconnected by {self._who}")
        return f"session {session.name} is disconnected"

    def _block(self, session: Session, request: Block, recorder: Recorder, time: int) -> str:
        name, mailbox = session.name, session.mailbox
        state = "blocked: no one logs on" if request.on else "not blocked"
        if mailbox.blocked == request.on:
            return f"session {name} is {state}, as before"
        mailbox.blocked = request.on
        recorder.touched[name] = mailbox
        recorder.note(time, self._who, f"{'block' if request.on else 'unblock'} {name}")
        if request.on:
            self._send_away(session, BLOCKED)
        return f"session {name} is {state}"

    def _set_numbers(self, session: Session, request: SetNumbers, recorder: Recorder, time: int) -> str:
        name, mailbox = session.name, session.mailbox
        before = (mailbox.sender, mailbox.target)
        after = (request.next_out or before[0], request.next_in or before[1])
        if session.connection is not None:
            raise Refused(f"session {name} is connected: log it out first")
        if after[0] < before[0]:
            raise Refused(
                f"session {name}: the next number out is {before[0]} and never goes back, as {after[0]} was "
                f"used for another message; `fixgw admin reset {name}` begins again at 1"
            )
        session.set_numbers(*after)
        recorder.touched[name] = mailbox
        change = f"next out {before[0]} -> {after[0]}, next in {before[1]} -> {after[1]}"
        recorder.note(time, self._who, f"set-seqnum {name}: {change}")
        return f"session {name}: {change}"

    async def _reset(self, request: Reset) -> str:
        """Its client is logged out first, and stays outside until it is done."""
        async with self._assembly.reshaping:
            session = self._find(request.session)
            session.barred = "is being reset"
            try:
                if session.connection is not None:
                    await self._in_a_turn(lambda recorder, time: self._send_away(session, RESET))
                    await see_out([session])
                return await self._in_a_turn(lambda *turn: self._begin_again(session, *turn))
            finally:
                session.barred = ""

    def _begin_again(self, session: Session, recorder: Recorder, time: int) -> str:
        name, mailbox = session.name, session.mailbox
        recorder.note(
            time, self._who, f"reset {name}: next out {mailbox.sender}, next in {mailbox.target} -> 1"
        )
        session.reset()
        recorder.touched[name] = mailbox
        self._assembly.cycle.wake(session)
        again = "; reports that may not have arrived come again" if mailbox.carries else ""
        return f"session {name}: both numbers begin again at 1{again}"

    def _send_away(self, session: Session, text: str) -> str:
        session.log_out(text)
        self._assembly.cycle.wake(session)
        return text
