"""Mistakes made on purpose by someone who knows FIX: each function spoils one message in one way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.fuzz.draft import NOW, Draft, Field, Identity, draft
from tests.fuzz.hostile import BEGINS, NUMBERS, TAGS, TYPES, VALUES

Mistake = Callable[[Random, Draft], Draft]


HEADER = 5
"""fields of a right header, MsgType first"""


def _place(chance: Random, message: Draft, first: int = 0) -> int:
    """Of a field: mostly one behind the header, as most mistakes in the header end the session."""
    first = HEADER if chance.random() < 0.85 else first
    return chance.randrange(min(first, len(message.fields) - 1), len(message.fields))


def _with(message: Draft, place: int, *fields: Field) -> Draft:
    """The field at `place` replaced."""
    return message.having([*message.fields[:place], *fields, *message.fields[place + 1 :]])


def drop(chance: Random, message: Draft) -> Draft:
    return _with(message, _place(chance, message))


def twice(chance: Random, message: Draft) -> Draft:
    place = _place(chance, message)
    return _with(message, place, *[message.fields[place]] * chance.choice([2, 2, 3, 50]))


def swap(chance: Random, message: Draft) -> Draft:
    fields, (one, other) = list(message.fields), (_place(chance, message), _place(chance, message))
    fields[one], fields[other] = fields[other], fields[one]
    return message.having(fields)


def shuffle(chance: Random, message: Draft) -> Draft:
    """All fields, or those after the header."""
    head = chance.choice([0, 1, HEADER, HEADER, HEADER, HEADER])
    rest = list(message.fields[head:])
    chance.shuffle(rest)
    return message.having([*message.fields[:head], *rest])


def value(chance: Random, message: Draft) -> Draft:
    place = _place(chance, message)
    return _with(message, place, (message.fields[place][0], chance.choice(VALUES)))


def number(chance: Random, message: Draft) -> Draft:
    """A number becomes another: one more, its negative, huge, with a sign or zeros."""
    places = [place for place, (_, text) in enumerate(message.fields) if text.isdigit() and len(text) < 20]
    places = [place for place in places if place >= HEADER or chance.random() < 0.2]
    place = chance.choice(places) if places else 0
    tag, text = message.fields[place]
    known = int(text) if places else 0
    others = [known + 1, known - 1, -known, known * 10**18, 2**63 - known]
    texts = [f"+{known}", f"00{known}", f"{known:05000}", f"{known}.0"]
    return _with(message, place, (tag, str(chance.choice([*others, *texts])).encode()))


def tag(chance: Random, message: Draft) -> Draft:
    place = _place(chance, message)
    return _with(message, place, (chance.choice(TAGS), message.fields[place][1]))


def stranger_field(chance: Random, message: Draft) -> Draft:
    place = _place(chance, message)
    return _with(message, place, message.fields[place], (chance.choice(TAGS), chance.choice(VALUES)))


def msg_type(chance: Random, message: Draft) -> Draft:
    return _with(message, 0, (b"35", chance.choice(TYPES)))


def group(chance: Random, message: Draft) -> Draft:
    """Repeating groups whose count is not that of their entries, whose first field comes later, and which
    stand in each other."""
    count, first, more = chance.choice(
        [(453, 448, 447), (78, 79, 80), (802, 523, 803), (384, 372, 385), (627, 628, 629)]
    )
    entries = chance.choice([0, 1, 2, 3, 200])
    said = chance.choice([entries, entries + 1, 0, -1, 10**9, 2**31, 2**32 + 1, "x", ""])
    entry = [(first, "x"), (more, 1), (802, 1), (523, "y")][: chance.choice([1, 2, 4])]
    if chance.random() < 0.3:
        entry.reverse()
    fields = [(count, said), *entry * entries]
    place = chance.choice([HEADER, len(message.fields)])
    return message.having([*message.fields[:place], *_encoded(fields), *message.fields[place:]])


def data_field(chance: Random, message: Draft) -> Draft:
    """A Data field whose Length before it is not its own, and which holds SOH and what looks like fields."""
    length, content = chance.choice([(95, 96), (212, 213), (354, 355), (93, 89), (90, 91)])
    text = chance.choice([b"abc", b"a\x01b", b"\x0110=000\x01", b"", b"=" * 20, b"\xff\0"])
    said = chance.choice([len(text), len(text) + 1, 0, -1, 10**9, 2**32 + len(text), 10**20, "x", ""])
    fields = [*_encoded([(length, said)]), (str(content).encode(), text)]
    if chance.random() < 0.2:
        fields.reverse()
    return message.having([*message.fields, *fields])


def _encoded(fields: list[tuple[int, object]]) -> list[Field]:
    return [(str(tag).encode(), str(text).encode()) for tag, text in fields]


def header(chance: Random, message: Draft) -> Draft:
    """PossDupFlag, PossResend and OrigSendingTime as they should not be together."""
    fields = chance.choice([
        [(b"43", b"Y")],
        [(b"43", b"Y"), (b"122", b"99991231-23:59:59")],
        [(b"43", b"Y"), (b"122", b"x")],
        [(b"43", b"Y"), (b"97", b"Y"), (b"122", NOW)],
        [(b"97", b"Y")],
        [(b"43", b"?")],
        [(b"122", NOW)],
        [(b"369", b"9" * 30)],
        [(b"115", b"BRAVO")],
        [(b"50", b"x"), (b"57", b"y"), (b"142", b"z")],
        [(b"1128", chance.choice([b"0", b"7", b"9", b"99", b"x"]))],
    ])  # fmt: skip
    place = chance.choice([3, HEADER, len(message.fields)])
    return message.having([*message.fields[:place], *fields, *message.fields[place:]])


def body_length(chance: Random, message: Draft) -> Draft:
    """Too short, too long, negative, absurd, no number: it is no message, or takes others with it."""
    right = sum(len(tag) + len(text) + 2 for tag, text in message.fields)
    wrong = [
        right - 1,
        right + 1,
        right + 300,
        right * 20,
        0,
        -1,
        -right,
        65536,
        10**9,
        10**12,
        2**31 - 1,
        2**32 + right,
    ]
    texts = [
        str(chance.choice(wrong)).encode(),
        b"",
        b"x",
        b"0%d" % right,
        b"+%d" % right,
        b" %d" % right,
        b"9" * 300,
    ]
    return replace(message, length=chance.choice([texts[0], texts[0], *texts]), counted=False)


def checksum(chance: Random, message: Draft) -> Draft:
    wrong = [b"999", b"256", b"", b"x", b"9", b"0000", b"-01", b"1e2", b"\xff\xff\xff", b"9" * 5000]
    return replace(message, checksum=chance.choice(wrong), counted=False)


def begin(chance: Random, message: Draft) -> Draft:
    return replace(message, begin=chance.choice(BEGINS), counted=False)


ALL: dict[Mistake, int] = {
    **dict.fromkeys((drop, twice, swap, shuffle, tag, stranger_field, group, data_field, header), 6),
    **dict.fromkeys((value, number), 12),
    **dict.fromkeys((msg_type, checksum), 3),
    **dict.fromkeys((body_length, begin), 1),
}
"""the mistakes, and how often: those that end the session leave nothing for what follows"""


def spoiled(chance: Random, message: Draft) -> Draft:
    """With one mistake, or several."""
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        if message.fields:
            (mistake,) = chance.choices(list(ALL), list(ALL.values()))
            message = mistake(chance, message)
    return message


def session_message(chance: Random, who: Identity, sequence: int) -> Draft:
    """One that is right in form, and wrong or absurd in the state the session is in."""
    one, other, flag = chance.choice(NUMBERS), chance.choice(NUMBERS), chance.choice("YN")
    probe = f"fixgw-{chance.randrange(10)}-{chance.choice(NUMBERS)}"
    texts = [b"x", probe, probe, b"a\0b", b"\xff", b"x" * 3000]
    kinds: list[tuple[str, list[tuple[object, object]]]] = [
        ("A", [(98, 0), (108, 30), (141, flag), (1137, 9)]),
        ("A", [(98, 0), (108, one), (789, other), (1137, 9)]),
        ("0", [(112, chance.choice(texts))]),
        ("1", [(112, chance.choice(texts))]),
        ("2", [(7, one), (16, other)]),
        ("2", [(7, chance.choice([0, 1, 2])), (16, 0)]),
        ("3", [(45, one), (371, other), (372, "D"), (373, 99), (58, chance.choice(texts))]),
        ("4", [(123, flag), (36, one)]),
        ("4", [(123, flag), (36, sequence + chance.choice([-3, -1, 0, 1, 1000]))]),
        ("5", [(58, chance.choice(texts))]),
        ("j", [(45, one), (372, "8"), (380, other)]),
    ]
    again = chance.choice(
        [[], [], [], [(43, "Y")], [(43, "Y"), (122, NOW)], [(43, "Y"), (122, "99990101-00:00:00")]]
    )
    msg_type, body = chance.choices(kinds, [2, 2, 4, 4, 4, 4, 4, 2, 4, 1, 2])[0]
    return draft(who, sequence, msg_type, [*again, *body])
