"""Feature 61: the history made again from the log is equal, over every death; it can be asked."""

from __future__ import annotations

import json
import os
import random
import signal
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
import sqlalchemy as sa

from fixgw.admin.words import Bust, Correct, Transfer
from fixgw.history.database import make_engine
from fixgw.history.tables import metadata
from fixgw.publish import read_events
from fixgw.settings import History, SettingsError, load
from tests.raw import BUY, SELL
from tests.venue.floor import NEW, TRADE, Floor, logged_on, running
from tests.venue.operating import done, fixgw
from tests.venue.test_kill import read_the_rest
from tests.venue.test_users_kill import burst
from tests.venue.trader import Trader
from tests.venue.users import CLIENTS, QUICK, accounts, wait_for

FEES = {"maker_fee": "0.02", "taker_fee": "0.05"}
MARKET = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001", "max_quantity": "1000"}
INSTRUMENTS = {"M1-USD": MARKET | {"max_price": "1000000"} | FEES}

Tables = dict[str, list[tuple[Any, ...]]]


def tables(floor: Floor) -> Tables:
    """All rows, in the order of their keys."""
    engine = make_engine(load(floor.config).history, floor.config, floor.data)
    found = {}
    with engine.connect() as connection:
        for name, table in metadata.tables.items():
            order = list(table.primary_key) or [table.c.event]
            found[name] = [tuple(row) for row in connection.execute(sa.select(table).order_by(*order))]
    engine.dispose()
    return found


def caught_up(floor: Floor) -> bool:
    return "; 0 events behind" in floor.status().get("output", "")


def ask(floor: Floor, *words: object) -> list[dict[str, Any]]:
    said = fixgw("history", *words, "--json", "--config", floor.config, "--data", floor.data)
    assert said.returncode == 0, said.stderr
    return [json.loads(line) for line in said.stdout.splitlines()]


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with running(tmp_path, history={"on": "yes"}, instruments=INSTRUMENTS) as floor:
        yield floor


def trade(floor: Floor, market: str = "M1-USD") -> int:
    """A maker of 2 and a taker of 1 at 100; returns the ExecID of the taker's fill."""
    with logged_on(floor, market, "ALPHA", "BRAVO") as (alpha, bravo):
        alpha.new("m", SELL, "2", "100")
        alpha.told("m", NEW)
        bravo.new("t", BUY, "1", "100")
        bravo.told("t", NEW)
        fill = int(bravo.told("t", TRADE)[17])
        alpha.told("m", TRADE)
    return fill


def test_61_what_happened_can_be_asked(floor: Floor, tmp_path: Path) -> None:
    trade(floor)
    done(floor, Transfer("BRAVO-1", "1.5", "USD", "in"))
    wait_for(lambda: caught_up(floor), "the history")
    [order] = ask(floor, "orders", "--client", "BRAVO")
    assert (order["ord_status"], order["cum_quantity"], order["value"]) == ("2", "1.0000", "100.00000000")
    assert [each["exec_type"] for each in ask(floor, "executions", "--order", order["cl_ord_id"])] == [
        "0",
        "F",
    ]
    assert [each["side"] for each in ask(floor, "fills")] == ["1", "2"]
    assert ask(floor, "orders", "--status", "8") == [] and len(ask(floor, "orders", "--limit", "1")) == 1
    [usd] = [each for each in ask(floor, "account", "BRAVO-1") if each["currency"] == "USD"]
    assert (usd["traded"], usd["fees"]) == ("-100.00000000", "0.05000000")
    [moved] = ask(floor, "movements", "BRAVO-1")
    assert (moved["amount"], moved["reference"]) == ("1.50000000", "in")
    where = "--config", floor.config, "--data", floor.data
    lines = fixgw("history", "fills", "--csv", *where).stdout.splitlines()
    assert len(lines) == 3 and lines[0].startswith("sequence,time,day,exec_type")
    said = fixgw("history", "fills", *where)
    assert "history: 0 events behind" in said.stderr and "sequence" in said.stdout
    assert fixgw("history", "fills", "--parquet", tmp_path / "f.parquet", *where).stdout.startswith(
        "2 rows in"
    )
    table = pyarrow.parquet.read_table(tmp_path / "f.parquet")
    assert table.column("last_price").to_pylist() == [Decimal("100.00")] * 2
    assert str(table.schema.field("time").type) == "timestamp[ns, tz=UTC]"


