"""Sessions by the calendar: who must leave and whose numbers begin again. All of it happens in a turn's
transaction and at its logged time, and at a start before the door opens."""

from collections.abc import Iterable, Mapping

from fixgw.calendar.schedule import Schedule
from fixgw.cycle.recorder import Recorder
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.session import Session

NEVER = 2**63
"""later than every logged time"""


class Hours:
    def __init__(self, schedules: Mapping[str, Schedule]) -> None:
        self._schedules = schedules

    def know(self, schedules: Mapping[str, Schedule], sessions: Iterable[Session]) -> None:
        """From here on these are the schedules, and what `sessions` follow is looked at anew."""
        self._schedules = schedules
        for session in sessions:
            session.next_change = 0

    def keep(self, session: Session, recorder: Recorder, time: int) -> None:
        """Does what the session's schedule asks for; due again once its next_change has come."""
        mailbox = session.mailbox
        recorder.touched[session.name] = mailbox
        schedule = self._schedules.get(session.settings.schedule)
        if schedule is None:
            if not session.settings.schedule:  # else it went a moment before the session is told
                mailbox.period = 0
            session.closed, session.next_change = "", NEVER
            return
        standing = schedule.at(time)
        over = schedule.reset and standing.period > mailbox.period > 0
        if (over or not standing.open) and session.attended:
            ended = "the session" if over or not standing.inside else "today's connection time"
            session.dismiss(f"{ended} has ended; {_opening(schedule, time)}", time)
            return
        if self._enter_period(mailbox, schedule, recorder, time):
            session.begin_again()
        session.closed = "" if standing.open else f"the session is closed; {_opening(schedule, time)}"
        session.next_change = standing.until

    def catch_up(self, mailbox: Mailbox, name: str, recorder: Recorder, time: int) -> None:
        """What was missed while the venue was down, for a session that follows the schedule `name`."""
        if name:
            self._enter_period(mailbox, self._schedules[name], recorder, time)

    def _enter_period(self, mailbox: Mailbox, schedule: Schedule, recorder: Recorder, time: int) -> bool:
        """Whether the numbers begin again, which they do once in each period whatever happens, as mark and
        deed are one. Reports that may not have arrived are the first in the new numbers. A clock set back
        brings no old period back; the first schedule of a session finds numbers that may go on."""
        before, period = mailbox.period, schedule.at(time).period
        if period <= before:
            return False
        mailbox.period = period
        if not (schedule.reset and before) or mailbox.sender == mailbox.target == 1:
            return False
        numbers = f"out {mailbox.sender}, in {mailbox.target}"
        began = schedule.in_words(period)
        recorder.note(time, "calendar", f"session {mailbox.name} reset at {numbers}: the next began {began}")
        mailbox.reset()
        mailbox.target = 1
        mailbox.carry_over(recorder.transaction, recorder.time_for(mailbox))
        return True


def _opening(schedule: Schedule, time: int) -> str:
    opens = schedule.opens(time)
    if opens is None:
        return "it does not open within a month"
    return "the next is open now" if opens == time else f"it opens {schedule.in_words(opens)}"
