"""Drop copy over every death: features 56, 57, 59, 60. Readers come and go, each process is killed at random;
what a session saw is the log, each event once."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from fixgw.publish import standing
from tests.dropcopy.floor import CopyFloor, copies, copying, executions
from tests.raw import BUY, SELL, new_order
from tests.venue.test_kill import read_the_rest
from tests.venue.trader import Trader
from tests.venue.users import wait_for

ROUNDS = 8


def output_pid(floor: CopyFloor) -> int:
    """Of the drop copy's process."""
    return int((floor.data / "drop-copy" / "lock").read_text())


def burst(trader: Trader, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 30)):
        name, side = f"{trader.comp_id}-{trader.next_outbound}", chance.choice((BUY, SELL))
        price = f"{100 + chance.randint(-2, 2)}.00"
        how = {"time_in_force": chance.choice("013"), "symbol": "M1-USD", "account": f"{trader.comp_id}-1"}
        trader.trade(*new_order(name, side, f"0.{chance.randint(1, 9)}", price, **how))


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("seed", [1, 2])
def test_57_what_a_session_saw_is_the_log(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    sessions = {"ALL": {}, "FILLS": {"events": "fills"}, "IDLE": {"clients": ["ALPHA"]}}
    with copying(tmp_path, {"sessions": sessions}, snapshots={"entries": 100}) as floor:
        traders = [Trader(floor.host, floor.port, name) for name in ("ALPHA", "BRAVO")]
        for trader in traders:
            trader.recover(floor.port)
        readers = [floor.reader("ALL"), floor.reader("FILLS")]
        for _ in range(ROUNDS):
            for trader in traders:
                burst(trader, chance)
            for reader in readers:
                reader.take_up_to(chance.randint(0, 30))
            if chance.random() < 0.6:
                kill_output(floor)
                read_the_rest(readers, chance)
            if chance.random() < 0.4:
                floor.kill9()
                read_the_rest([*traders, *(each for each in readers if each.connected)], chance)
                floor.start()
                for trader in traders:
                    trader.recover(floor.port)
            for reader in readers:
                if not reader.connected:
                    floor.reader(reader.comp_id)
        for trader in traders:
            trader.fence()
            trader.close()
        last = floor.status()["journal"].split()[2]
        readers.append(floor.reader("IDLE"))
        for reader in readers:
            wait_for_rest(floor, reader, int(last))
            reader.close()
    log = executions(floor.data)
    wanted = {
        "ALL": list(log),
        "FILLS": [number for number, event in log.items() if event.exec_type == "F"],
        "IDLE": [number for number, event in log.items() if event.client == "ALPHA"],
    }
    for reader in readers:
        seen = [int(each[17]) for each in copies(reader) if 97 not in each]
        assert seen == wanted[reader.comp_id], reader.comp_id
        assert all(each[37] == str(log[int(each[17])].order_id) for each in copies(reader))


def kill_output(floor: CopyFloor) -> None:
    """Returns when there is another one."""
    pid = output_pid(floor)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: "is not ready" in floor.status()["output"] or output_pid(floor) != pid, "its end")
    assert floor.copy_port


def wait_for_rest(floor: CopyFloor, reader: Trader, last: int) -> None:
    def reached() -> bool:
        found = standing.read(floor.data / "drop-copy")
        return found is not None and found.sessions[reader.comp_id] >= last

    wait_for(reached, f"{reader.comp_id} to be sent all up to {last}")
    reader.fence()
