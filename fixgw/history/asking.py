"""What can be asked: one statement for each kind of question."""

from collections.abc import Callable
from typing import Any, NamedTuple

import sqlalchemy as sa

from fixgw.history.tables import account_days, accounts, executions, movements, orders


class Filters(NamedTuple):
    """None: any."""

    client: str | None = None
    account: str | None = None
    symbol: str | None = None
    order: str | None = None
    """OrderID or ClOrdID"""
    status: str | None = None
    day: str | None = None
    since: int | None = None
    until: int | None = None
    """times in nanoseconds since the epoch: from, and before"""
    limit: int | None = None


Statement = sa.Select[Any]


def ask_orders(given: Filters) -> Statement:
    statement = _names(sa.select(orders).order_by(orders.c.order_id), orders, given)
    if given.status is not None:
        statement = statement.where(orders.c.ord_status == given.status)
    if given.order is not None:
        statement = statement.where(_order(orders, given.order))
    return _times(statement, orders.c.entered, given).limit(given.limit)


def ask_fills(given: Filters) -> Statement:
    """Trades, their busts and corrections."""
    kinds = executions.c.exec_type.in_(("F", "G", "H"))
    return _executions(sa.select(executions).where(kinds), given)


def ask_executions(given: Filters) -> Statement:
    return _executions(sa.select(executions), given)


def ask_account(given: Filters) -> Statement:
    """By day and currency."""
    statement = sa.select(account_days, accounts.c.client).join(
        accounts, accounts.c.account == account_days.c.account
    )
    if given.client is not None:
        statement = statement.where(accounts.c.client == given.client)
    if given.account is not None:
        statement = statement.where(account_days.c.account == given.account)
    if given.day is not None:
        statement = statement.where(account_days.c.day == given.day)
    keys = account_days.c.account, account_days.c.day, account_days.c.currency
    return statement.order_by(*keys).limit(given.limit)


def ask_movements(given: Filters) -> Statement:
    statement = sa.select(movements).order_by(movements.c.sequence)
    if given.account is not None:
        statement = statement.where(movements.c.account == given.account)
    if given.day is not None:
        statement = statement.where(movements.c.day == given.day)
    return _times(statement, movements.c.time, given).limit(given.limit)


QUESTIONS: dict[str, Callable[[Filters], Statement]] = {
    "orders": ask_orders,
    "fills": ask_fills,
    "executions": ask_executions,
    "account": ask_account,
    "movements": ask_movements,
}


def _executions(statement: Statement, given: Filters) -> Statement:
    statement = _names(statement.order_by(executions.c.sequence), executions, given)
    if given.order is not None:
        statement = statement.where(_order(executions, given.order))
    if given.status is not None:
        statement = statement.where(executions.c.ord_status == given.status)
    return _times(statement, executions.c.time, given).limit(given.limit)


def _names(statement: Statement, table: sa.Table, given: Filters) -> Statement:
    for name in ("client", "account", "symbol", "day"):
        value = getattr(given, name)
        if value is not None:
            statement = statement.where(table.c[name] == value)
    return statement


def _order(table: sa.Table, name: str) -> sa.ColumnElement[bool]:
    by_name = table.c.cl_ord_id == name
    number = name.isdecimal() and name.isascii() and len(name) < 19
    return sa.or_(by_name, table.c.order_id == int(name)) if number else by_name


def _times(statement: Statement, column: sa.Column[Any], given: Filters) -> Statement:
    if given.since is not None:
        statement = statement.where(column >= given.since)
    if given.until is not None:
        statement = statement.where(column < given.until)
    return statement
