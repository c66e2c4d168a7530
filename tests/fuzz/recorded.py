"""A conversation as a good client has it, with every kind of message the venue takes. A test proves that the
venue has nothing against it; what is hostile is made out of it."""

from __future__ import annotations

from functools import cache

from tests.fuzz.draft import NOW, Draft, Identity, draft

PRICE = "100"
"""of orders that rest; no one sells that low"""
RUN = b"RUN"
"""leads the ClOrdIDs, in place of what keeps the runs apart"""


def logon(who: Identity, number: int = 1) -> Draft:
    version = [(1137, 9)] if who.begin_string == "FIXT.1.1" else []
    return draft(who, number, "A", [(98, 0), (108, 30), (141, "Y"), *version])


@cache
def recorded(who: Identity) -> list[Draft]:
    """From Logon to Logout, numbered from 1; its ClOrdIDs begin with RUN."""
    said: list[Draft] = [logon(who)]
    for msg_type, body in _messages(who):
        said.append(draft(who, len(said) + 1, msg_type, body))
    return said


def of_run(message: Draft, run: bytes) -> Draft:
    """With ClOrdIDs of its own."""
    return message.having([(tag, text.replace(RUN, run)) for tag, text in message.fields])


def _messages(who: Identity) -> list[tuple[str, list[tuple[object, object]]]]:
    instrument, again = [(55, who.market), (54, 1), (60, NOW)], [(43, "Y"), (122, NOW)]
    account = [(1, who.account)]
    limit = [(40, 2), (44, PRICE)]
    until = [(59, 6), (126, "20990101-00:00:00.123")]
    iceberg = [(111, 2), (59, 6), (432, 20990101)]
    parties = [(453, 2), (448, "desk"), (447, "D"), (452, 24), (802, 1), (523, "x"), (803, 4)]
    parties += [(448, "trader"), (447, "D"), (452, 12)]
    return [
        ("1", [(112, "hello")]),
        ("0", [(112, "nobody asked")]),
        ("D", [(11, "RUNa"), *account, *instrument, (38, 1), *limit, (59, 1)]),
        ("G", [(41, "RUNa"), (11, "RUNb"), *account, *instrument, (38, 2), *limit, (59, 1)]),
        ("F", [(41, "RUNb"), (11, "RUNc"), *instrument]),
        ("D", [(11, "RUNd"), *account, *parties, *instrument, (38, "0.5"), *limit, (59, 3), (58, "text")]),
        ("D", [(11, "RUNe"), *account, *instrument, (38, 1), (40, 1), (59, 4)]),
        (
            "D",
            [(11, "RUNf"), *account, *instrument, (38, 1), *limit, (59, 3), (354, 3), (355, b"\xc3\xa9=")],
        ),
        ("D", [(97, "Y"), (11, "RUNf"), *account, *instrument, (38, 1), *limit, (59, 3)]),
        ("2", [(7, 1), (16, 0)]),
        ("4", [(123, "Y"), (36, 13)]),
        ("D", [*again, (11, "RUNg"), *account, *instrument, (38, 1), *limit, (59, 3)]),
        ("D", [(11, "RUNh"), *account, *instrument, (38, 1), (40, 4), (99, 9999), (44, 9999), *until]),
        ("D", [(11, "RUNi"), *account, *instrument, (38, 10), *limit, *iceberg, (18, 6)]),
        ("G", [(41, "RUNi"), (11, "RUNj"), *account, *instrument, (38, 9), *limit, *iceberg]),
        ("D", [(11, "RUNk"), *account, *instrument, (38, 2), *limit, (110, 1), (2362, "desk"), (2964, 1)]),
        ("H", [(11, "RUNh"), (55, who.market), (54, 1), (790, "RUNm")]),
        ("e", [(324, "RUNn"), (55, who.market), (263, 1)]),
        ("g", [(335, "RUNo"), (263, 0)]),
        ("AF", [(584, "RUNp"), (585, 1), (55, who.market), (54, 1), *account]),
        ("x", [(320, "RUNq"), (559, 4)]),
        ("q", [(11, "RUNr"), (530, 1), *account, *instrument]),
        ("0", []),
        ("5", []),
    ]
