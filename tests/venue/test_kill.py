"""kill -9 at random moments: nothing acknowledged is lost, nothing comes twice, nothing changes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine.events import Execution
from fixgw.store import journal
from fixgw.store.store import Store
from tests.process import VenueProcess
from tests.raw import BUY, SELL, Disconnected, cancel, new_order
from tests.venue.trader import Trader

KILLS = 12


def burst(trader: Trader, chance: random.Random, ids: list[str]) -> None:
    """A handful of orders and cancels around one price, so that many trade."""
    for _ in range(chance.randint(1, 30)):
        if ids and chance.random() < 0.2:
            name = f"{trader.comp_id}-{trader.next_outbound}"
            trader.trade(*cancel(name, chance.choice(ids), side=chance.choice((BUY, SELL))))
        else:
            name = f"{trader.comp_id}-{trader.next_outbound}"
            ids.append(name)
            price = f"{50000 + chance.randint(-5, 5)}.00"
            trader.trade(
                *new_order(
                    name,
                    chance.choice((BUY, SELL)),
                    f"0.{chance.randint(1, 9)}",
                    price,
                    account=f"{trader.comp_id}-1",
                    time_in_force=chance.choice(("0", "1", "3")),
                )
            )


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_report_is_lost_changed_or_doubled_by_kill_9(tmp_path: Path, seed: int) -> None:
    """Features 1, 12, 13, 20, 56: two clients trade, the venue is killed at random moments."""
    chance = random.Random(seed)
    venue = VenueProcess(tmp_path / "data").start()
    traders = [Trader("127.0.0.1", venue.port, name) for name in ("ALPHA", "BRAVO")]
    ids: dict[str, list[str]] = {trader.comp_id: [] for trader in traders}
    try:
        for trader in traders:
            trader.recover(venue.port)
        for _ in range(KILLS):
            for _ in range(chance.randint(1, 3)):
                for trader in traders:
                    burst(trader, chance, ids[trader.comp_id])
            for trader in traders:
                trader.take_up_to(chance.randint(0, 60))
            venue.kill9()
            read_the_rest(traders, chance)
            venue.start()
            for trader in traders:
                trader.recover(venue.port)
        for trader in traders:
            trader.fence()
        assert venue.terminate() == 0
        check(tmp_path / "data", traders)
        assert all(trader.replayed for trader in traders), "no kill hit a report on its way"
    except Exception as failure:
        failure.add_note(f"the venue wrote:\n{venue.errors[-3000:]}")
        raise
    finally:
        if venue.process.poll() is None:
            venue.kill9()


def read_the_rest(traders: list[Trader], chance: random.Random) -> None:
    """What had left the venue before it died counts as acknowledged; but a client may die as well."""
    for trader in traders:
        try:
            while chance.random() < 0.98:
                trader.take()
        except (Disconnected, ConnectionError):
            pass
        trader.close(abort=True)


def check(data: Path, traders: list[Trader]) -> None:
    """What the clients saw equals what the output log holds; every order was accepted at most once."""
    logged = {(event.session, exec_id): event for exec_id, event in executions_in(data)}
    for trader in traders:
        reports = [message for message in trader.reports.values() if message.get(37) != "NONE"]
        executions = {message[17]: message for message in reports if message.msg_type == "8"}
        assert len(executions) == sum(message.msg_type == "8" for message in reports), "an ExecID came twice"
        mine = {exec_id for session, exec_id in logged if session == trader.comp_id}
        assert set(executions) == mine, "the union of what was received is not what happened"
        for exec_id, message in executions.items():
            event = logged[trader.comp_id, exec_id]
            assert (message[11], message[150], message[39]) == (
                event.cl_ord_id,
                event.exec_type,
                event.ord_status,
            )
        accepted = [message[11] for message in executions.values() if message[150] == "0"]
        assert len(accepted) == len(set(accepted))
        orders = {dict(fields)[11] for msg_type, fields in trader.sent.values() if msg_type == "D"}
        refused = {message[11] for message in trader.reports.values() if message.get(150) == "8"}
        assert set(accepted) | refused == orders, "an order was neither accepted nor refused"


def executions_in(data: Path) -> list[tuple[str, Execution]]:
    store = Store(data, 0, readonly=True)
    with store.read() as transaction:
        events = [(str(number), event) for number, event in journal.events(store, transaction)]
    store.close()
    return [(number, event) for number, event in events if isinstance(event, Execution)]
