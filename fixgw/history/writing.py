"""Records of the log to rows, a batch in one transaction with the position behind it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from engine.peers import SPAN
from fixgw.history.database import Position, add, move, put
from fixgw.history.tables import account_days, accounts, executions, instruments, movements, orders
from fixgw.publish.records import Record

ZERO = Decimal(0)
BUY, TRADE, CORRECTED, BUSTED = "1", "F", "G", "H"
Row = dict[str, Any]
Key = tuple[str, str]
"""account and currency"""
IN_ORDERS = [column.name for column in orders.columns]
IN_EXECUTIONS = [column.name for column in executions.columns]
PIECE = 500
"""keys that one question names"""


@dataclass
class Batch:
    """What is to be written, and what has to be known for it."""

    orders: dict[int, Row] = field(default_factory=dict)
    executions: dict[int, Row] = field(default_factory=dict)
    movements: list[Row] = field(default_factory=list)
    instruments: list[Row] = field(default_factory=list)
    accounts: dict[str, str] = field(default_factory=dict)
    days: dict[tuple[str, str, str], Row] = field(default_factory=dict)


class Writing:
    """One transaction at a time. The state between two of them is in the database, but for instruments and
    totals, which are read once."""

    def __init__(self, connection: sa.Connection, day: str) -> None:
        self.day = day
        self._symbols = {
            row.symbol: (row.base, row.quote) for row in connection.execute(sa.select(instruments))
        }
        self._totals = _last_totals(connection)

    def write(self, connection: sa.Connection, records: Iterable[Record], to: Position) -> None:
        """`to`: where the log stands after these."""
        records = list(records)
        batch = Batch(orders=_known_orders(connection, records))
        known = set(batch.orders)
        for record in records:
            self._take(connection, batch, record)
        put(connection, instruments, batch.instruments)
        put(connection, accounts, [{"account": each, "client": own} for each, own in batch.accounts.items()])
        add(connection, executions, list(batch.executions.values()))
        changed = [row for row in batch.orders.values() if row["changed_now"]]
        add(connection, orders, [row for row in changed if row["order_id"] not in known])
        put(connection, orders, [row for row in changed if row["order_id"] in known])
        put(connection, movements, batch.movements)
        self._put_days(connection, batch)
        move(connection, to._replace(day=self.day))

    def _take(self, connection: sa.Connection, batch: Batch, record: Record) -> None:
        said: Any = record.fields
        match record.kind:
            case "execution":
                self._execution(connection, batch, record)
            case "instrument":
                self._symbols[said["symbol"]] = said["base"], said["quote"]
                batch.instruments.append(dict(said))
            case "day":
                self.day = said["day"]
            case "account":
                batch.accounts[said["account"]] = said["client"]
                for currency, amount in said["balances"].items():
                    self._change(batch, said["account"], currency, moved=Decimal(amount))
            case "hydrated":
                self._hydrated(batch, said)
            case "balance":
                amount = Decimal(said["amount"])
                self._change(batch, said["user"], said["currency"], moved=amount)
                batch.movements.append(self._movement(record, amount))

    def _movement(self, record: Record, amount: Decimal) -> Row:
        said: Any = record.fields
        return {
            "sequence": record.sequence,
            "time": record.time,
            "day": self.day,
            "account": said["user"],
            "currency": said["currency"],
            "amount": amount,
            "total": Decimal(said["total"]),
            "reference": said["reference"],
        }

    def _hydrated(self, batch: Batch, said: Any) -> None:
        """An account that the venue did not open itself: the record had it."""
        batch.accounts[said["user"]] = said["row"]["client"]
        for currency, amount in said["row"]["balances"].items():
            if (said["user"], currency) not in self._totals:
                self._change(batch, said["user"], currency, moved=Decimal(amount))

    def _execution(self, connection: sa.Connection, batch: Batch, record: Record) -> None:
        said: Any = record.fields
        row = {name: said.get(name) for name in IN_EXECUTIONS}
        row |= {"sequence": record.sequence, "time": record.time, "day": self.day}
        before = batch.orders.get(said["order_id"])
        if said["order_id"] < SPAN and said["exec_type"] in (TRADE, CORRECTED, BUSTED):
            self._settle(connection, batch, said, before)
        batch.executions[record.sequence] = row
        entered, day = (before["entered"], before["day"]) if before else (record.time, self.day)
        last = {"entered": entered, "day": day, "changed": record.time, "last_event": record.sequence}
        batch.orders[said["order_id"]] = (
            {name: said.get(name) for name in IN_ORDERS} | last | {"changed_now": True}
        )

    def _settle(self, connection: sa.Connection, batch: Batch, said: Any, before: Row | None) -> None:
        """What an order's fills come to now, less what they came to before."""
        base, quote = self._symbols[said["symbol"]]
        had = (Decimal(before["cum_quantity"]), Decimal(before["value"])) if before else (ZERO, ZERO)
        goods, value = Decimal(said["cum_quantity"]) - had[0], Decimal(said["value"]) - had[1]
        fee = Decimal(said["fee"] or 0)
        if said["exec_type"] == BUSTED:
            fee = -fee
        elif said["exec_type"] == CORRECTED:
            fee -= _fee_until_now(connection, batch, said["ref_id"])
        sign = 1 if said["side"] == BUY else -1
        self._change(batch, said["account"], base, traded=sign * goods)
        self._change(batch, said["account"], quote, traded=-sign * value, fees=fee)

    def _change(
        self, batch: Batch, account: str, currency: str, traded: Decimal = ZERO, fees: Decimal = ZERO,
        moved: Decimal = ZERO,
    ) -> None:  # fmt: skip
        total = self._totals.get((account, currency), ZERO) + traded - fees + moved
        self._totals[account, currency] = total
        key = self.day, account, currency
        row = batch.days.setdefault(key, {"traded": ZERO, "fees": ZERO, "moved": ZERO})
        row["traded"] += traded
        row["fees"] += fees
        row["moved"] += moved
        row["total"] = total

    def _put_days(self, connection: sa.Connection, batch: Batch) -> None:
        """Added to what the day has had before this batch."""
        rows = []
        for (day, account, currency), row in batch.days.items():
            key = {"day": day, "account": account, "currency": currency}
            where = [account_days.c[name] == value for name, value in key.items()]
            known = connection.execute(sa.select(account_days).where(*where)).mappings().one_or_none()
            added = {
                name: row[name] + (known[name] if known else ZERO) for name in ("traded", "fees", "moved")
            }
            rows.append(key | added | {"total": row["total"]})
        put(connection, account_days, rows)


