"""The end of a trading day by an operator's hand."""

from typing import NamedTuple

from fixgw.calendar.clocks import in_utc
from fixgw.cycle.recorder import Recorder


class Outcome(NamedTuple):
    done: bool
    text: str


def end_of_day(recorder: Recorder, time: int, operator: str, again: bool) -> Outcome:
    """Ends the day that is, and begins the one after it, which lasts until its own end by the calendar. One
    that has not begun by the calendar was begun by this command: to end it too is probably a mistake, and
    only done `again`."""
    calendar, day = recorder.trading_day, recorder.venue.day
    if recorder.ending_day is not None:
        return Outcome(False, f"day {day} is ending already")
    if day > calendar.name(time) and not again:
        begins = in_utc(calendar.end(calendar.before(day)))
        return Outcome(
            False,
            f"day {day} has begun early, and by the calendar begins {begins} UTC; nothing was done; "
            "say --again to end it as well",
        )
    following = calendar.following(day)
    if not recorder.room.any:
        return Outcome(False, "the store has no room left for orders that end; nothing was done")
    expired = recorder.end_day(time, following, operator)
    if recorder.ending_day is not None:
        return Outcome(True, f"day {day} is ending: DAY orders expired: {expired}, others wait for room")
    return Outcome(
        True,
        f"day {day} has ended, DAY orders expired: {expired}; day {following} has begun, "
        f"and ends {in_utc(calendar.end(following))} UTC",
    )
