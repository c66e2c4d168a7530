"""The tables. Amounts are exact decimals: NUMERIC in PostgreSQL, text in SQLite, which has no such type and
would make binary fractions of them."""

from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

VERSION = 1
"""raised whenever a table changes"""


class Amount(TypeDecorator[Decimal]):
    """A Decimal in Python, whatever the database has."""

    impl = sa.String(64)
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> Any:
        kind = sa.Numeric(60, 18) if dialect.name == "postgresql" else sa.String(64)
        return dialect.type_descriptor(kind)

    def process_bind_param(self, value: Decimal | str | None, dialect: sa.Dialect) -> Any:
        if value is None:
            return None
        return Decimal(value) if dialect.name == "postgresql" else format(Decimal(value), "f")

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Decimal | None:
        return None if value is None else Decimal(value)


metadata = sa.MetaData()


def _name(name: str, **more: Any) -> sa.Column[str]:
    return sa.Column(name, sa.String(256), nullable=False, **more)


def _number(name: str, **more: Any) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger().with_variant(sa.Integer(), "sqlite"), **more)


def _amount(name: str, **more: Any) -> sa.Column[Decimal]:
    return sa.Column(name, Amount, **more)


position = sa.Table(
    "position",
    metadata,
    _number("version", nullable=False),
    _name("log"),
    _number("event", nullable=False),
    _number("journal", nullable=False),
    _name("entry"),
    _number("time", nullable=False),
    _name("day"),
)
"""one row: version of the tables; id of the venue's store; the last event and journal entry that are in them,
that entry's fingerprint, its time in nanoseconds since the epoch, and the trading day"""

instruments = sa.Table(
    "instruments", metadata, _name("symbol", primary_key=True), _name("base"), _name("quote"),
    _name("tick"), _name("lot"),
)  # fmt: skip

orders = sa.Table(
    "orders",
    metadata,
    _number("order_id", primary_key=True, autoincrement=False),
    _name("client", index=True),
    _name("session"),
    _name("account", index=True),
    _name("symbol", index=True),
    _name("cl_ord_id", index=True),
    _name("side"),
    _name("ord_type"),
    _name("time_in_force"),
    _name("ord_status", index=True),
    _amount("quantity", nullable=False),
    _amount("price"),
    _amount("stop_price"),
    _amount("cash"),
    _amount("cum_quantity", nullable=False),
    _amount("leaves_quantity", nullable=False),
    _amount("value", nullable=False),
    _number("entered", nullable=False),
    _number("changed", nullable=False),
    _number("last_event", nullable=False),
    _name("day", index=True),
)
"""as their last events told them; `value` is what the fills came to, `entered` and `changed` are times in
nanoseconds since the epoch, `day` is the trading day on which it came"""

executions = sa.Table(
    "executions",
    metadata,
    _number("sequence", primary_key=True, autoincrement=False),
    _number("time", nullable=False, index=True),
    _name("day", index=True),
    _name("exec_type"),
    _name("ord_status"),
    _number("order_id", nullable=False, index=True),
    _name("client", index=True),
    _name("session"),
    _name("account", index=True),
    _name("symbol", index=True),
    _name("cl_ord_id"),
    _name("side"),
    _amount("quantity", nullable=False),
    _amount("price"),
    _amount("cum_quantity", nullable=False),
    _amount("leaves_quantity", nullable=False),
    _amount("last_quantity"),
    _amount("last_price"),
    _number("match_id"),
    _name("liquidity"),
    _amount("fee"),
    _number("ref_id", index=True),
    sa.Column("text", sa.Text, nullable=False),
)
"""every step of every order; `sequence` is ExecID(17)"""

movements = sa.Table(
    "movements",
    metadata,
    _number("sequence", primary_key=True, autoincrement=False),
    _number("time", nullable=False),
    _name("day", index=True),
    _name("account", index=True),
    _name("currency"),
    _amount("amount", nullable=False),
    _amount("total", nullable=False),
    _name("reference"),
)
"""deposits, and withdrawals with amounts below 0"""

accounts = sa.Table(
    "accounts", metadata, _name("account", primary_key=True), _name("client", index=True),
)  # fmt: skip

account_days = sa.Table(
    "account_days",
    metadata,
    _name("day", primary_key=True),
    _name("account", primary_key=True),
    _name("currency", primary_key=True),
    _amount("traded", nullable=False),
    _amount("fees", nullable=False),
    _amount("moved", nullable=False),
    _amount("total", nullable=False),
)
"""of each day on which something moved: what trades brought, what they cost in fees, what was deposited less
what was withdrawn, and what there is after all of it"""
