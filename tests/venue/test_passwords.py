"""Sessions with credentials: who has them comes in, who has not is closed without a word; no password is ever
written down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.raw import BUY
from tests.venue.floor import NEW, Floor, Member, running

ALPHA, CHARLIE = "alpha-pa55word!", "charlie-s3cret#"
SESSIONS = {
    "ALPHA": {"client": "ALPHA", "password": ALPHA},
    "CHARLIE": {
        "client": "CHARLIE", "begin_string": "FIXT.1.1", "username": "charles", "password": CHARLIE,
    },
}  # fmt: skip
RIGHT: dict[str, list[tuple[int, object]]] = {
    "ALPHA": [(554, ALPHA)],
    "CHARLIE": [(553, "charles"), (554, CHARLIE)],
}
WRONG: list[tuple[str, list[tuple[int, object]]]] = [
    ("ALPHA", []),
    ("ALPHA", [(554, "")]),
    ("ALPHA", [(554, ALPHA[:-1])]),
    ("ALPHA", [(554, ALPHA + "x")]),
    ("ALPHA", [(554, ALPHA.upper())]),
    ("ALPHA", [(554, CHARLIE)]),
    ("ALPHA", [(58, ALPHA)]),
    ("ALPHA", [(554, b"\xff\xfe")]),
    ("CHARLIE", [(554, CHARLIE)]),
    ("CHARLIE", [(553, "charles")]),
    ("CHARLIE", [(553, "Charles"), (554, CHARLIE)]),
    ("CHARLIE", [(553, CHARLIE), (554, "charles")]),
]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """At the end neither what the venue wrote to its log nor any file of it holds a password."""
    directory = tmp_path_factory.mktemp("floor")
    with running(directory, sessions=SESSIONS) as venue:
        yield venue
        assert venue.terminate() == 0
        written = [venue.errors.encode(), *map(str.encode, venue.output)]
        written += [path.read_bytes() for path in venue.data.rglob("*") if path.is_file()]
        assert sum(map(len, written)) > 100_000
        for secret in (ALPHA, CHARLIE):
            assert not any(secret.encode() in text for text in written)
        venue.start()


@pytest.mark.parametrize("session", RIGHT)
def test_the_right_password_opens(floor: Floor, market: str, session: str) -> None:
    member = Member(floor, market, session)
    member.logon(reset=True, extra=RIGHT[session])
    member.settle()
    member.new("a", BUY, "1", "100")
    member.told("a", NEW)
    member.logout()
    assert not any(value in (ALPHA, CHARLIE) for each in member.received for _, value in each.fields)


@pytest.mark.parametrize(("session", "credentials"), WRONG)
def test_any_other_is_closed_without_a_word(
    floor: Floor, market: str, session: str, credentials: list[Any]
) -> None:
    """Also with ResetSeqNumFlag=Y, which must not touch the numbers of the session."""
    before = floor.status()[f"session {session}"]
    for reset in False, True:
        member = Member(floor, market, session).connect()
        member.send_logon(reset=reset, extra=credentials)
        assert member.expect_disconnect() == []
    assert floor.status()[f"session {session}"] == before


def test_a_session_in_use_is_not_told_to_who_has_no_password(floor: Floor, market: str) -> None:
    """The one inside stays, and the stranger learns nothing."""
    member = Member(floor, market, "ALPHA")
    member.logon(reset=True, extra=RIGHT["ALPHA"])
    member.settle()
    for credentials in [[], [(554, "guess")]]:
        stranger = Member(floor, market, "ALPHA").connect()
        stranger.send_logon(extra=credentials)
        assert stranger.expect_disconnect() == []
    assert member.settle() == []
    member.logout()


def test_a_password_sent_where_it_does_not_belong_is_not_kept(floor: Floor, market: str) -> None:
    """In a first message that is no Logon, in one that is garbled, and in a Logon in the middle."""
    for msg_type, extra in (("D", {}), ("A", {"checksum": "000"}), ("A", {"body_length": 5})):
        stranger = Member(floor, market, "ALPHA").connect()
        stranger.send(msg_type, [(98, 0), (108, 30), (554, ALPHA)], **extra)
        assert stranger.expect_disconnect() == []
    member = Member(floor, market, "ALPHA")
    member.logon(reset=True, extra=RIGHT["ALPHA"])
    member.settle()
    member.send_logon(extra=[(554, ALPHA)])
    with suppress(AssertionError):
        member.settle(2.0)
    member.close()