def test_61_busts_and_corrections_move_the_money(floor: Floor) -> None:
    """Totals by day are those of the venue."""
    fill = trade(floor)
    done(floor, Correct(fill, "0.5", "90"))
    agree(floor)
    done(floor, Correct(fill, "0.4", "95"))
    agree(floor)
    done(floor, Bust(fill))
    agree(floor)


def agree(floor: Floor) -> None:
    wait_for(lambda: caught_up(floor), "the history")
    totals: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for row in ask(floor, "account"):
        totals[row["account"], row["currency"]] = Decimal(row["total"])
    for name, account in accounts(floor).items():
        for currency, (total, _) in account.balances.items():
            assert totals[name, currency] == total, (name, currency)


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("seed", [1, 2])
def test_61_it_is_equal_to_what_is_made_again_whoever_was_killed(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    users = QUICK | {"resident": 50}
    with running(
        tmp_path, history={"on": "yes"}, users=users, clients=CLIENTS, instruments=INSTRUMENTS,
        snapshots={"entries": 100},
    ) as floor:  # fmt: skip
        traders = [Trader(floor.host, floor.port, name) for name in ("ALPHA", "BRAVO")]
        for trader in traders:
            trader.recover(floor.port)
        for _ in range(6):
            for _ in range(3):
                for trader in traders:
                    burst(trader, chance)
            for trader in traders:
                trader.fence()
            if chance.random() < 0.7:
                kill_writer(floor)
            if chance.random() < 0.5:
                floor.kill9()
                read_the_rest(traders, chance)
                floor.start()
                for trader in traders:
                    trader.recover(floor.port)
        for trader in traders:
            trader.fence()
            trader.close()
        wait_for(lambda: caught_up(floor), "the history")
        agree(floor)
    written = tables(floor)
    where = "--config", floor.config, "--data", floor.data
    rebuilt = fixgw("history", "rebuild", *where)
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert tables(floor) == written
    check_by_the_log(floor, written)


def check_by_the_log(floor: Floor, written: Tables) -> None:
    """Against the log itself, told in another way."""
    log = [each for each in read_events(floor.data) if each.kind == "execution"]
    assert [row[0] for row in written["executions"]] == [each.sequence for each in log]
    last = {each.fields["order_id"]: each.fields for each in log}
    assert {row[0]: row[9] for row in written["orders"]} == {
        number: fields["ord_status"] for number, fields in last.items()
    }


def kill_writer(floor: Floor) -> None:
    """The process of the history; there is another one when this returns."""
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            words = (directory / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"history" in words and str(floor.data).encode() in words:
            os.kill(int(directory.name), signal.SIGKILL)
    wait_for(lambda: "history is not ready" in status(floor) or caught_up(floor), "its end")


def status(floor: Floor) -> str:
    return floor.status().get("output", "")


def test_61_a_history_of_another_log_is_refused(tmp_path: Path) -> None:
    for name in "one", "two":
        (tmp_path / name).mkdir()
    with running(tmp_path / "one", history={"on": "yes"}) as one:
        wait_for(lambda: caught_up(one), "the history")
    shared = f"sqlite:///{one.data}/history/history.db"
    with running(tmp_path / "two", history={"on": "yes", "url": shared}) as two:
        wait_for(lambda: "the history is of another log than" in two.errors, "the words")
        assert "is not ready" in status(two) or "ready" in status(two)
    where = "--config", two.config, "--data", two.data
    assert fixgw("history", "rebuild", *where).returncode == 0


def test_61_what_is_wrong_is_said(tmp_path: Path) -> None:
    floor = Floor(tmp_path)
    where = "--config", floor.config, "--data", floor.data
    floor.data.mkdir()
    said = fixgw("history", "orders", *where)
    assert said.returncode == 2 and "there is no history yet" in said.stderr
    assert fixgw("history", "orders", "--limit", "0", *where).returncode == 2
    for url, words in (
        ("nonsense", "must be sqlite:///PATH or postgresql"),
        ("mysql://x/y", "must be sqlite"),
    ):
        settings = History(on="yes", url=url)
        with pytest.raises(SettingsError, match=words):
            make_engine(settings, floor.config, floor.data)
