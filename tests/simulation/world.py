"""One simulation, from its script to its end."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

from engine.commands import CancelMany, SetKill, SetState
from engine.words import ACCOUNT, BLOCKED, CONTINUOUS, RECEIVING
from fixgw.admin.words import Resolve
from fixgw.codec.fields import fields
from tests.simulation import orders
from tests.simulation.faults import Faults
from tests.simulation.record import FAIR
from tests.simulation.script import Script

SOH = "\x01"
PATIENCE = 180.0
"""virtual seconds after which all has come to rest once nothing goes wrong any more"""


class World(Faults):
    def play(self, script: Script) -> None:
        self._start()
        for number, step in enumerate(script.steps):
            self.run_until(self.loop.now + step.gap / 1000)
            self.oracle.note(f"step {number}: {step.kind}")
            does = getattr(self, "do_" + step.kind.replace("-", "_"))
            self._in_loop(partial(does, Random(step.number)))
        self.run_until(self.loop.now + 0.5)
        self.drain()

    def drain(self) -> None:
        """Nothing goes wrong any more: all comes to rest."""
        self.oracle.note("nothing goes wrong any more")
        self.disk.crash_before = self.disk.crash_after = 0
        self.record.weather = FAIR
        self.post.late = self.post.twice = 0
        self._in_loop(self._open_all)
        end = self.loop.now + PATIENCE
        while self._unrest():
            assert self.loop.now < end, f"it does not come to rest: {self._unrest()}"
            self._in_loop(self._clear)
            self.run_until(self.loop.now + 2)
        self._account_for_all()

    def _open_all(self) -> None:
        for account in self.accounts:
            self._accept(SetKill(0, ACCOUNT, account, False))
        for symbol in orders.SYMBOLS:
            self._accept(SetState(0, symbol, CONTINUOUS))
        for client in self.clients.values():
            self._knock(client)

    def _clear(self) -> None:
        self._accept(CancelMany(0, "", "", "", "", 100, text="the end"))
        for user in self.venue.users.values():
            if user.state == BLOCKED:
                self._ask(Resolve(user.name, keep=user.version % 2 == 0))

    def _unrest(self) -> str:
        """What is not at rest."""
        venue, node = self.venue, self.node
        assert node is not None
        if len(node.parking):
            return f"{len(node.parking)} messages wait"
        for shard in venue.shards.values():
            if shard.flushing:
                return f"{list(shard.flushing)} are being written"
        if venue.moving or venue.to_move or venue.to_look_at:
            return f"moving {list(venue.moving)}, to move {list(venue.to_move)}"
        if venue.unheard:
            return f"{list(venue.unheard)} have not heard all"
        if venue.users:
            return f"{list(venue.users)} are in memory"
        if venue.canceling:
            return "orders are to be canceled"
        if any(state == RECEIVING for _, state in venue.router.routing.members):
            return "a shard is receiving"
        return ""

    def _account_for_all(self) -> None:
        there = Counter(self.record.money())
        there.update(self.venue.collected)
        money = {name: amount for name, amount in there.items() if amount}
        assert money == {name: amount for name, amount in self.oracle.expected.items() if amount}
        for user in self.accounts:
            assert self.venue.router.owner(user) == self.venue.router.home(user), f"{user} is not at home"
        for client in self.clients.values():
            for text in client.sent:
                name = fields(text)["11"]
                assert (client.name, name) in self.answered, (
                    f"{name} was never answered: {text.replace(SOH, ' ')}"
                )


@contextmanager
def small() -> Iterator[None]:
    """So that what takes more than a turn takes several, and no real clock is asked."""
    at_once = ("frontend.frontend.CANCELED", "cycle.cycle.CANCELED", "cycle.absence.CANCELED")
    with ExitStack() as stack:
        for name in (*at_once, "cycle.recorder.EXPIRED"):
            stack.enter_context(patch(f"fixgw.{name}_AT_ONCE", 2))
        stack.enter_context(patch("fixgw.cycle.rota.perf_counter", lambda: 0.0))
        yield


def play(script: Script) -> World:
    """Raises what is wrong; its `world` is how far it came."""
    with tempfile.TemporaryDirectory() as directory, small():
        world = World(script, Path(directory))
        try:
            world.play(script)
        except BaseException as problem:
            problem.world = world  # type: ignore[attr-defined]
            raise
        finally:
            if world.node is not None:
                world.node.kill()
            world.loop.close()
    return world
