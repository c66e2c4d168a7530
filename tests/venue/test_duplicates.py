"""A ClOrdID is used once: for D, F and G alike, across a client's sessions, after any restart, atomically."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.process import VenueProcess
from tests.raw import BUY
from tests.venue.floor import CANCELED, DUPLICATE, NEW, REPLACED, SESSIONS, Floor, Member, content, logged_on

COPIES = 100
KINDS = ["D", "F", "G"]


@contextmanager
def frozen(venue: VenueProcess) -> Iterator[None]:
    """What is sent inside arrives at one moment."""
    os.kill(venue.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(venue.pid, signal.SIGCONT)


def request(member: Member, kind: str, name: str, original: str = "", **more: Any) -> None:
    """A message of that MsgType under the id `name`; all else is right."""
    if kind == "D":
        member.new(name, BUY, "1", "100", **more)
    elif kind == "F":
        member.cancel(name, original, **more)
    else:
        member.replace(name, original, BUY, "2", "100", **more)


def use(member: Member, kind: str, name: str) -> None:
    """Has the id accepted by a message of that MsgType."""
    if kind != "D":
        request(member, "D", f"for-{name}")
        member.told(f"for-{name}", NEW)
    request(member, kind, name, f"for-{name}")
    member.told(name, {"D": NEW, "F": CANCELED, "G": REPLACED}[kind])


def refused_twice(member: Member, name: str) -> list[dict[int, str]]:
    """All three kinds are refused for the id; what the refusals said."""
    said = []
    for kind in KINDS:
        request(member, kind, name, "live")
        if kind == "D":
            report = member.refused(name, 6, t58=DUPLICATE, t37="NONE")
        else:
            report = member.request_refused(name, "live", 6, t58=DUPLICATE, t39="0")
        said.append(content(report))
    return said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("first", "second"), [("ALPHA", "ALPHA2"), ("CHARLIE", "CHARLIE2")])
def test_a_used_id_is_refused_on_every_session_of_the_client(
    floor: Floor, market: str, kind: str, first: str, second: str
) -> None:
    """Feature 10. "A ClOrdID this client used today is refused with 35=8, 150=8, 39=8, 103=6, 58=Duplicate
    ClOrdID (35=9 with 102=6 for F and G), across its sessions". Another client's is another id."""
    with logged_on(floor, market, first, second, "BRAVO") as (one, two, bravo):
        use(one, "D", "live")
        use(one, kind, "a")
        before = floor.status()["journal"]
        assert refused_twice(one, "a") == refused_twice(two, "a")
        one.new("a", "9", "-1", "0.001", "9")
        one.expect("8", t103=6, t58=DUPLICATE)  # whatever else is wrong
        assert floor.status()["journal"] == before
        use(bravo, kind, "a")


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_hundred_copies_at_once_one_is_accepted(floor: Floor, market: str, kind: str) -> None:
    """Feature 11: over four sessions of one client, all there before the venue looks."""
    sessions = ["ALPHA", *(f"ALPHA{number}" for number in range(2, SESSIONS + 1))]
    with logged_on(floor, market, *sessions) as members:
        use(members[0], "D", "original")
        before = int(floor.status()["journal"].split()[0])
        with frozen(floor):
            for number in range(COPIES):
                request(members[number % SESSIONS], kind, "a", "original")
        answers = [message for member in members for message in member.settle()]
        accepted = {message[37] for message in answers if message.msg_type == "8" and message[150] != "8"}
        refused = [message for message in answers if message.get(58) == DUPLICATE]
        assert len(accepted) == 1 and len(refused) == COPIES - 1
        assert int(floor.status()["journal"].split()[0]) == before + 1


def test_a_retry_storm_changes_nothing(floor: Floor, market: str) -> None:
    """Feature 14: one id, two thousand times, while another client goes on."""
    with logged_on(floor, market, "ALPHA", "BRAVO") as (alpha, bravo):
        use(alpha, "D", "a")
        before = int(floor.status()["journal"].split()[0])
        for turn in range(20):
            for _ in range(100):
                request(alpha, "D", "a")
            use(bravo, "D", f"b{turn}")
        answers = alpha.settle()
        assert len(answers) == 2000 and {message.get(58) for message in answers} == {DUPLICATE}
        assert int(floor.status()["journal"].split()[0]) == before + 20


def test_a_refused_id_is_free_at_once(floor: Floor, market: str) -> None:
    """ "An id is spent only when its command is journaled": also within one cycle."""
    with logged_on(floor, market, "ALPHA", "ALPHA2") as (one, two):
        with frozen(floor):
            one.new("a", BUY, "1", "100.001")
            one.cancel("a", "never")
            one.replace("a", "never", BUY, "1", "100")
            one.new("a", BUY, "1", "100")
            one.new("a", BUY, "1", "100")
        one.refused("a", 99)
        one.request_refused("a", "never", 1)
        one.request_refused("a", "never", 1)
        one.told("a", NEW)
        one.refused("a", 6)
        two.new("a", BUY, "1", "100")
        two.refused("a", 6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_possible_resend_is_processed_if_not_seen_and_ignored_if_seen(
    floor: Floor, market: str, kind: str
) -> None:
    """Test case 19: "PossResend=Y with an id seen is ignored, not seen is processed"."""
    with logged_on(floor, market, "ALPHA", "ALPHA2") as (one, two):
        use(one, "D", "original")
        request(one, kind, "a", "original", possresend=True)
        one.told("a", {"D": NEW, "F": CANCELED, "G": REPLACED}[kind])
        for member in one, two:
            request(member, kind, "a", "original", possresend=True)
            assert member.settle() == []
        request(one, kind, "a", "original")
        assert one.receive()[58] == DUPLICATE


@pytest.mark.parametrize("stop", ["terminate", "kill9"])
def test_after_a_restart_the_answer_is_the_same(tmp_path: Path, stop: str) -> None:
    """Features 12 and 13: also after kill -9 right after the answer; D, F and G, on another session."""
    market = "M1-USD"
    with Floor(tmp_path) as venue:
        with logged_on(venue, market, "ALPHA") as (alpha,):
            use(alpha, "D", "live")
            for kind in KINDS:
                use(alpha, kind, kind)
            before = [refused_twice(alpha, kind) for kind in KINDS]
            use(alpha, "D", "last")
            if stop == "kill9":
                venue.kill9()
                alpha.close()
        if stop == "terminate":
            assert venue.terminate() == 0
        venue.start()
        with logged_on(venue, market, "ALPHA2") as (again,):
            assert [refused_twice(again, kind) for kind in KINDS] == before
            again.new("last", BUY, "1", "100")
            again.refused("last", 6, t58=DUPLICATE)
            request(again, "F", "gone", "last")
            again.told("gone", CANCELED)
