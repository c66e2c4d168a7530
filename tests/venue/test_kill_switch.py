"""The kill switch of an account, a client and the venue: it cancels, blocks and holds until it is lifted.
Feature V4, 19; docs/market.md, 10.3."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from fixgw.admin.words import Kill
from tests.raw import BUY
from tests.venue.floor import CANCELED, GTC, NEW, REPLACED, Floor, Member, logged_on
from tests.venue.operating import audit, done, fixgw, refused, set_state
from tests.venue.test_log import log
from tests.venue.trading import cancel_many, clear, enter_many, many_canceled, rest

Scope = Literal["account", "client", "venue"]
TEXT = "The kill switch {}is on: no new orders, no replaces; cancels pass"
KILLED = {"t378": "99", "t58": "kill switch", "t151": "0.0000"}
CLIENTS = pytest.mark.parametrize("client", ["ALPHA", "CHARLIE"])


@contextmanager
def killed(venue: Floor, scope: Scope, name: str = "") -> Iterator[str]:
    """While it is on; yields what a client is told."""
    what = f"{scope} {name}".rstrip()
    said = f"the kill switch of {what} is on: its orders are canceled, new ones refused, cancels pass"
    assert done(venue, Kill(scope, name)) == [said]
    yield TEXT.format(f"of {what} " if name else "")
    said = f"the kill switch of {what} is off: orders are taken again"
    assert done(venue, Kill(scope, name, False)) == [said]


@pytest.fixture(params=["ALPHA", "CHARLIE"])
def party(request: pytest.FixtureRequest, floor: Floor, market: str) -> Iterator[list[Member]]:
    """Two sessions of a client of each version with an order each, the first with one of another account; and
    another client with one. No one has orders at the end."""
    with logged_on(floor, market, request.param, f"{request.param}2", "BRAVO") as members:
        own, second, bravo = members
        rest(own, "own", BUY, "1", "2")
        own.new("poor", BUY, "1", "1", "POOR")
        own.told("poor", NEW)
        rest(second, "second", BUY, "1", "2")
        rest(bravo, "bravo", BUY, "1", "2")
        yield members
        clear(own)
        clear(bravo)
        second.settle()


def blocked(member: Member, text: str, account: str = "1") -> None:
    member.new("n", BUY, "1", "1", account)
    member.refused("n", 0, t37="NONE", t58=text)


def free(member: Member, name: str, account: str = "1") -> None:
    member.new(name, BUY, "0.1", "1", account)
    member.told(name, NEW)
    member.cancel(f"c-{name}", name)
    member.told(f"c-{name}", CANCELED)


def test_of_an_account(floor: Floor, party: list[Member]) -> None:
    """Its orders over all sessions; the client's other account trades on."""
    own, second, bravo = party
    with killed(floor, "account", f"{own.client}-1") as text:
        own.told("own", CANCELED, **KILLED)
        second.told("second", CANCELED, **KILLED)
        for member in own, second:
            blocked(member, text)
        own.replace("r", "poor", BUY, "1", "0.99", account=f"{own.client}-POOR")
        own.told("r", REPLACED)
        free(own, "p", "POOR")
        free(bravo, "b")
        own.cancel("late", "own")
        own.request_refused("late", "own", 0)
    free(own, "n")
    own.cancel("end", "r")
    own.told("end", CANCELED)


def test_of_a_client(floor: Floor, party: list[Member]) -> None:
    own, second, bravo = party
    with killed(floor, "client", own.client) as text:
        for name in ("own", "poor"):
            own.told(name, CANCELED, **KILLED)
        second.told("second", CANCELED, **KILLED)
        for member in own, second:
            blocked(member, text)
            blocked(member, text, "POOR")
        free(bravo, "b")
        cancel_many(own, "q")
        many_canceled(own, "q", 0)
    free(own, "n")


def test_of_the_venue(floor: Floor, party: list[Member]) -> None:
    """The orders of all; the widest switch that is on is named, and each is lifted by itself."""
    own, second, bravo = party
    with killed(floor, "venue") as text:
        for name in ("own", "poor"):
            own.told(name, CANCELED, **KILLED)
        second.told("second", CANCELED, **KILLED)
        bravo.told("bravo", CANCELED, **KILLED)
        for member in party:
            blocked(member, text)
        with killed(floor, "account", f"{own.client}-1"), killed(floor, "client", own.client):
            blocked(own, text)
        shown = fixgw("admin", "--data", floor.data, "status").stdout
        assert "\nkilled   venue\n" in shown and "killed   client" not in shown
    with killed(floor, "account", f"{own.client}-1") as of_account:
        with killed(floor, "client", own.client) as of_client:
            blocked(own, of_client)
        blocked(own, of_account)
    for number, member in enumerate(party):
        free(member, f"n{number}")


