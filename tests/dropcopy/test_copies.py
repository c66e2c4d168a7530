"""Drop copy, features 56, 57 and 60: each report once and as its owner has it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dropcopy.floor import CopyFloor, catch_up, copies, copying
from tests.raw import BUY, SELL, RawClient, Received
from tests.venue.floor import CANCELED, NEW, TRADE, logged_on

OWN = {8, 9, 10, 34, 49, 52, 56, 97, 627, 628, 629, 630, 797}
"""fields that a copy has of its own"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CopyFloor]:
    sessions = {
        "ALL": {},
        "ALL5": {"begin_string": "FIXT.1.1"},
        "BRAVO": {"clients": ["BRAVO"]},
        "POOR": {"accounts": ["ALPHA-POOR"]},
        "FILLS": {"events": "fills", "clients": ["ALPHA"]},
        "LATE": {"begin": "now"},
    }
    with copying(tmp_path_factory.mktemp("copies"), {"sessions": sessions}) as floor:
        yield floor


def content(report: Received) -> list[tuple[int, str]]:
    return [pair for pair in report.fields if pair[0] not in OWN]


@pytest.mark.parametrize("version", ["FIX.4.4", "FIXT.1.1"])
def test_57_a_copy_is_the_report_and_names_where_that_went(floor: CopyFloor, version: str) -> None:
    market, sessions = (
        ("M0-USD", ("ALPHA", "BRAVO")) if version == "FIX.4.4" else ("M1-USD", ("CHARLIE",) * 2)
    )
    name = "ALL" if version == "FIX.4.4" else "ALL5"
    if version == "FIXT.1.1":
        sessions = "CHARLIE", "CHARLIE2"
    with logged_on(floor, market, *sessions) as (maker, taker):
        maker.new("m", SELL, "2", "100")
        told = [maker.told("m", NEW)]
        taker.new("t", BUY, "1", "100")
        told += [taker.told("t", NEW), taker.told("t", TRADE), maker.told("m", TRADE)]
        maker.cancel("c", "m", SELL)
        told.append(maker.told("c", CANCELED))
        reader = floor.reader(name, version)
        catch_up(reader, int(told[-1][17]))
        reader.close()
    by_id = {each[17]: each for each in copies(reader)}
    for report in told:
        copy = by_id[report[17]]
        assert content(copy) == content(report)
        assert (copy[797], copy[627], copy[630]) == ("Y", "1", str(report.sequence))
        assert copy[628] == report[56] and copy[629] == report[52] and 97 not in copy
    assert len({each[17] for each in copies(reader)}) == len(copies(reader))


def test_57_clients_accounts_and_fills_are_chosen(floor: CopyFloor) -> None:
    with logged_on(floor, "M2-USD", "ALPHA", "BRAVO") as (alpha, bravo):
        alpha.new("m", SELL, "1", "100")
        alpha.told("m", NEW)
        alpha.new("p", BUY, "0.5", "10", account="POOR")
        poor = alpha.told("p", NEW)
        bravo.new("t", BUY, "0.4", "100")
        placed, filled = bravo.told("t", NEW), bravo.told("t", TRADE)
        sold = alpha.told("m", TRADE)
        alpha.cancel("c", "p", BUY, extra=[(1, "ALPHA-POOR")])
        gone = alpha.told("c", CANCELED)
        alpha.cancel("d", "m", SELL)
        alpha.told("d", CANCELED)
    expected = {"BRAVO": [placed, filled], "POOR": [poor, gone], "FILLS": [sold]}
    for name, reports in expected.items():
        reader = floor.reader(name)
        catch_up(reader, int(reports[-1][17]))
        own = [each for each in copies(reader) if each[55] == "M2-USD"]
        assert [each[17] for each in own] == [each[17] for each in reports]
        reader.close()


def test_57_what_came_before_comes_again_on_request(floor: CopyFloor) -> None:
    """From an ExecID on, with PossResend: the session had it."""
    with logged_on(floor, "M3-USD", "ALPHA") as (member,):
        ids = []
        for name in "abc":
            member.new(name, BUY, "1", "50")
            ids.append(member.told(name, NEW)[17])
        reader = floor.reader("ALL")
        catch_up(reader, int(ids[-1]))
        before = len(copies(reader))
        reader.send("U1", [(17, ids[1])])
        while len(copies(reader)) < before + 2:
            reader.take()
        assert [(each[17], each[97]) for each in copies(reader)[before:]] == [(ids[1], "Y"), (ids[2], "Y")]
        for wrong in ("0", "999999999", "x", "1A"):
            reader.send("U1", [(17, wrong)])
            refusal = reader.receive()
            assert refusal.msg_type == "j" and "BeginExecID(17) must be from 1 to" in refusal[58]
        reader.send("U1", [])
        assert reader.receive().msg_type == "3", "ExecID is required"
        member.cancel("x", "a")
        live = member.told("x", CANCELED)
        while copies(reader)[-1][17] != live[17]:
            reader.take()
        assert 97 not in copies(reader)[-1]
        reader.close()


def test_57_a_session_may_begin_with_what_comes(floor: CopyFloor) -> None:
    """LATE was there from the start of the venue: from then on it misses nothing, logged on or not."""
    with logged_on(floor, "M4-USD", "ALPHA") as (member,):
        member.new("a", BUY, "1", "50")
        report = member.told("a", NEW)
    reader = floor.reader("LATE")
    catch_up(reader, int(report[17]))
    reader.close()


def test_57_no_order_comes_in_by_it(floor: CopyFloor) -> None:
    reader = floor.reader("ALL")
    reader.send("D", [(11, "a"), (55, "M5-USD"), (54, 1), (60, "20261201-00:00:00"), (40, 1), (38, 1)])
    while (refusal := reader.receive()).msg_type != "j":
        pass
    assert (refusal[372], refusal[380]) == ("D", "3")
    reader.close()


def test_57_a_reset_brings_again_what_is_not_proven(floor: CopyFloor) -> None:
    with logged_on(floor, "M6-USD", "ALPHA") as (member,):
        member.new("a", BUY, "1", "50")
        report = member.told("a", NEW)
    reader = floor.reader("ALL")
    catch_up(reader, int(report[17]))
    reader.close(abort=True)
    again = RawClient("127.0.0.1", floor.copy_port, "ALL")
    again.logon(reset=True)
    while (message := again.receive()).msg_type != "8" or message[17] != report[17]:
        assert message[97] == "Y"
    assert message[97] == "Y" and content(message) == content(report)
    again.logout()
    del floor.readers["ALL"]
