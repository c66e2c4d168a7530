"""What `python -m tests.fuzz` has found, each as small as it could be made: one message of a client that
could log on, after which there was no venue any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.raw import BUY
from tests.venue.floor import NEW, Floor, Member, logged_on

ZEROS = "0" * 5000
"""QuickFIX takes a number with any of them before it; int() reads 4300 digits"""

FOUND: dict[str, Callable[[Member], object]] = {
    "NewSeqNo with many zeros": lambda m: m.send("4", [(123, "Y"), (36, f"{ZEROS}9")]),
    "MsgSeqNum of a gap fill": lambda m: m.send("4", [(123, "Y"), (36, 9)], sequence=_zeros(m)),
    "MsgSeqNum of a Reject": lambda m: m.send("3", [(45, 1)], sequence=_zeros(m)),
    "MsgSeqNum of a Logout": lambda m: m.send("5", sequence=_zeros(m)),
    "proof of a number with many digits": lambda m: [
        m.send("0", [(112, f"fixgw-{generation}-{'9' * 5000}")]) for generation in range(20)
    ],
    "proof of a number in other digits": lambda m: [
        m.send("0", [(112, f"fixgw-{generation}-\u0663\u00b2")]) for generation in range(20)
    ],
}


def _zeros(member: Member) -> int:
    number = f"{ZEROS}{member.next_outbound}"
    member.next_outbound += 1
    return number  # type: ignore[return-value]


@pytest.mark.parametrize("session", ["ALPHA", "CHARLIE"])
@pytest.mark.parametrize("kind", FOUND)
def test_the_venue_goes_on(floor: Floor, market: str, session: str, kind: str) -> None:
    attacker = Member(floor, market, session)
    attacker.logon(reset=True)
    attacker.settle()
    FOUND[kind](attacker)
    with logged_on(floor, market, "BRAVO") as (bravo,):
        for number in range(20):
            bravo.new(f"n{number}", BUY, "1", "100")
            bravo.told(f"n{number}", NEW)
    attacker.close()


def test_a_number_with_many_zeros_is_the_number(floor: Floor, market: str) -> None:
    """What QuickFIX counted is what the venue understood."""
    with logged_on(floor, market, "ALPHA") as (member,):
        member.send("4", [(123, "Y"), (36, f"{ZEROS}{member.next_outbound + 5}")])
        member.next_outbound += 4
        member.new("a", BUY, "1", "100")
        member.told("a", NEW)
        member.send("4", [(123, "Y"), (36, f"{ZEROS}{member.next_outbound}")])
        assert member.expect("3", t371="36")[58] == "A gap fill must end above its own MsgSeqNum"
