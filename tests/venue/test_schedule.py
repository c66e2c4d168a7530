"""Sessions with a schedule: closed outside of it, told when it ends, numbers that begin again with each, and
no report lost in between. The venue runs with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.raw import BUY, SELL, Disconnected, NothingCame, RawClient, Received
from tests.venue.calendar import Calendar, moving, next_weekday
from tests.venue.floor import GTC, NEW, TRADE, Member

NEW_YORK = "America/New_York"
SCHEDULES = {
    "OFFICE": {"time_zone": NEW_YORK, "start": "08:00", "end": "17:00",
               "days": ["Mon", "Tue", "Wed", "Thu", "Fri"]},
    "ROUND": {"time_zone": NEW_YORK, "start": "17:00", "end": "17:00"},
    "WEEK": {"time_zone": NEW_YORK, "start": "Sun 17:00", "end": "Fri 17:00", "connect_from": "07:00",
             "connect_until": "19:00"},
    "GOES-ON": {"time_zone": NEW_YORK, "start": "08:00", "end": "17:00", "reset": "no"},
}  # fmt: skip
FOLLOWS = {
    "ALPHA": "OFFICE", "CHARLIE": "OFFICE", "ALPHA2": "ROUND", "CHARLIE2": "ROUND", "ALPHA3": "WEEK",
    "CHARLIE3": "WEEK", "ALPHA4": "GOES-ON",
}  # fmt: skip
MONDAY, SUNDAY = 0, 6
HOUR = timedelta(hours=1)


@pytest.fixture
def ten() -> datetime:
    """10:00 of a Monday in New York: all are open."""
    return next_weekday(MONDAY, "10:00", NEW_YORK)


@pytest.fixture
def venue(tmp_path: Path, ten: datetime) -> Iterator[Calendar]:
    sessions = {name: {"schedule": schedule} for name, schedule in FOLLOWS.items()}
    with moving(tmp_path, sessions, ten, schedules=SCHEDULES) as venue:
        yield venue


@pytest.fixture
def client(venue: Calendar) -> Callable[[str], Member]:
    """A new client of a session, with fresh numbers."""
    return lambda session: Member(venue, "M1-USD", session)


Clients = Callable[[str], Member]


def leave(member: RawClient) -> str:
    """The venue's Logout comes next; the client answers and is let go. Returns what it says."""
    logout = member.expect("5")
    member.send("5")
    member.expect_disconnect()
    return logout[58]


def refused(member: RawClient, reset: bool = False) -> str:
    """A Logon that is answered with a Logout, and what it says. It does not count, but the answer does."""
    member.connect()
    numbers = member.next_outbound, member.next_inbound
    member.send_logon(reset=reset)
    (logout,) = member.expect_disconnect()
    assert (logout.msg_type, logout.sequence) == ("5", numbers[1])
    member.next_outbound, member.next_inbound = numbers[0], numbers[1] + 1
    return logout[58]


def rest(member: Member, name: str, side: str = BUY) -> None:
    member.new(name, side, "1", "100", time_in_force=GTC)
    member.told(name, NEW)


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_a_daily_session_from_end_to_begin(
    venue: Calendar, client: Clients, ten: datetime, session: str
) -> None:
    """Told at the end, refused until the next, whatever the Logon asks for, and then both begin with 1."""
    member = client(session)
    member.logon()
    rest(member, "a")
    venue.move_to(ten.replace(hour=17))
    opens = ten + 22 * HOUR
    when = f"it opens {opens.astimezone(UTC):%Y%m%d-%H:%M:%S} UTC (Tue 08:00 {NEW_YORK})"
    assert leave(member) == f"the session has ended; {when}"
    for reset in False, True:
        assert refused(member, reset) == f"the session is closed; {when}"
    venue.move_to(opens)
    member = client(session)
    assert member.logon()[34] == "1"
    assert member.settle() == [], "all had arrived"
    rest(member, "b")
    assert [message.sequence for message in member.received] == [1, 2, 3]
    member.logout()


