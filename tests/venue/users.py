"""What tests of users need: accounts as the operator sees them, the journal as people read it, and a record
that stops answering when the test says so."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, TypeVar

import lmdb

from fixgw.admin.command import ask
from fixgw.admin.words import Accounts, OpenAccount, Shards, Transfer
from tests.venue.floor import FAMILIES, Floor
from tests.venue.operating import done, fixgw

MANY = 40
MONEY = {"USD": 10**6, "BTC": 10**3}
CLIENTS = {
    name: {"accounts": {f"{name}-{number}": MONEY for number in range(1, MANY + 1)}} for name in FAMILIES
}
"""with accounts enough that each test has its own; ALPHA-1 is the first"""
QUICK = {"idle_seconds": 1, "unknown_seconds": 1, "wait_seconds": 30}
"""users leave soon, and orders wait for as long as a test may take"""
Found = TypeVar("Found")


class Account(NamedTuple):
    client: str
    balances: dict[str, tuple[Decimal, Decimal]]
    """total and reserved by currency"""
    where: str
    """a shard; "" in the record"""
    orders: int


class Shard(NamedTuple):
    state: str
    in_memory: int
    idle: int
    being_written: int
    orders: int


def wait_for(find: Callable[[], Found], what: str) -> Found:
    """Returns the first thing found that is something."""
    deadline = time.monotonic() + 60
    while not (found := find()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)
    return found


_ACCOUNT = re.compile(
    r"account  (\S+) +(\S+) +(.+)  \(in (?:memory on (\S+?)(?:, \w+)?, (\d+) open orders|the record)\)"
)
_MONEY = re.compile(r"(\w+) ([\d.]+)(?: \(([\d.]+) reserved\))?")
_SHARD = re.compile(
    r"shard    (\S+) +(\w+) +(\d+) accounts in memory, (\d+) idle, (\d+) being written, (\d+) open orders"
)


def accounts(venue: Floor, *names: str) -> dict[str, Account]:
    """As `fixgw admin accounts` has them: these, or all."""
    found: dict[str, Account] = {}
    after = ""
    while True:
        lines = done(venue, Accounts(list(names), after=after, limit=1000))
        listed = [line for line in lines if line.startswith("account ")]
        found |= dict(map(_account, listed))
        if names or not listed:
            return found
        after = max(found)


def _account(line: str) -> tuple[str, Account]:
    match = _ACCOUNT.fullmatch(line)
    assert match, line
    name, client, money, where, orders = match.groups()
    balances = {
        currency: (Decimal(total), Decimal(reserved or 0))
        for currency, total, reserved in _MONEY.findall(money)
    }
    return name, Account(client, balances, where or "", int(orders or 0))


def account(venue: Floor, name: str) -> Account:
    return accounts(venue, name)[name]


def money(venue: Floor) -> dict[str, Decimal]:
    """All there is of each currency."""
    totals: dict[str, Decimal] = {}
    for each in accounts(venue).values():
        for currency, (total, _) in each.balances.items():
            totals[currency] = totals.get(currency, Decimal(0)) + total
    return totals


def shards(venue: Floor) -> dict[str, Shard]:
    """As `fixgw admin shards` has them."""
    found = {}
    for line in done(venue, Shards()):
        if match := _SHARD.fullmatch(line):
            name, state, *numbers = match.groups()
            found[name] = Shard(state, *map(int, numbers))
    return found


def opened(venue: Floor, name: str, client: str, **money: object) -> str:
    """A new account, with this much of each currency."""
    done(venue, OpenAccount(name, client))
    for currency, amount in money.items():
        done(venue, Transfer(name, str(amount), currency, f"first-{currency}"))
    return name


def leaves(venue: Floor, name: str) -> str:
    """Returns once the account is in the record only."""
    wait_for(lambda: not account(venue, name).where, f"account {name} to leave memory")
    return name


def journal(data: Path, *words: str) -> list[str]:
    """The lines of `fixgw log journal` that have all these words, without number and time."""
    return _log(data, "journal", words)


def events(data: Path, *words: str) -> list[str]:
    return _log(data, "events", words)


def _log(data: Path, what: str, words: tuple[str, ...]) -> list[str]:
    printed = fixgw("log", "--data", data, what)
    assert (printed.returncode, printed.stderr) == (0, ""), printed
    lines = [line.split(" ", 2)[2] for line in printed.stdout.splitlines()]
    return [line for line in lines if all(word in line.split() for word in words)]


def record(venue: Floor) -> dict[str, int]:
    """What `fixgw admin status` counts of it: users read, written, writing, repaired."""
    words = venue.status()["record"].split(", ")[-4:]
    return {name: int(number) for name, number in (each.split() for each in words)}


@contextmanager
def held_record(venue: Floor) -> Iterator[None]:
    """Another process holds the record's file: it answers nothing from the first write to the end."""
    path = str(venue.data / "accounts.mdb")
    with lmdb.open(path, subdir=False, map_size=1 << 30, max_dbs=3) as environment:
        transaction = environment.begin(write=True)
        try:
            yield
        finally:
            transaction.abort()


@contextmanager
def stalled_record(venue: Floor, client: str = "ALPHA") -> Iterator[str]:
    """A record that answers nothing until the end. Yields the name of a user that it is to write."""
    name = f"{client}-STALL-{time.monotonic_ns()}"
    wait_for(lambda: ask(venue.data, OpenAccount(name, client)).ok, "a place in memory")
    with held_record(venue):
        wait_for(lambda: ", leaving, " in done(venue, Accounts([name]))[0], "it to leave")
        wait_for(lambda: record(venue)["writing"], "the record to stall")
        yield name
