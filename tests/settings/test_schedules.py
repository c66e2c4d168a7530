"""Mistakes in what the settings say of time: each is one line, with its place and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixgw.settings import SettingsError, load, schedules, trading_day

DEMO = Path("config/venue.yaml").read_text()
SECOND = 10**9


def with_lines(tmp_path: Path, lines: str, session: str = "") -> Path:
    """The demo venue with these lines, and ALPHA with this setting."""
    path = tmp_path / "venue.yaml"
    path.write_text(DEMO.replace("ALPHA: {client: ALPHA,", f"ALPHA: {{client: ALPHA, {session}", 1) + lines)
    return path


# fmt: off
MISTAKES = [
    ("day: {time_zone: America/NewYork}",
     "day.time_zone: America/NewYork is not in the time zone database; did you mean America/New_York?"),
    ("day: {time_zone: america/new_york}",
     "day.time_zone: america/new_york is not in the time zone database; did you mean America/New_York?"),
    ("day: {time_zone: America}", "day.time_zone: America is not in the time zone database; "),
    ("day: {time_zone: /etc/passwd}", "day.time_zone: /etc/passwd is not in the time zone database; "),
    ("day: {time_zone: ../x}", "day.time_zone: must be a name of the time zone database, not '../x'"),
    ("day: {end: '24:00'}", "day.end: must be HH:MM, from 00:00 to 23:59, not '24:00'"),
    ("day: {end: 5pm}", "day.end: must be HH:MM, from 00:00 to 23:59, not '5pm'"),
    ("schedules: {X: {time_zone: Mars}}", "schedules.X.time_zone: Mars is not in the time zone database; "),
    ("schedules: {X: {start: Sunday 17:00}}",
     "schedules.X.start: must be HH:MM, or with a day before it: Sun 17:00, not 'Sunday 17:00'"),
    ("schedules: {X: {start: Sun 17:00, end: '16:00'}}",
     "schedules.X.end: needs a day, such as Fri 16:00, as the other is Sun 17:00"),
    ("schedules: {X: {start: '17:00', end: Fri 16:00}}",
     "schedules.X.start: needs a day, such as Fri 17:00, as the other is Fri 16:00"),
    ("schedules: {X: {start: Sun 17:00, end: Fri 16:00, days: [Mon]}}",
     "schedules.X.days: is for daily sessions; this one is weekly, from Sun 17:00"),
    ("schedules: {X: {days: []}}",
     "schedules.X.days: must name at least one day; leave it out to mean all of them"),
    ("schedules: {X: {days: [Mon, Monday]}}",
     "schedules.X.days: must be a list of Mon, Tue, Wed, Thu, Fri, Sat, Sun, not [Mon, Monday]"),
    ("schedules: {X: {days: Mon}}",
     "schedules.X.days: must be a list of Mon, Tue, Wed, Thu, Fri, Sat, Sun, not 'Mon'"),
    ("schedules: {X: {connect_from: '07:00'}}",
     "schedules.X.connect_until: is missing; give both ends of the connection window, or neither"),
    ("schedules: {X: {connect_until: '07:00'}}",
     "schedules.X.connect_from: is missing; give both ends of the connection window, or neither"),
    ("schedules: {X: {connect_from: '07:00', connect_until: '07:00'}}",
     "schedules.X.connect_until: is connect_from as well; leave both out to mean always"),
    ("schedules: {X: {start: '09:00', end: '17:00', connect_from: '17:00', connect_until: '09:00'}}",
     "schedules.X.connect_from: there is no moment of a session in this connection window"),
    ("schedules: {X: {reset: maybe}}", "schedules.X.reset: must be yes or no, not 'maybe'"),
]
# fmt: on


@pytest.mark.parametrize(("lines", "mistake"), MISTAKES)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, lines: str, mistake: str) -> None:
    path = with_lines(tmp_path, lines)
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {mistake}")
    assert str(caught.value).count("\n") == 0


def test_a_session_follows_a_schedule_that_is_there(tmp_path: Path) -> None:
    lines = "schedules: {OFFICE: {start: '08:00', end: '17:00'}}"
    wrong = r"sessions\.ALPHA\.schedule: OFICE is not a schedule of this file; did you mean OFFICE\?$"
    with pytest.raises(SettingsError, match=wrong):
        load(with_lines(tmp_path, lines, "schedule: OFICE,"))
    assert load(with_lines(tmp_path, lines, "schedule: OFFICE,")).sessions["ALPHA"].schedule == "OFFICE"


def test_what_the_calendar_is_made_of(tmp_path: Path) -> None:
    """The defaults: days and sessions of UTC, from midnight to midnight, numbers that begin again."""
    settings = load(with_lines(tmp_path, "schedules: {X: {}, Y: {reset: 'no', days: [Sat]}}"))
    made = schedules(settings)
    midnight = 1767571200 * SECOND  # Monday, 2026-01-05
    assert (made["X"].reset, made["Y"].reset) == (True, False)
    assert made["X"].at(midnight) == (midnight, True, True, midnight + 86400 * SECOND)
    assert made["Y"].at(midnight).inside is False
    assert trading_day(settings).name(midnight - 1) == "2026-01-04"
    assert trading_day(settings).name(midnight) == "2026-01-05"
