"""`fixgw admin reload` with other schedules, or another end of the day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from fixgw.admin.words import Reload
from tests.venue.calendar import Calendar, moving, next_weekday
from tests.venue.floor import EXPIRED, Member, logged_on
from tests.venue.operating import done, standing
from tests.venue.test_day import enter
from tests.venue.test_schedule import leave, refused

NEW_YORK = "America/New_York"
OFFICE = {"time_zone": NEW_YORK, "start": "08:00", "end": "17:00"}
HOUR = timedelta(hours=1)


@pytest.fixture
def ten() -> datetime:
    return next_weekday(0, "10:00", NEW_YORK)


@pytest.fixture
def venue(tmp_path: Path, ten: datetime) -> Iterator[Calendar]:
    sessions = {"ALPHA": {"schedule": "OFFICE"}, "CHARLIE": {"schedule": "OFFICE"}}
    with moving(tmp_path, sessions, ten, schedules={"OFFICE": OFFICE}) as venue:
        yield venue


def reload(venue: Calendar, change: Callable[[dict[str, Any]], object]) -> list[str]:
    settings = yaml.safe_load(venue.config.read_text())
    change(settings)
    venue.config.write_text(yaml.safe_dump(settings))
    return done(venue, Reload())


def test_hours_that_change_while_clients_are_connected(venue: Calendar, ten: datetime) -> None:
    """Who is outside of the new hours is told; who is inside does not notice."""
    members = [Member(venue, "M1-USD", name) for name in ("ALPHA", "CHARLIE")]
    for member in members:
        member.logon()
    bystander = Member(venue, "M1-USD", "BRAVO")
    bystander.logon()
    done_so = reload(venue, lambda file: file["schedules"]["OFFICE"].update(end="18:00"))
    assert done_so == ["~ schedule OFFICE: end 17:00 -> 18:00"]
    venue.move_to(ten.replace(hour=17, minute=30))
    assert all(member.settle() == [] for member in members)
    reload(venue, lambda file: file["schedules"]["OFFICE"].update(end="17:00"))
    for member in members:
        assert "the session has ended" in leave(member)
        assert "the session is closed" in refused(member)
        assert standing(venue, member.comp_id).state == "closed"
    reload(venue, lambda file: file["schedules"]["OFFICE"].update(end="18:00"))
    for member in members:
        assert member.logon().sequence == member.next_inbound - 1, "it is the same session"
        member.logout()
    assert bystander.settle() == []


def test_a_session_that_is_given_another_schedule(venue: Calendar, ten: datetime) -> None:
    """Of a name that came with the same file; and none in the end."""
    member = Member(venue, "M1-USD", "ALPHA")
    member.logon()

    def night(file: dict[str, Any]) -> None:
        file["schedules"] = {"NIGHT": OFFICE | {"start": "20:00", "end": "04:00"}}
        for name in "ALPHA", "CHARLIE":
            file["sessions"][name]["schedule"] = "NIGHT"

    reload(venue, night)
    assert leave(member).endswith(f"(Mon 20:00 {NEW_YORK})")
    assert "the session is closed" in refused(member)
    reload(venue, lambda file: file["sessions"]["ALPHA"].pop("schedule"))
    assert member.logon().sequence == member.next_inbound - 1
    venue.move_to(ten + 11 * HOUR)
    assert member.settle() == []
    member.logout()


def test_an_end_of_the_day_that_changes(venue: Calendar, ten: datetime) -> None:
    """The day that is goes on until the new end; if that was before, it ends at once."""
    day, following = f"{ten:%Y-%m-%d}", f"{ten + 24 * HOUR:%Y-%m-%d}"
    with logged_on(venue, "M1-USD", "BRAVO") as (member,):
        enter(member, "a")
        zone = {"time_zone": NEW_YORK, "end": "17:00"}
        reload(venue, lambda file: file.update(day=zone))
        assert venue.trading_day() == day and member.settle() == []
        venue.move_to(ten.replace(hour=17))
        member.told("a", EXPIRED)
        assert venue.trading_day() == following
        enter(member, "b")
        reload(venue, lambda file: file.update(day=zone | {"end": "20:00"}))
        venue.move_to(ten.replace(hour=21))
        assert venue.trading_day() == following and member.settle() == []
        venue.move_to(ten + 11 * HOUR + 12 * HOUR)
        reload(venue, lambda file: file.update(day=zone | {"end": "08:00"}))
        member.told("b", EXPIRED)
