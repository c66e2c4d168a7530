"""One simulation, from its script to its end: one node or several."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from fixgw.bridge.link import Link
from tests.simulation import orders
from tests.simulation.between import Between, distant
from tests.simulation.loop import VirtualLoop
from tests.simulation.process import OWN
from tests.simulation.script import Script
from tests.simulation.site import Site
from tests.simulation.store import Crash
from tests.simulation.wires import Wires

PATIENCE = 180.0
"""virtual seconds after which all has come to rest once nothing goes wrong any more"""

TURNS = 5
"""of the loop, in which what was under way ends"""


class World:
    def __init__(self, script: Script, directory: Path) -> None:
        self.loop = VirtualLoop()
        self.loop.set_exception_handler(self._overlooked)
        self.loop.set_task_factory(self._task)
        self.failure: BaseException | None = None
        self.between = Between()
        self.wires = Wires(self.loop, script.nodes, script.seed, self._answer)
        self.sites: list[Site] = []
        for number, peers in enumerate(markets(script), 1):
            folder = directory / str(number)
            folder.mkdir()
            self.sites.append(Site(script, folder, self.loop, number, peers, self.between, self.wires))
        self.script = script

    def play(self) -> None:
        for site in self.sites:
            site.start()
        for number, step in enumerate(self.script.steps):
            self.run_until(self.loop.now + step.gap / 1000)
            site = self.sites[0]
            if len(self.sites) > 1:
                site = Random(f"whose {step.number}").choice(self.sites)
                self._compare()
            site.do(number, step)
        self.run_until(self.loop.now + 0.5)
        self.drain()

    def run_until(self, moment: float) -> None:
        while True:
            self.loop.run_until(moment)
            if self.failure is not None:
                raise self.failure
            started = [site.look_after() for site in self.sites]
            if self.loop.now >= moment and not any(started):
                return

    def drain(self) -> None:
        """Nothing goes wrong any more: all comes to rest."""
        self.wires.airs.clear()
        for site in self.sites:
            site.calm()
        end = self.loop.now + PATIENCE
        self._wait_for_links(end)
        for site in self.sites:
            site.come_to_rest()
        while unrest := self._unrest():
            assert self.loop.now < end, f"it does not come to rest: {unrest}"
            for site in self.sites:
                site.empty()
            self.run_until(self.loop.now + 2)
        for site in self.sites:
            site.account_for_all()

    def _wait_for_links(self, end: float) -> None:
        """Then all nodes have the same picture of what is between them, before anything is tidied up."""
        while self.between.unheard():
            assert self.loop.now < end, f"it is never heard: {self.between.unheard()}"
            self.run_until(self.loop.now + 0.5)
        self._compare()

    def _compare(self) -> None:
        for home, market in self.between.compare():
            site = self.sites[home - 1]
            orders = distant(self.between.venues[home], market)
            left = {order.order_id for order in orders} & site.oracle.lives.requests.withdrawn
            assert not left or site.venue.canceling, f"node {home}: {left} were to be canceled"

    def _unrest(self) -> str:
        return next((unrest for site in self.sites if (unrest := site.unrest())), "")

    def _task(self, loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        node = OWN.get().node
        assert node is not None
        return node.task_made(loop, work, **more)

    def _answer(self, number: int, link: Link) -> None:
        site = self.sites[number - 1]
        self.loop.call_soon(site.answer, link, context=site.context)

    def _overlooked(self, loop: Any, context: dict[str, Any]) -> None:
        problem = context.get("exception")
        if problem is not None and not isinstance(problem, Crash) and self.failure is None:
            self.failure = problem
            loop.stop()


def markets(script: Script) -> list[dict[str, int]]:
    """Of each node, by symbol: which node has the market, 0 for itself. A market on another node is at least
    one of the first node's."""
    if script.nodes == 1:
        return [dict.fromkeys(orders.SYMBOLS, 0)]
    choose = Random(f"markets {script.seed}")
    hosts = dict(zip(orders.SYMBOLS, (2, choose.randint(1, script.nodes)), strict=True))
    found = []
    for number in range(1, script.nodes + 1):
        own = {symbol for symbol in orders.SYMBOLS if hosts[symbol] == number or choose.random() < 0.2}
        if number == 1:
            own -= {orders.SYMBOLS[0]}
        found.append({symbol: 0 if symbol in own else hosts[symbol] for symbol in orders.SYMBOLS})
    return found


@contextmanager
def small() -> Iterator[None]:
    """So that what takes more than a turn takes several, and no real clock is asked."""
    at_once = ("frontend.frontend.CANCELED", "cycle.cycle.CANCELED", "cycle.absence.CANCELED")
    with ExitStack() as stack:
        for name in (*at_once, "cycle.recorder.EXPIRED"):
            stack.enter_context(patch(f"fixgw.{name}_AT_ONCE", 2))
        stack.enter_context(patch("fixgw.bridge.peer.AT_ONCE", 2))
        stack.enter_context(patch("fixgw.bridge.peer.WAITING", 6))
        stack.enter_context(patch("fixgw.cycle.rota.perf_counter", lambda: 0.0))
        yield


def play(script: Script) -> World:
    """Raises what is wrong; its `world` is how far it came."""
    with tempfile.TemporaryDirectory() as directory, small():
        world = World(script, Path(directory))
        try:
            world.play()
        except BaseException as problem:
            problem.world = world  # type: ignore[attr-defined]
            raise
        finally:
            for site in world.sites:
                if site.node is not None:
                    site.node.kill()
            for _ in range(TURNS):
                world.loop.run_until(world.loop.now)
            world.loop.close()
    return world