@pytest.mark.parametrize("session", ["ALPHA2", "CHARLIE2"])
def test_a_session_that_begins_as_another_ends(
    venue: Calendar, client: Clients, ten: datetime, session: str
) -> None:
    """A client that is connected then is told, and may log on again at once."""
    member = client(session)
    member.logon()
    rest(member, "a")
    member.settle()
    venue.move_to(ten.replace(hour=17))
    assert leave(member) == "the session has ended; the next is open now"
    member = client(session)
    assert member.logon()[34] == "1"
    rest(member, "b")
    assert member.settle() == []
    venue.move_to(ten + 31 * HOUR)
    assert leave(member) == "the session has ended; the next is open now"
    assert client(session).logon()[34] == "1"


@pytest.mark.parametrize("session", ["ALPHA3", "CHARLIE3"])
def test_a_week_with_its_nights_and_its_weekend(
    venue: Calendar, client: Clients, ten: datetime, session: str
) -> None:
    """The window of each day ends connections and leaves the numbers; the week ends both."""
    member = client(session)
    for day in range(5):
        monday_or_later = ten + day * 24 * HOUR
        venue.move_to(monday_or_later)
        assert member.logon().sequence == member.next_inbound - 1, "numbers go on"
        rest(member, f"day-{day}")
        member.settle()
        if day < 4:
            venue.move_to(monday_or_later.replace(hour=19))
            assert leave(member).startswith("today's connection time has ended; it opens ")
            venue.move_to(monday_or_later.replace(hour=23))
            assert refused(member).endswith(f" 07:00 {NEW_YORK})")
    venue.move_to((ten + 96 * HOUR).replace(hour=17))
    assert "the session has ended" in leave(member)
    venue.move_to(ten + 120 * HOUR)
    assert refused(member).endswith(f"(Sun 17:00 {NEW_YORK})")
    venue.move_to((ten + 144 * HOUR).replace(hour=17))
    member = client(session)
    assert member.logon()[34] == "1"
    member.logout()


def test_numbers_that_are_not_to_begin_again(venue: Calendar, client: Clients, ten: datetime) -> None:
    member = client("ALPHA4")
    member.logon()
    rest(member, "a")
    venue.move_to(ten.replace(hour=17))
    assert "the session has ended" in leave(member)
    venue.move_to(ten + 24 * HOUR)
    assert member.logon().sequence == member.next_inbound - 1 > 3
    member.logout()


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_a_logout_that_is_not_answered(venue: Calendar, client: Clients, ten: datetime, session: str) -> None:
    """The connection ends all the same, also that of a client with heartbeats each second; what was not
    proven to have arrived comes again with the next session."""
    member = client(session)
    member.logon(heartbeat=1)
    rest(member, "a")
    venue.move_to(ten.replace(hour=17))
    came = []
    with suppress(Disconnected, ConnectionError):
        while True:
            member.send("0")
            with suppress(NothingCame):
                came.append(RawClient.receive(member, 0.2).msg_type)
    assert "5" in came and "8" not in came
    venue.move_to(ten + 22 * HOUR)
    assert reports(resumed(client(session))) == [("a", NEW, "Y")]


def resumed(member: Member) -> Member:
    """Logs on without a reset, and asks for what it finds missing."""
    number = member.logon().sequence
    if number > 1:
        member.send("2", [(7, 1), (16, 0)])
    member.settle()
    return member


def reports(member: Member) -> list[tuple[str, str, str | None]]:
    """(ClOrdID, ExecType, PossResend) of all it was sent, by number."""
    came = sorted({each.sequence: each for each in member.received if each.msg_type == "8"}.items())
    return [(each[11].split(".")[1], each[150], each.get(97)) for _, each in came]


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
@pytest.mark.parametrize("reset", [False, True])
def test_a_fill_while_the_session_is_closed(
    venue: Calendar, client: Clients, ten: datetime, session: str, reset: bool
) -> None:
    """Feature 56: what is born under the old numbers comes first under the new ones, then what is born under
    those; with ResetSeqNumFlag, too."""
    member, other = client(session), client("BRAVO")
    member.logon()
    other.logon()
    for name in "before", "after":
        rest(member, name)
    venue.move_to(ten.replace(hour=17))
    leave(member)
    for hour, name in (18, "s1"), (32, "s2"):
        venue.move_to(ten.replace(hour=0) + hour * HOUR)
        if hour == 32:
            wait_for_reset(venue, session)
        other.new(name, SELL, "1", "100")
        other.told(name, NEW)
        other.told(name, TRADE)
    member = client(session)
    if reset:
        assert member.logon(reset=True)[34] == "1"
        member.settle()
        assert reports(member) == [("before", TRADE, "Y"), ("after", TRADE, "Y")]
    else:
        assert reports(resumed(member)) == [("before", TRADE, "Y"), ("after", TRADE, None)]
        assert [each[43] for each in member.received if each.msg_type == "8"] == ["Y", "Y"]


