"""`fixgw history`: asks the database that `fixgw publish history` writes."""

import argparse
import sys
import time
from pathlib import Path

import sqlalchemy as sa

from fixgw.history import database
from fixgw.history.asking import QUESTIONS, Filters
from fixgw.history.publisher import HistoryWriter, Stop
from fixgw.history.showing import show_csv, show_json, show_table, write_parquet
from fixgw.publish.fix import moment
from fixgw.publish.standing import Standing, behind
from fixgw.settings import SettingsError, load
from fixgw.store.directory import data_path
from fixgw.store.failures import StoreError
from fixgw.store.pulse import EVENT, Pulse

UNUSABLE = 2
"""exit code"""
SUMMARIES = {
    "orders": "orders as they are or ended",
    "fills": "trades, busts and corrections",
    "executions": "every step of every order",
    "account": "what accounts had and what moved, by day and currency",
    "movements": "deposits and withdrawals",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Ask the history. Times are UTC: YYYY-MM-DD, YYYY-MM-DDTHH:MM[:SS[.fff]], or HH:MM of today. The "
        "last line on stderr says how far the history is behind the log."
    )
    kinds = parser.add_subparsers(dest="question", required=True, metavar="WHAT")
    for name, summary in SUMMARIES.items():
        each = kinds.add_parser(name, help=summary)
        _common(each)
        if name in ("account", "movements"):
            each.add_argument("account", nargs="?", metavar="ACCOUNT", help="one account; default: all")
        else:
            each.add_argument("--account", metavar="ACCOUNT")
            each.add_argument("--symbol", metavar="SYMBOL")
            each.add_argument("--order", metavar="ID", help="an OrderID or ClOrdID")
            each.add_argument("--status", metavar="STATUS", help="OrdStatus(39), such as 2")
        if name != "movements":
            each.add_argument("--client", metavar="CLIENT")
        each.add_argument("--day", metavar="YYYY-MM-DD", help="a trading day")
        if name != "account":
            each.add_argument("--from", dest="since", type=moment, metavar="TIME", help="not before TIME")
            each.add_argument("--to", dest="until", type=moment, metavar="TIME", help="before TIME")
        each.add_argument("--limit", type=_count, metavar="N", help="at most N rows")
        how = each.add_mutually_exclusive_group()
        how.add_argument("--csv", action="store_true", help="as CSV")
        how.add_argument("--json", action="store_true", help="one JSON object a line")
        how.add_argument("--parquet", type=Path, metavar="FILE", help="into a Parquet file")
    _common(kinds.add_parser("rebuild", help="forget all tables and make them again from the log"))


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, default=Path("config/venue.yaml"), help="the venue's settings")
    parser.add_argument("--data", type=data_path, default=Path("data"), help="the venue's data directory")


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number < 2**31:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def history_command(args: argparse.Namespace) -> int:
    """Exit code: 0, or 2 for a history that cannot be asked."""
    try:
        engine = database.make_engine(load(args.config).history, args.config, args.data)
        if args.question == "rebuild":
            _rebuild(engine, args.data)
        else:
            _answer(engine, args)
    except (SettingsError, StoreError) as problem:
        print(f"fixgw history: {problem}", file=sys.stderr)
        return UNUSABLE
    except sa.exc.DBAPIError as problem:
        print(f"fixgw history: the database cannot be used: {database.in_a_line(problem)}", file=sys.stderr)
        return UNUSABLE
    return 0


def _answer(engine: sa.Engine, args: argparse.Namespace) -> None:
    names = [name for name in Filters._fields if getattr(args, name, None) is not None]
    statement = QUESTIONS[args.question](Filters(**{name: getattr(args, name) for name in names}))
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("position"):
            raise SettingsError("there is no history yet: `history.on: yes` in the settings has it written")
        at = database.standing(connection)
        result = connection.execution_options(yield_per=1000).execute(statement)
        columns = list(result.keys())
        if args.parquet:
            print(f"{write_parquet(args.parquet, columns, result)} rows in {args.parquet}")
        elif args.csv:
            show_csv(columns, result)
        elif args.json:
            show_json(columns, result)
        else:
            show_table(columns, result)
    sys.stdout.flush()
    pulse = Pulse.look(args.data)
    written = pulse.numbers[EVENT] if pulse is not None else at.event
    print(f"history: {behind(Standing(at.event, at.time), written, time.time_ns())}", file=sys.stderr)


def _rebuild(engine: sa.Engine, directory: Path) -> None:
    database.begin_anew(engine)
    writer = HistoryWriter(engine, directory, Stop(None))
    writer.begin()
    while writer.step():
        pass
    print(f"the history has the log up to event {writer.begin().event}")
