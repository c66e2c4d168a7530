"""One node with all who use it."""

from __future__ import annotations

from collections import Counter
from random import Random

from engine.commands import CancelMany, SetKill, SetState
from engine.words import ACCOUNT, BLOCKED, CONTINUOUS, RECEIVING
from fixgw.admin.words import Resolve
from fixgw.codec.fields import fields
from tests.simulation.faults import Faults
from tests.simulation.record import FAIR
from tests.simulation.script import Step

SOH = "\x01"
BY_CLIENTS = "order", "burst", "replace", "cancel", "repeat", "mass-cancel"
"""steps that there are while the process is down"""


class Site(Faults):
    def do(self, number: int, step: Step) -> None:
        self.oracle.note(f"step {number}: {step.kind}")
        assert self.node is not None
        if not self.node.dead or step.kind in BY_CLIENTS:
            does = getattr(self, "do_" + step.kind.replace("-", "_"))
            self._in_loop(lambda: does(Random(step.number)))

    def calm(self) -> None:
        """Nothing goes wrong any more."""
        self.oracle.note("nothing goes wrong any more")
        self.disk.crash_before = self.disk.crash_after = 0
        self.away_until = 0.0
        assert self.node is not None
        self.node.room.full_until = 0.0
        self.record.weather = FAIR
        self.post.late = self.post.twice = 0

    def come_to_rest(self) -> None:
        self._in_loop(self.open_all)

    def empty(self) -> None:
        self._in_loop(self.clear)

    def open_all(self) -> None:
        for scope, name in {**self.venue.killed, **{(ACCOUNT, name): None for name in self.accounts}}:
            self._accept(SetKill(0, scope, name, False))
        for symbol in self.symbols:
            self._accept(SetState(0, symbol, CONTINUOUS))
        for client in self.clients.values():
            self._knock(client)

    def clear(self) -> None:
        self._accept(CancelMany(0, "", "", "", "", 100, text="the end"))
        for user in self.venue.users.values():
            if user.state == BLOCKED:
                self._ask(Resolve(user.name, keep=user.version % 2 == 0))

    def unrest(self) -> str:
        """What is not at rest."""
        venue, node = self.venue, self.node
        if node is None or node.dead:
            return "it is down"
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
        for peer, channel in venue.channels.items():
            if channel.outstanding or channel.in_flight or not node.bridge.peers[peer].linked:
                return f"node {peer} has not heard {list(channel.outstanding)}"
        if venue.asked or self.oracle.lives.requests.open:
            return f"{list(venue.asked)} are not answered"
        if venue.canceling:
            return "orders are to be canceled"
        if any(state == RECEIVING for _, state in venue.router.routing.members):
            return "a shard is receiving"
        return ""

    def account_for_all(self) -> None:
        there = Counter(self.record.money())
        there.update(self.venue.collected)
        money = {name: amount for name, amount in there.items() if amount}
        assert money == {name: amount for name, amount in self.oracle.expected.items() if amount}
        for user in self.accounts:
            assert self.venue.router.owner(user) == self.venue.router.home(user), f"{user} is not at home"
        assert not self.oracle.lives.untold(), f"clients were not told {self.oracle.lives.untold()}"
        for client in self.clients.values():
            for text in client.sent:
                name = fields(text)["11"]
                assert (client.name, name) in self.answered, (
                    f"{name} was never answered: {text.replace(SOH, ' ')}"
                )
