"""Feature 3: "fuzzed bytes never crash", in the readers of bytes; and that the fuzzer would notice."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.conversation import conversation
from tests.fuzz.draft import NOW, Step, at, messages, repaired
from tests.fuzz.pure import CLIENTS, Missed, inputs, run
from tests.fuzz.raw import torn
from tests.fuzz.recorded import recorded
from tests.fuzz.shrink import shrink
from tests.fuzz.targets import TARGETS, Target
from tests.wire import Parser

SEED = 20260101
MESSAGES = 5000
SECONDS = 15.0


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.__name__)
def test_whatever_comes_is_read_or_refused(target: Target) -> None:
    assert run(SEED, MESSAGES, SECONDS, [target]) > 0


def test_a_target_that_fails_is_noticed_and_its_input_made_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hates_zero_tags(data: bytes) -> None:
        if b"\x010=" in data:
            raise KeyError("0")

    monkeypatch.chdir(tmp_path)
    with pytest.raises(Missed, match=rf"seed {SEED}: hates_zero_tags: KeyError"):
        run(SEED, 100_000, 60, [hates_zero_tags])
    (kept,) = tmp_path.iterdir()
    assert kept.read_bytes() == b"\x010="


def test_the_same_seed_makes_the_same_messages() -> None:
    one, same, other = (list(islice(inputs(seed), 500)) for seed in (7, 7, 8))
    assert one == same and one != other


def test_times_are_set_when_it_is_sent_and_what_was_right_stays_right() -> None:
    moment = b"20260102-03:04:05.678"
    for who in CLIENTS:
        stream = at(b"".join(message.framed() for message in recorded(who)), moment)
        assert NOW not in stream and len(Parser().feed(stream)) == len(recorded(who))
    spoiled = recorded(CLIENTS[0])[0].framed()[:-4] + b"999\x01"
    assert at(spoiled, moment).endswith(b"\x0110=999\x01") and moment in at(spoiled, moment)


def test_a_torn_message_can_be_made_whole_again() -> None:
    """So that mistakes inside of it get past BodyLength and CheckSum."""
    stream = b"".join(message.framed() for message in recorded(CLIENTS[0]))
    chance, whole = Random(1), 0
    for _ in range(200):
        for part in map(repaired, messages(torn(chance, stream, stream))):
            try:
                whole += len(Parser().feed(part))
            except (AssertionError, ValueError):
                continue
    assert whole > 200


def test_the_smallest_is_found() -> None:
    steps = [Step(b"%d" % number, number) for number in range(100)]
    found = shrink(steps, lambda part: {17, 70} <= {step.next_number for step in part})
    assert [step.next_number for step in found] == [17, 70]


def test_every_kind_of_conversation_comes() -> None:
    kinds = {conversation(SEED, CLIENTS[0], number)[0] for number in range(100)}
    assert kinds == {"stranger", "structured", "session", "raw"}
