"""The log for programs of others: docs/log.md says what there is, and the iterator gives it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import fields

from engine.commands import ListInstrument, SetRules
from engine.events import Event, Execution
from fixgw.codec.instruments import InstrumentText
from fixgw.publish import Record, read_events
from fixgw.publish.json_lines import iso_time, json_line
from fixgw.publish.records import Grids, kind_of, record
from fixgw.store.failures import StoreError
from tests.process import ROOT
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, NEW, TRADE, Floor, Member, logged_on, running
from tests.venue.operating import done, fixgw

PAGE = (ROOT / "docs" / "log.md").read_text()
KINDS = {kind.__struct_config__.tag: kind for kind in get_args(Event)}


def documented(kind: str) -> set[str]:
    """The fields that the page has for a kind."""
    section = next(part for part in PAGE.split("\n### ") if kind in part.split("\n")[0].split(", "))
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| ")]
    named = [row[0] if len(row) == 2 else row[1] for row in rows if len(row) == 2 or row[0].strip() == kind]
    return set(re.findall(r"`([a-z_]+)`", " ".join(named)))


@pytest.mark.parametrize("kind", sorted(map(str, KINDS)))
def test_the_page_has_every_field_of_every_event(kind: str) -> None:
    expected = {each.name for each in fields(KINDS[kind])} - {"time"}
    if kind == "execution":
        expected = expected - {"notional"} | {"value"}
    assert documented(kind) == expected


def test_amounts_are_decimals_and_what_is_not_there_is_none() -> None:
    listed = ListInstrument(0, "X", "BTC", "USD", "0.01", "0.001", 10**5, 10**3, 10**9, 10**9)
    text = InstrumentText(listed)
    grids = Grids({"X": text}, text.currencies)
    event = Execution(
        1_796_118_373_807_060_102, "F", "1", 7, "A", "S", "A-1", "X", "c", "", "1", "2", "0",
        5000, 12345, 2000, 3000, 24_690_000, 2000, 12345, 9, fee=-12,
    )  # fmt: skip
    found = record(11, 3, event, grids)
    assert (found.sequence, found.journal, found.kind) == (11, 3, "execution")
    said = found.fields
    assert (said["quantity"], said["price"], said["last_price"]) == ("5.000", "123.45", "123.45")
    assert said["stop_price"] is None and said["ref_id"] is None and said["match_id"] == 9
    assert str(said["fee"]).startswith("-0.") and said["value"] == "246.90000000"
    line = json.loads(json_line(found))
    assert line["time"] == "2026-12-01T09:46:13.807060102Z" == iso_time(event.time)
    rules = record(1, 1, SetRules(5, "X", min_price=1), grids)  # type: ignore[arg-type]
    assert rules.fields["min_price"] == "0.01"


def trade(alpha: Member, bravo: Member) -> None:
    alpha.new("m", SELL, "2", "100")
    alpha.told("m", NEW)
    bravo.new("t", BUY, "1", "100")
    bravo.told("t", NEW)
    bravo.told("t", TRADE)
    alpha.told("m", TRADE)
    alpha.cancel("c", "m", SELL)
    alpha.told("c", CANCELED)


def test_the_iterator_and_the_command_give_the_log(tmp_path: Path) -> None:
    with running(tmp_path) as floor:
        with logged_on(floor, "M1-USD", "ALPHA", "BRAVO") as (alpha, bravo):
            trade(alpha, bravo)
            reports = [each for each in alpha.received + bravo.received if each.msg_type == "8"]
        records = list(read_events(floor.data))
        assert [each.sequence for each in records] == list(range(1, len(records) + 1))
        by_id = {str(each.sequence): each for each in records}
        for report in reports:
            said = by_id[report[17]].fields
            names = {
                150: "exec_type",
                11: "cl_ord_id",
                38: "quantity",
                151: "leaves_quantity",
                31: "last_price",
            }
            assert {tag: said[name] for tag, name in names.items() if tag in report} == {
                tag: report[tag] for tag in names if tag in report
            }
        later = list(read_events(floor.data, first=len(records) - 2))
        assert later == records[-3:] and not list(read_events(floor.data, first=len(records) + 1))
        printed = fixgw("log", "--data", floor.data, "events", "--json", "--from", "3")
        assert (printed.returncode, printed.stderr) == (0, "")
        lines = [json.loads(line) for line in printed.stdout.splitlines()]
        assert [line["sequence"] for line in lines] == [each.sequence for each in records[2:]]
        assert lines[-1]["kind"] == "execution" and lines[-1]["exec_type"] == "4"


def test_who_follows_sees_what_comes_and_the_venue_may_die(tmp_path: Path) -> None:
    with running(tmp_path) as floor:
        command = [sys.executable, "-m", "fixgw", "log", "--data", str(floor.data)]
        command += ["events", "--follow", "--json", "--from", str(last(floor) + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as reader:
            assert reader.stdout is not None
            with logged_on(floor, "M1-USD", "ALPHA") as (alpha,):
                alpha.new("a", BUY, "1", "100")
                report = alpha.told("a", NEW)
                assert json.loads(reader.stdout.readline())["sequence"] == int(report[17])
            floor.kill9()
            floor.start()
            with logged_on(floor, "M1-USD", "ALPHA") as (alpha,):
                alpha.new("b", BUY, "1", "100")
                report = alpha.told("b", NEW)
                assert json.loads(reader.stdout.readline())["cl_ord_id"] == report[11]
            reader.terminate()


def last(floor: Floor) -> int:
    return int(floor.status()["journal"].split()[2])


def test_there_must_be_a_log(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no venue's data"):
        list(read_events(tmp_path))
    printed = fixgw("log", "--data", tmp_path, "events", "--json")
    assert printed.returncode == 2 and "holds no venue's data" in printed.stderr


def test_money_that_comes_and_goes_is_in_it(tmp_path: Path) -> None:
    from fixgw.admin.words import Transfer

    with running(tmp_path) as floor:
        done(floor, Transfer("ALPHA-1", "1.5", "USD", "in"))
        done(floor, Transfer("ALPHA-1", "0.5", "USD", "out", withdraws=True))
        moved: list[Record] = [each for each in read_events(floor.data) if each.kind == "balance"]
    assert [(each.fields["amount"], each.fields["reference"]) for each in moved] == [
        ("1.50000000", "in"),
        ("-0.50000000", "out"),
    ]
    assert kind_of(KINDS["day"](0, "x")) == "day"
