"""What one hostile connection sends, made from a seed alone."""

from __future__ import annotations

from random import Random

from tests.fuzz.draft import Draft, Identity, Step, draft, messages, repaired
from tests.fuzz.raw import torn
from tests.fuzz.recorded import RUN, logon, of_run, recorded
from tests.fuzz.structured import HEADER, session_message, spoiled

KINDS = {"stranger": 2, "structured": 5, "session": 2, "raw": 3}
"""what a connection can be, and how often"""


_TAGS = [b"35", b"34", b"49", b"52", b"56"]
"""of a right header"""


def conversation(seed: object, who: Identity, number: int) -> tuple[str, list[Step]]:
    """Its kind and its steps; the same for the same arguments."""
    chance = Random(f"{seed} {who.comp_id} {number}")
    (kind,) = chance.choices(list(KINDS), list(KINDS.values()))
    run = b"%b%d" % (who.comp_id.encode(), number)
    if kind == "stranger":
        return kind, _stranger(chance, who)
    if kind == "raw":
        return kind, _raw(chance, who, run)
    first = logon(who) if kind == "structured" else _logon(chance, who)
    steps = [_step(chance, first, int(dict(first.fields)[b"34"]))]
    for _ in range(chance.choice([5, 20, 60])):
        steps += _one(chance, kind, who, run, steps[-1].next_number)
        if steps[-1].last:
            break
    return kind, steps


def _logon(chance: Random, who: Identity) -> Draft:
    """One that resets the numbers, or goes on with some."""
    if chance.random() < 0.5:
        return logon(who)
    numbers = [1, 2, 3, 10, 50, 1000, 10**6, 2**31 - 1]
    expected = chance.choice([[], [(789, chance.choice(numbers))]])
    body = [(98, 0), (108, chance.choice([1, 30])), *expected, (1137, 9)]
    return draft(who, chance.choice(numbers), "A", body if who.begin_string == "FIXT.1.1" else body[:-1])


def _stranger(chance: Random, who: Identity) -> list[Step]:
    """Before the Logon: a spoiled one, or something else in its place."""
    first = spoiled(chance, chance.choice([logon(who), logon(who), *recorded(who)]))
    steps = [_step(chance, first)]
    if chance.random() < 0.3:
        steps.append(Step(torn(chance, first.framed(), first.framed()), 1, chance.choice([1, 3, 40])))
    return steps


def _one(chance: Random, kind: str, who: Identity, run: bytes, number: int) -> list[Step]:
    """The next message, and now and then a storm of its like."""
    storm = chance.choice([1] * 20 + [10, 50])
    steps: list[Step] = []
    for _ in range(storm):
        if kind == "session":
            message = session_message(chance, who, number)
            if chance.random() < 0.2:
                message = spoiled(chance, message)
        else:
            message = _numbered(chance.choice(recorded(who)[1:-1]), run, number)
            if chance.random() < 0.75:
                message = spoiled(chance, message)
        steps.append(_step(chance, message, number))
        number = steps[-1].next_number
    return steps


def _raw(chance: Random, who: Identity, run: bytes) -> list[Step]:
    """A good conversation with holes in it; half of them with a BodyLength and CheckSum that fit again."""
    stream = b"".join([message.framed() for message in recorded(who)]).replace(RUN, run)
    head = messages(stream)[:1] if chance.random() < 0.8 else []
    rest = stream[len(b"".join(head)) :]
    parts = messages(torn(chance, rest * chance.choice([1, 1, 4]), stream))
    if chance.random() < 0.5:
        parts = [repaired(part) for part in parts]
    return [Step(part, number, _pieces(chance)) for number, part in enumerate([*head, *parts], 2)]


def _numbered(message: Draft, run: bytes, number: int) -> Draft:
    """With another MsgSeqNum (a gap fill: and the next), and ClOrdIDs that a few messages share, so that one
    can name another."""
    given = {b"34": b"%d" % number, b"36": b"%d" % (number + 1)}
    named = of_run(message, b"%b.%d" % (run, number // 10))
    return named.having([(tag, given.get(tag, text)) for tag, text in named.fields])


def _step(chance: Random, message: Draft, number: int = 1) -> Step:
    return Step(message.framed(), _after(message, number), _pieces(chance), _ends(chance, message))


def _after(message: Draft, number: int) -> int:
    """The number that should follow: a SequenceReset may name it."""
    fields = dict(message.fields)
    named = fields.get(b"36", b"")
    if fields.get(b"35") == b"4" and named.isdigit() and number < int(named[:20]) < 2**31:
        return int(named)
    return number + message.counted


def _ends(chance: Random, message: Draft) -> bool:
    """Whether the session is thought to be over: now and then more is said all the same."""
    whole = message.length is None and [tag for tag, _ in message.fields[:HEADER]] == _TAGS
    over = (b"35", b"5") in message.fields or ((b"35", b"4") in message.fields and _after(message, 0) == 1)
    return (over or not whole) and chance.random() < 0.7


def _pieces(chance: Random) -> int:
    return chance.choice([1] * 30 + [2, 3, 40])
