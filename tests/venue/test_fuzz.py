"""Streams of messages with chance mistakes of every kind, on both versions, while BRAVO trades on."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from tests.raw import BUY, cancel, encode, frame, new_order, replace, utc_now
from tests.venue.floor import MARKETS, NEW, Member, logged_on, running
from tests.wire import Fields

CONNECTIONS = 400
# fmt: off
TAGS = [
    1, 7, 8, 9, 10, 11, 16, 18, 34, 35, 36, 38, 40, 41, 43, 44, 49, 52, 54, 55, 56, 58, 59, 60, 89, 95, 96,
    97, 98, 108, 112, 115, 122, 123, 128, 141, 142, 354, 355, 371, 372, 373, 380, 384, 448, 453, 552, 554,
    627, 789, 802, 1128, 1137, 1156, 5001, 99999, 0, -1, 10**20,
]
VALUES: list[object] = [
    "", "0", "1", "-1", "Y", "N", "x", " ", "=", "D", "9", "8=FIX.4.4", "10=000", "FIX.5.0SP2", "ALPHA",
    "FIXGW", "M1-USD", "1e5", "1.5", "20260101-00:00:00", "20260101-99:99:99", "2147483648", "4294967296",
    "9" * 20, "x" * 300, "é", b"\xff\xfe", b"\0", b"a\x01b", b"\x01", b"a\x0110=123",
]
TYPES = ["D", "F", "G", "0", "1", "2", "3", "4", "5", "A", "8", "j", "AE", "zzzz", "", b"\x01"]
# fmt: on


class Fuzzer:
    def __init__(self, seed: int, market: str) -> None:
        self.chance = random.Random(seed)
        self.market = market
        self.connections = 0

    def conversation(self, member: Member) -> None:
        """One connection: a Logon, right more often than not, some messages, an end of some kind."""
        chance = self.chance
        self.connections += 1
        if chance.random() < 0.7:
            member.logon(reset=True)
        else:
            fields: Fields = [(98, 0), (108, 30), (141, chance.choice("YN")), (1137, 9)]
            member.connect().send_bytes(self.whole(member, "A", self.spoiled(fields)))
        for _ in range(chance.randrange(20)):
            member.send_bytes(self.whole(member, *self.message(member)))
            member.next_outbound += 1
        if chance.random() < 0.5:
            member.settle(0.02)

    def message(self, member: Member) -> tuple[object, Fields]:
        """A right one of some kind, or one of the session layer's with chance numbers."""
        chance = self.chance
        number = member.next_outbound + 100 * self.connections
        first, second = f"{self.market}.{number}", f"{self.market}.{number - chance.randrange(5)}"
        side, price = chance.choice("12"), chance.choice(["99", "100", None])
        tif, account = chance.choice([None, "0", "1", "3", "4"]), f"{member.client}-1"
        messages: list[tuple[object, Fields]] = [
            new_order(first, side, 1, price, symbol=self.market, account=account, time_in_force=tif),
            new_order(first, side, 1, 100, symbol=self.market, account=account),
            cancel(first, second, side, symbol=self.market),
            replace(first, second, side, 2, 100, symbol=self.market, account=account),
            ("1", [(112, "x")]),
            ("2", [(7, chance.choice([0, 1, 5, 100, -1])), (16, chance.choice([0, 3, 10**9]))]),
            ("4", [(123, chance.choice("YN")), (36, chance.choice([0, 1, 5, 20, 10**9]))]),
            ("j", [(45, 1), (372, "8"), (380, 0)]),
            (chance.choice(TYPES), [(58, "x"), (98, 0), (108, 30)]),
        ]
        weights = [8, 4, 4, 4, 1, 1, 1, 1, 1]  # a SequenceReset or a Logout ends most of what could follow
        (msg_type, fields), *_ = chance.choices(messages, weights)
        return msg_type, self.spoiled(fields) if chance.random() < 0.4 else fields

    def whole(self, member: Member, msg_type: object, fields: Fields) -> bytes:
        """With a header, wrong now and then, and mostly with the right BodyLength and CheckSum."""
        chance = self.chance
        header: Fields = [(35, msg_type), (34, member.next_outbound), (49, member.comp_id)]
        header += [(52, utc_now()), (56, "FIXGW")]
        header += chance.choice([[], [], [(97, "Y")], [(43, "Y"), (122, utc_now())]])
        if chance.random() < 0.1:
            header = self.spoiled(header)
        raw = frame(member.begin_string, encode([*header, *fields]))
        return self.torn(raw) if chance.random() < 0.05 else raw

    def spoiled(self, fields: Fields) -> Fields:
        chance, fields = self.chance, list(fields)
        for _ in range(chance.choice([1, 1, 2, 5])):
            place = chance.randrange(len(fields) + 1)
            one = chance.choice(TAGS), chance.choice(VALUES)
            fields[place:place] = [one] if chance.random() < 0.5 else fields[:2]
            if chance.random() < 0.5:
                del fields[chance.randrange(len(fields))]
            if chance.random() < 0.2:
                chance.shuffle(fields)
        return fields

    def torn(self, raw: bytes) -> bytes:
        """Bytes changed, left out and put in."""
        chance, data = self.chance, bytearray(raw)
        for _ in range(chance.choice([1, 1, 3, 20])):
            place = chance.randrange(len(data))
            more = chance.choice(
                [b"", b"\x01", b"\0", b"\xff", b"=", b"8=FIX.4.4\x019=5\x01", b"\x0110=000\x01"]
            )
            data[place : place + chance.choice([0, 1, 10])] = more
            data += b"x"
        return bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_no_stream_stops_the_venue(tmp_path: Path, seed: int) -> None:
    """Feature 3: "fuzzed bytes never crash"; after a restart the state is the same."""
    fuzzer = Fuzzer(seed, "M1-USD")
    with running(tmp_path) as venue:
        with logged_on(venue, "M2-USD", "BRAVO") as (bravo,):
            for number in range(CONNECTIONS):
                member = Member(venue, "M1-USD", fuzzer.chance.choice(["ALPHA", "CHARLIE"]), timeout=5)
                with suppress(AssertionError, OSError):  # what it was told is other tests' matter
                    fuzzer.conversation(member)
                member.close(abort=fuzzer.chance.random() < 0.5)
                bravo.new(str(number), BUY, "1", "100")
                bravo.told(str(number), NEW, timeout=5.0)
        entries = int(venue.status()["journal"].split()[0])
        state = venue.status()["state"]
        venue.kill9()
        venue.start()
        assert venue.status()["state"] == state
        assert entries > MARKETS + CONNECTIONS + 200, "the streams held next to nothing that was accepted"
