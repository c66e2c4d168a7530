"""`fixgw log copies` finds drop copy and order entry equal, and says where they are not."""

from __future__ import annotations

from pathlib import Path

from fixgw.store.keys import outbox_key, outbox_prefix
from fixgw.store.outbox import put, records
from fixgw.store.store import Store
from tests.dropcopy.floor import catch_up, copying
from tests.raw import BUY, SELL
from tests.venue.floor import CANCELED, NEW, TRADE, Member, logged_on
from tests.venue.operating import fixgw


def test_57_drop_copy_is_order_entry(tmp_path: Path) -> None:
    sessions = {"ALL": {}, "ALL5": {"begin_string": "FIXT.1.1"}}
    with copying(tmp_path, {"sessions": sessions}) as floor:
        with logged_on(floor, "M0-USD", "ALPHA", "BRAVO") as (alpha, bravo):
            last = trade(alpha, bravo)
        reader = floor.reader("ALL")
        catch_up(reader, last)
        reader.close()
        said = fixgw("log", "--data", floor.data, "copies")
        assert (said.returncode, said.stderr) == (0, "")
        assert said.stdout.splitlines() == ["ALL: 6 compared, 0 differ", "ALL5: 0 compared, 0 differ"]
        other = floor.reader("ALL5", "FIXT.1.1")
        catch_up(other, last)
        other.close()
        assert "ALL5: 6 compared, 0 differ" in fixgw("log", "--data", floor.data, "copies").stdout
        with logged_on(floor, "M0-USD", "ALPHA") as (again,):  # the numbers begin anew, what is proven goes
            again.settle()
        assert fixgw("log", "--data", floor.data, "copies", "ALL").returncode == 0
        unknown = fixgw("log", "--data", floor.data, "copies", "NONE")
        assert (
            unknown.returncode == 2 and "no drop copy session 'NONE'; there are: ALL, ALL5" in unknown.stderr
        )
    change(floor.data, "ALL", b"\x0132=1.0000\x01", b"\x0132=7.0000\x01")
    said = fixgw("log", "--data", floor.data, "copies", "ALL")
    assert said.returncode == 1
    assert "was sent 37=" in said.stdout and "32=7.0000" in said.stdout


def trade(alpha: Member, bravo: Member) -> int:
    """The last ExecID."""
    alpha.new("m", SELL, "2", "100")
    alpha.told("m", NEW)
    bravo.new("t", BUY, "1", "100")
    bravo.told("t", NEW)
    bravo.told("t", TRADE)
    alpha.told("m", TRADE)
    alpha.new("k", BUY, "1", "90")
    alpha.told("k", NEW)
    alpha.cancel("c", "m", SELL)
    return int(alpha.told("c", CANCELED)[17])


def change(data: Path, session: str, old: bytes, new: bytes) -> None:
    """Of the first record that has it; with a checksum that is right, as of a venue that went wrong."""
    store = Store(data / "drop-copy", 64 << 20)
    prefix = outbox_prefix(session)
    with store.write() as transaction:
        found = [each for each in records(store, transaction, prefix, 0, 0, 1000) if old in each[1]]
        number, record = found[0]
        key = outbox_key(prefix, 0, number)
        transaction.delete(key, db=store.outbox)
        put(store, transaction, key, record.replace(old, new))
    store.close()