def wait_for_reset(venue: Calendar, session: str) -> None:
    """Until its numbers have begun again: in is 1, and no client has logged on since."""
    while "next in 1 " not in venue.status()[f"session {session}"]:
        assert venue.process.poll() is None


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_a_client_that_does_not_follow_the_schedule(
    venue: Calendar, client: Clients, ten: datetime, session: str
) -> None:
    """It logs on with its old numbers: the venue is at 1 and asks for all it seems to have missed. Once the
    client fills the gap, and takes the low number, all is well."""
    member = client(session)
    member.logon()
    rest(member, "a")
    member.logout()
    number = member.next_outbound
    venue.move_to(ten + 24 * HOUR)
    assert member.logon()[34] == "1"
    member.expect("2", t34=2, t7=1, t16=0)
    member.send("4", [(123, "Y"), (36, number + 1)], sequence=1, possdup=True)
    rest(member, "b")
    member.logout()


@pytest.mark.parametrize("way", ["terminate", "kill9"])
def test_what_was_missed_while_the_venue_was_down(
    venue: Calendar, client: Clients, ten: datetime, way: str
) -> None:
    """Done before the door opens, once, for whom a session has begun meanwhile and for no one else."""
    names = ["ALPHA", "ALPHA2", "ALPHA3", "ALPHA4", "BRAVO", "CHARLIE"]
    members = {name: client(name) for name in names}
    for member in members.values():
        member.logon()
        rest(member, member.comp_id)
        assert way == "kill9" or member.logout()
    getattr(venue, way)()
    venue.move_to(ten + 24 * HOUR)
    for _ in range(2):
        venue.start()
        resets = [deed.split()[1] for deed in venue.deeds("calendar") if "reset" in deed]
        assert sorted(resets) == ["ALPHA", "ALPHA2", "CHARLIE"]
        venue.kill9()
    venue.start()
    for name, member in members.items():
        fresh = name in resets
        again = client(name) if fresh else member
        again.address = (venue.host, venue.port)
        again.connect()
        if fresh:
            resumed(again)
            assert reports(again) == ([(name, NEW, "Y")] if way == "kill9" else [])
        else:
            assert again.logon().sequence > 2
        again.settle()
        again.logout()


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
def test_what_is_carried_over_a_start_is_the_first_of_the_new_numbers(
    venue: Calendar, client: Clients, ten: datetime, session: str
) -> None:
    """Also for a client that logs on as soon as the door is open."""
    member = client(session)
    member.logon()
    rest(member, "a")
    venue.kill9()
    venue.move_to(ten + 24 * HOUR)
    venue.start()
    member = client(session)
    assert member.logon().sequence == 2
    member.send("2", [(7, 1), (16, 1)])
    member.expect("8", t34=1, t43="Y", t97="Y", t11=member.id("a"))


def test_a_venue_that_starts_while_sessions_are_closed(
    venue: Calendar, client: Clients, ten: datetime
) -> None:
    """Numbers belong to the last session until the next begins: what is said meanwhile takes none of its
    numbers."""
    member = client("ALPHA")
    member.logon()
    member.logout()
    venue.terminate()
    venue.move_to(ten + 10 * HOUR)
    venue.start()
    member.address = (venue.host, venue.port)
    assert "is closed" in refused(member)
    assert not [deed for deed in venue.deeds("calendar") if "reset" in deed]
    venue.move_to(ten + 22 * HOUR)
    member = client("ALPHA")
    assert member.logon()[34] == "1"
    member.logout()


