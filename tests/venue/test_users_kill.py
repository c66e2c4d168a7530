"""kill -9 while users come and go: features 34 and 43, users.md 2.3, 2.6, 2.11, 5.3. Money is conserved, each
order is answered once, and what waited for its user is decided after the restart."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path

import pytest

from fixgw.admin.words import ChangeShard, PinUser
from tests.raw import BUY, SELL, new_order
from tests.venue.floor import CANCELED, NEW, REPLACED, Floor, Member, running
from tests.venue.operating import ask
from tests.venue.test_away import come_back
from tests.venue.test_kill import check, read_the_rest
from tests.venue.test_users_shards import single_residency
from tests.venue.trader import Trader
from tests.venue.users import (
    CLIENTS,
    MANY,
    MONEY,
    QUICK,
    account,
    events,
    journal,
    leaves,
    money,
    stalled_record,
    wait_for,
)

KILLS = 10
AT_MOST = 100
"""kills: on a slow machine fewer users come between two of them"""
ALL = {name: Decimal(each * MANY * 3) for name, each in MONEY.items()}


def test_34_orders_that_wait_survive_a_kill(tmp_path: Path) -> None:
    """users.md 2.1: with the messages behind them, in their order."""
    with running(tmp_path, users=QUICK, clients=CLIENTS) as venue:
        leaves(venue, "ALPHA-1")
        member = Member(venue, "M1-USD", "ALPHA")
        member.logon(reset=True)
        with stalled_record(venue) as other:
            member.new("a", BUY, "1", "100")
            member.replace("b", "a", BUY, "2", "101", account="ALPHA-1")
            member.new("a", BUY, "3", "100")
            member.new("k", BUY, "1", "100")
            assert member.settle() == []
            venue.kill9()
            member.close()
        venue.start()
        wait_for(lambda: account(venue, "ALPHA-1").orders == 2, "the orders to be decided")
        said = [(each[11].rpartition(".")[2], each[150]) for each in come_back(venue, member)]
        assert said == [("a", NEW), ("b", REPLACED), ("a", "8"), ("k", NEW)]
        for name in "bk":
            member.cancel(f"c{name}", name)
            member.told(f"c{name}", CANCELED)
        member.logout()
        leaves(venue, other)  # it was being written when the venue was killed
        assert money(venue) == ALL


def test_34_a_user_that_was_being_written_is_written_again(tmp_path: Path) -> None:
    """users.md 2.6: whether or not the record had it."""
    with running(tmp_path, users=QUICK, clients=CLIENTS) as venue:
        for _ in range(3):
            with stalled_record(venue) as name:
                venue.kill9()
            venue.start()
            leaves(venue, name)
        assert money(venue) == ALL
        assert not events(venue.data, "UserConflict")


def burst(trader: Trader, chance: random.Random) -> None:
    """A few orders around one price, each of an account by chance."""
    for _ in range(chance.randint(1, 12)):
        name = f"{trader.comp_id}-{trader.next_outbound}"
        side, price = chance.choice((BUY, SELL)), f"{100 + chance.randint(-2, 2)}.00"
        account = f"{trader.comp_id}-{chance.randint(1, MANY)}"
        how = {"time_in_force": chance.choice("0133"), "symbol": "M1-USD", "account": account}
        trader.trade(*new_order(name, side, f"0.{chance.randint(1, 9)}", price, **how))


def disturb(venue: Floor, chance: random.Random) -> None:
    """Something that an operator may do; whether it is refused does not matter."""
    shard = f"S{chance.randint(1, 3)}"
    if chance.random() < 0.5:
        ask(venue.data, ChangeShard(shard, joins=chance.random() < 0.6))
    else:
        who = f"{chance.choice(('ALPHA', 'BRAVO'))}-{chance.randint(1, MANY)}"
        ask(venue.data, PinUser(who, chance.choice(("", shard)), now=chance.random() < 0.3))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
def test_34_no_money_and_no_order_is_lost_by_kills_while_users_come_and_go(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    users = QUICK | {"resident": 6, "wave": 3, "sweep": 5, "reconcile_seconds": 1}
    with running(tmp_path, users=users, clients=CLIENTS, snapshots={"entries": 100}) as venue:
        traders = [Trader("127.0.0.1", venue.port, name) for name in ("ALPHA", "BRAVO")]
        for trader in traders:
            trader.recover(venue.port)
        for kills in range(AT_MOST):
            if kills >= KILLS and len(journal(venue.data, "HydrateUser")) > MANY // 2:
                break
            for _ in range(chance.randint(1, 4)):
                for trader in traders:
                    burst(trader, chance)
                if chance.random() < 0.5:
                    disturb(venue, chance)
            for trader in traders:
                trader.take_up_to(chance.randint(0, 40))
            venue.kill9()
            read_the_rest(traders, chance)
            venue.start()
            for trader in traders:
                trader.recover(venue.port)
        wait_for(lambda: venue.status()["users"].endswith(" 0 orders wait"), "all to be decided")
        for trader in traders:
            trader.fence()
        for trader in traders:
            trader.close()
        assert money(venue) == ALL
        assert venue.status()["record"].endswith(", repaired 0")
        assert venue.terminate() == 0
        check(venue.data, traders)
        single_residency(venue)
        assert not events(venue.data, "UserConflict")
        assert len(journal(venue.data, "HydrateUser")) > MANY // 2
        venue.start()
        assert money(venue) == ALL