def _known_orders(connection: sa.Connection, records: list[Record]) -> dict[int, Row]:
    wanted = list({each.fields["order_id"] for each in records if each.kind == "execution"})
    known: dict[int, Row] = {}
    for first in range(0, len(wanted), PIECE):
        piece = orders.c.order_id.in_(wanted[first : first + PIECE])
        for row in connection.execute(sa.select(orders).where(piece)).mappings():
            known[row["order_id"]] = dict(row) | {"changed_now": False}
    return known


def _fee_until_now(connection: sa.Connection, batch: Batch, fill: int) -> Decimal:
    """Of a fill that may have been corrected before."""
    found: dict[int, Row] = {
        row["sequence"]: dict(row)
        for row in connection.execute(
            sa.select(executions).where((executions.c.sequence == fill) | (executions.c.ref_id == fill))
        ).mappings()
    }
    found |= {number: row for number, row in batch.executions.items() if fill in (number, row["ref_id"])}
    return Decimal(found[max(found)]["fee"] or 0)


def _last_totals(connection: sa.Connection) -> dict[Key, Decimal]:
    last = (
        sa.select(
            account_days.c.account, account_days.c.currency, sa.func.max(account_days.c.day).label("day")
        )
        .group_by(account_days.c.account, account_days.c.currency)
        .subquery()
    )
    same = [account_days.c[name] == last.c[name] for name in ("account", "currency", "day")]
    rows = connection.execute(sa.select(account_days).join(last, sa.and_(*same)))
    return {(row.account, row.currency): row.total for row in rows}
