"""NewPassword(925): a client that has shown its password chooses another one, which counts from then on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fixgw.admin.command import ask
from fixgw.admin.words import Reload
from tests.venue.floor import Floor, Member, running
from tests.venue.logons import hashed

FIRST, SECOND, THIRD = "first-pa55word", "second-pa55word", "third-pa55word"
DOOR = {"failed_logons_per_address": 100_000, "failed_logons_per_session": 100_000}


def settings(password: str) -> dict[str, dict[str, Any]]:
    """ALPHA and CHARLIE, each with that password in the settings; BRAVO has none."""
    versions = {"ALPHA": "FIX.4.4", "CHARLIE": "FIXT.1.1"}
    return {
        name: {"client": name, "begin_string": version, "password": password}
        for name, version in versions.items()
    }


def written(venue: Floor) -> list[bytes]:
    files = [path.read_bytes() for path in venue.data.rglob("*") if path.is_file()]
    return [venue.errors.encode(), *map(str.encode, venue.output), *files]


@pytest.fixture(scope="module", params=["plain", "hashed"])
def floor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    password = FIRST if request.param == "plain" else hashed(FIRST)
    directory = tmp_path_factory.mktemp("floor")
    with running(directory, sessions=settings(password), door=DOOR) as venue:
        yield venue
        assert venue.terminate() == 0
        for text in written(venue):
            assert not any(password.encode() in text for password in (FIRST, SECOND, THIRD))
        venue.start()


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def member(request: pytest.FixtureRequest, floor: Floor, market: str) -> Member:
    return Member(floor, market, request.param)


def log_on(member: Member, password: str, new: str = "") -> None:
    """With fresh numbers, and out again."""
    member.connect().send_logon(reset=True, extra=[(554, password), *([(925, new)] if new else [])])
    answer = member.expect("A")
    changed = "1" if new and member.begin_string == "FIXT.1.1" else None
    assert answer.get(1409) == changed, "SessionStatus"
    member.settle()
    member.logout()


def is_shut(member: Member, password: str) -> None:
    member.connect().send_logon(reset=True, extra=[(554, password)])
    assert member.expect_disconnect() == []


def test_the_new_one_counts_from_then_on(member: Member) -> None:
    log_on(member, FIRST, new=SECOND)
    is_shut(member, FIRST)
    log_on(member, SECOND)
    log_on(member, SECOND, new=THIRD)
    is_shut(member, SECOND)
    log_on(member, THIRD, new=FIRST)  # back, for the other tests
    log_on(member, FIRST)


def test_only_who_knows_the_old_one_can_change_it(member: Member) -> None:
    for credentials in [[(925, SECOND)], [(554, SECOND), (925, SECOND)], [(554, "x"), (925, FIRST)]]:
        member.connect().send_logon(reset=True, extra=credentials)
        assert member.expect_disconnect() == []
    is_shut(member, SECOND)
    log_on(member, FIRST)


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("short77", "NewPassword(925) must be 8 to 64 printable ASCII characters without blanks"),
        ("x" * 65, "NewPassword(925) must be 8 to 64 printable ASCII characters without blanks"),
        ("with a blank", "NewPassword(925) must be 8 to 64 printable ASCII characters without blanks"),
        ("with\ttabulator", "NewPassword(925) must be 8 to 64 printable ASCII characters without blanks"),
        (FIRST, "NewPassword(925) must not be the old one"),
    ],
)
def test_one_that_will_not_do_is_refused_in_words(member: Member, new: str, why: str) -> None:
    member.connect().send_logon(reset=True, extra=[(554, FIRST), (925, new)])
    member.next_inbound = int(member.expect("5", t58=why)[34])  # the reset was not taken
    assert member.expect_disconnect() == []
    log_on(member, FIRST)
    if new != FIRST:
        is_shut(member, new)


@pytest.mark.parametrize(
    ("extra", "sequence"), [([(4999, "x")], None), ([(108, 0)], None), ([], 1)], ids=["field", "108", "34"]
)
def test_a_logon_that_is_not_taken_changes_nothing(
    member: Member, extra: list[tuple[int, Any]], sequence: int | None
) -> None:
    """Refused by the venue or by QuickFIX."""
    log_on(member, FIRST)
    version: list[tuple[int, Any]] = [(1137, 9)] if member.begin_string == "FIXT.1.1" else []
    fields = [(98, 0), (108, 30), (554, FIRST), (925, SECOND), *version]
    fields = [each for each in fields if each[0] not in dict(extra)] + extra
    member.connect().send("A", fields, sequence=sequence or member.next_outbound)
    member.expect("5")
    assert member.expect_disconnect() == []
    is_shut(member, SECOND)
    log_on(member, FIRST)


def test_a_session_without_a_password_has_none_to_change(floor: Floor, market: str) -> None:
    member = Member(floor, market, "BRAVO").connect()
    member.send_logon(extra=[(925, SECOND)])
    member.expect("5", t58="NewPassword(925): this session has no password")
    assert member.expect_disconnect() == []


@pytest.mark.parametrize("kind", ["plain", "hashed"])
def test_it_outlives_the_venue_and_ends_with_the_operators_next_one(tmp_path: Path, kind: str) -> None:
    """kill -9 right after the answer, a clean stop, and another password in the settings."""

    def in_settings(password: str) -> str:
        return password if kind == "plain" else hashed(password)

    with Floor(tmp_path, sessions=settings(in_settings(FIRST)), door=DOOR) as venue:
        for name in ("ALPHA", "CHARLIE"):
            member = Member(venue, "M0-USD", name).connect()
            member.send_logon(reset=True, extra=[(554, FIRST), (925, SECOND)])
            member.expect("A")
        venue.kill9()
        restarted(venue, FIRST, SECOND)
        assert venue.terminate() == 0
        restarted(venue, FIRST, SECOND)
        assert venue.terminate() == 0
        configure(venue, in_settings(THIRD))
        restarted(venue, SECOND, THIRD)
        assert venue.terminate() == 0


def restarted(venue: Floor, shut: str, opens: str) -> None:
    venue.start()
    for name in ("ALPHA", "CHARLIE"):
        member = Member(venue, "M0-USD", name)
        is_shut(member, shut)
        log_on(member, opens)


def configure(venue: Floor, password: str) -> None:
    content = yaml.safe_load(venue.config.read_text())
    for name in ("ALPHA", "CHARLIE"):
        content["sessions"][name]["password"] = password
    venue.config.write_text(yaml.safe_dump(content))


@pytest.mark.parametrize("restarts", [True, False])
def test_the_operators_next_one_ends_it_for_good(tmp_path: Path, restarts: bool) -> None:
    """Also if the operator goes back to the line before: a file that is rolled back lets nobody in again."""
    with running(tmp_path, sessions=settings(FIRST), door=DOOR) as venue:
        member = Member(venue, "M1-USD", "ALPHA")
        log_on(member, FIRST, new=SECOND)
        for password in (THIRD, FIRST):
            lines = yaml.safe_load(venue.config.read_text())
            lines["sessions"]["ALPHA"]["password"] = password
            venue.config.write_text(yaml.safe_dump(lines))
            if restarts:
                assert venue.terminate() == 0
                venue.start()
                member = Member(venue, "M1-USD", "ALPHA")
            else:
                assert ask(venue.data, Reload()).lines == ["~ session ALPHA: password changed"]
            is_shut(member, SECOND)
            log_on(member, password)