def test_a_clock_set_back_over_the_begin(venue: Calendar, client: Clients, ten: datetime) -> None:
    """It does not bring the old session back, nor its end a second time."""
    venue.move_to(ten.replace(hour=17))
    wait_for_reset(venue, "ALPHA2")
    member = client("ALPHA2")
    member.logon()
    rest(member, "a")
    member.logout()
    venue.terminate()
    venue.move_to(ten)
    venue.start()
    member.address = (venue.host, venue.port)
    assert member.logon().sequence == member.next_inbound - 1 > 3
    venue.move_to(ten.replace(hour=17))
    rest(member, "b")
    assert member.settle() == []
    member.logout()


def test_a_schedule_that_is_given_to_a_session_with_numbers(
    venue: Calendar, client: Clients, ten: datetime
) -> None:
    """They go on until the next session begins; and again, once it follows none."""
    member = client("BRAVO")
    member.logon()
    member.logout()
    text = venue.config.read_text()
    for schedule in "schedule: OFFICE", "schedule: ''":
        assert venue.terminate() == 0
        given = text.replace("BRAVO: {", f"BRAVO: {{{schedule}, ", 1)
        assert given != text
        venue.config.write_text(given)
        venue.start()
        member.address = (venue.host, venue.port)
        assert member.logon().sequence == member.next_inbound - 1 > 2
        member.logout()


def test_wrong_credentials_learn_nothing_of_the_schedule(
    venue: Calendar, client: Clients, ten: datetime
) -> None:
    venue.move_to(ten.replace(hour=17))
    stranger = RawClient(venue.host, venue.port, "DELTA").connect()
    stranger.send_logon()
    assert stranger.expect_disconnect() == []


@pytest.mark.parametrize("fold", ["America/New_York", "Australia/Lord_Howe"])
def test_days_on_which_clocks_are_set(tmp_path: Path, fold: str) -> None:
    """A session of 24 hours by the clock ends when the clock says so, on both edges: not a minute before."""
    sessions = {name: {"schedule": "ALL-DAY"} for name in ("ALPHA", "CHARLIE")}
    schedules = {"ALL-DAY": {"time_zone": fold}}
    edges = days_on_which_clocks_are_set(fold)
    with moving(tmp_path, sessions, edges[0] - HOUR, schedules=schedules) as venue:
        for midnight in edges:
            venue.move_to(midnight - HOUR)
            wait_for_reset(venue, "ALPHA")
            members = [Member(venue, "M1-USD", name) for name in sessions]
            for member in members:
                member.logon(reset=True)
                member.settle()
                member.logout()
            venue.move_to(midnight - timedelta(seconds=30))
            for member in members:
                member.logon()
                member.settle()
            venue.move_to(midnight)
            for member in members:
                assert "the next is open now" in leave(member)


def days_on_which_clocks_are_set(zone: str) -> list[datetime]:
    """The midnights at the end of the next two."""
    day, found = next_weekday(MONDAY, "00:00", zone), []
    while len(found) < 2:
        following = (day.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=day.tzinfo)
        if day.utcoffset() != following.utcoffset():
            found.append(following)
        day = following
    return found


def test_every_answer_is_kept_in_order(venue: Calendar, client: Clients, ten: datetime) -> None:
    """Orders on their way when the session ends are answered before its Logout is."""
    member = client("ALPHA2")
    member.logon()
    venue.move_to(ten.replace(hour=17))
    came: list[Received] = []
    count = 0
    try:
        while not came or came[-1].msg_type != "5":
            count += 1
            member.new(f"n{count}", BUY, "1", "100", time_in_force=GTC)
            came.append(member.receive())
        member.send("5")
        came += member.expect_disconnect()
    except Disconnected:
        pass
    told = [message[11] for message in came if message.msg_type == "8"]
    assert told == [member.id(f"n{number}") for number in range(1, count + 1)]
    assert [message.sequence for message in came] == list(range(2, 2 + len(came)))