def test_replaces_are_refused_and_cancels_pass(floor: Floor, party: list[Member]) -> None:
    """An order can live on under the switch as long as its cancel is one of many to come."""
    own = party[0]
    enter_many(own, 1200, "m", "1")
    own.new("last", BUY, "1", "1")
    own.told("last", NEW)
    with killed(floor, "client", own.client) as text:
        ended = 0
        own.replace("r", "last", BUY, "2", "1")
        while ended < 1203:
            message = own.receive()
            if message.msg_type == "9":
                assert message[102] in ("0", "2") and (message[102] == "0" or message[58] == text)
            else:
                assert (message[150], message[58]) == (CANCELED, "kill switch")
                ended += 1
        own.settle()
    assert len({each[37] for each in own.received if each.get(58) == "kill switch"}) == 1203


def test_in_every_state_of_the_market(floor: Floor, party: list[Member]) -> None:
    """market.md 7.7"""
    own, second, bravo = party
    set_state(floor, "halted", own.market, *party)
    with killed(floor, "client", own.client) as text:
        for name in ("own", "poor"):
            own.told(name, CANCELED, **KILLED)
        second.told("second", CANCELED, **KILLED)
        blocked(own, text)
    set_state(floor, "continuous", own.market, *party)
    free(bravo, "b")


def test_what_is_refused(floor: Floor, market: str) -> None:
    assert refused(floor, Kill("account", "ALPHA-9")) == "there is no account ALPHA-9"
    assert refused(floor, Kill("client", "ALPHX")) == "there is no client ALPHX; did you mean ALPHA?"
    assert refused(floor, Kill("venue", "ALPHA")).startswith("there is no venue ALPHA")
    off = "the kill switch of client BRAVO is off already"
    assert refused(floor, Kill("client", "BRAVO", False)) == off
    with killed(floor, "client", "BRAVO"):
        on = "the kill switch of client BRAVO is on already"
        assert refused(floor, Kill("client", "BRAVO")) == on


@CLIENTS
def test_over_every_stop(tmp_path: Path, client: str) -> None:
    """It holds, is in the journal and the audit, and what it had not canceled yet is canceled."""
    count = 4000
    account = f"{client}-1"
    with Floor(tmp_path, restart={"cancel_only_seconds": 3600}) as venue:
        own = Member(venue, "M1-USD", client)
        own.logon()
        enter_many(own, count, "m")
        own.new("poor", BUY, "1", "1", "POOR", time_in_force=GTC)
        own.told("poor", NEW)
        done(venue, Kill("account", account))
        venue.kill9()
        own.close()
        venue.start()
        own.address = (venue.host, venue.port)
        own.logon()
        own.send("2", [(7, own.next_inbound), (16, 0)])
        ended: set[str] = {each[11] for each in own.received if each.get(58) == "kill switch"}
        while len(ended) < count:
            message = own.receive()
            if message.get(58) == "kill switch":
                assert (message[150], message[378]) == (CANCELED, "99")
                ended.add(message[11])
        assert own.id("poor") not in ended
        own.settle()
        fixgw("admin", "--data", venue.data, "market", "ALL", "continuous")
        own.expect("h")
        blocked(own, TEXT.format(f"of account {account} "))
        own.logout()
        assert venue.terminate() == 0
        venue.start()
        shown = fixgw("admin", "--data", venue.data, "status").stdout
        assert f"\nkilled   account {account}\n" in shown
        with logged_on(venue, "M1-USD", client) as (own,):
            blocked(own, TEXT.format(f"of account {account} "))
            told = fixgw("admin", "--data", venue.data, "kill", "account", account, "--off")
            assert told.returncode == 0, told
            free(own, "n")
        words = [line.split(" ", 2)[2] for line in log(venue.data, "journal")]
        pieces = [number for number, line in enumerate(words) if line.startswith("ContinueMany")]
        restart = words.index("SetState symbol=M1-USD state=cancel-only reason=restart")
        assert pieces[-1] > restart, "all was canceled before the kill"
        assert [line for line in words if line.startswith("SetKill")] == [
            f"SetKill scope=account name={account} on={on}" for on in (True, False)
        ]
        kills = [line.partition(": ")[2] for line in audit(venue.data) if ": kill " in line]
        assert kills == [f"kill account {account} on", f"kill account {account} off"]
