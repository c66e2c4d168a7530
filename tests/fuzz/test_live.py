"""Feature 3: hostile bytes stop neither the venue nor anyone in it; a bounded run of what
`python -m tests.fuzz` does at length."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fuzz import suspects
from tests.fuzz.draft import Identity, Step, at
from tests.fuzz.live import Found, run
from tests.fuzz.place import ATTACKERS, MARKET, Watch, floor, identity
from tests.fuzz.recorded import recorded
from tests.fuzz.suspects import fails, keep_smallest, read
from tests.venue.floor import CANCELED, NEW, REPLACED, STATUS, Member

MESSAGES = 5000
GROWTH = 16.0
"""MiB of the venue's own memory that an attack may cost"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [20260101])
def test_the_venue_and_who_is_in_it_go_on_under_attack(tmp_path: Path, seed: int) -> None:
    """The honest client's orders are answered, each step once; no traceback; memory stays; the state after a
    kill and a restart is the same. (In `run`.)"""
    report = run(tmp_path, seed, MESSAGES, rate=100.0, quiet=2.0)
    assert report.messages >= MESSAGES and report.during
    assert report.answers > MESSAGES / 4, "most of what was sent has met no one"
    assert report.memory[1] < report.memory[0] + GROWTH


@pytest.mark.parametrize("name", ATTACKERS[::2])
def test_what_the_hostile_is_made_of_is_good(tmp_path: Path, name: str) -> None:
    """Else its mistakes would not be the only ones."""
    *said, logout = [at(message.framed()) for message in recorded(identity(name))]
    with floor(tmp_path) as venue:
        member = Member(venue, MARKET, name)
        member.connect()
        member.send_bytes(b"".join(said))
        answers = [member.receive()]
        while {"r", "y"} - {answer.msg_type for answer in answers}:
            answers.append(member.receive())
        member.send_bytes(logout)
        answers += member.expect_disconnect()
    assert not [answer for answer in answers if answer.msg_type in "3j9" or answer.get(150) == "8"]
    told = [answer[150] for answer in answers if answer.msg_type == "8" and not answer.possible_duplicate]
    resting = [NEW, NEW, REPLACED]
    at_once = [NEW, CANCELED]
    assert [each for each in told if each != STATUS] == [
        NEW, REPLACED, CANCELED, *[NEW, CANCELED] * 4, *resting, *at_once, CANCELED, CANCELED,
    ]  # fmt: skip
    assert told.count(STATUS) == 3 and {"f", "h", "r", "y"} <= {answer.msg_type for answer in answers}
    assert answers[-1].msg_type == "5" and answers[-1].get(58) is None


def test_a_venue_that_dies_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here by our own hand, so none of the conversations does it again; all that may have are kept."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suspects, "fails", lambda *_: False)
    asked = iter([True] * 5)

    def killed(watch: Watch) -> bool:
        if not next(asked, False):
            watch._venue.kill9()
            return False
        return True

    monkeypatch.setattr(Watch, "__call__", killed)
    with pytest.raises(Found, match=r"(?s)seed 3: .*\nnone of the conversations under way does it alone"):
        run(tmp_path, 3, 2000, rate=50.0, quiet=0.1)
    kept = list(tmp_path.glob("fuzz-3.*.json"))
    assert kept and all(read(path)[1] for path in kept)


def test_a_conversation_that_does_it_alone_is_made_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept can be read and said again. The venue is not really asked: it would live."""

    def breaks(_: object, who: Identity, steps: list[Step]) -> bool:
        return any(b"\x0111=" in step.data for step in steps)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suspects, "_breaks", breaks)
    venue = SimpleNamespace(kill9=lambda: None, start=lambda: None)
    monkeypatch.setattr(suspects, "_venue", lambda _: nullcontext(venue))
    said = keep_smallest(tmp_path, 3, [(identity("ALPHA"), 2), (identity("CHARLIE"), 2)])
    assert "does it alone" in said
    who, steps = read(tmp_path / "fuzz-3.json")
    assert [step.data for step in steps] == [b"\x0111="]
    monkeypatch.undo()
    assert not fails(tmp_path, who, steps)
