"""What clients do."""

from __future__ import annotations

from random import Random

from engine.order import Order
from fixgw.codec.fields import fields
from tests.simulation import orders
from tests.simulation.clients import Client
from tests.simulation.process import Process

UNKNOWN = "A-99"


class Trading(Process):
    def _name(self, client: Client) -> str:
        self.names += 1
        return f"{client.name}-{self.names}"

    def _say(self, client: Client, text: str, choose: Random) -> None:
        client.sent.append(text)
        self.loop.call_later(choose.choice((0, 0, 0.001, 0.05, 0.3)), self._knock, client)

    def _knock(self, client: Client) -> None:
        node = self.node
        if node is not None and not node.dead:
            node.cycle.wake(node.lines[client.name])

    def _client(self, choose: Random) -> Client:
        return self.clients[choose.choice(sorted(self.clients))]

    def _account(self, choose: Random, firm: str = "") -> str:
        """The first ones are busier than the others."""
        own = [name for name in self.accounts if name.startswith(firm)]
        return own[min(int(choose.expovariate(0.35)), len(own) - 1)] if own else UNKNOWN

    def do_order(self, choose: Random) -> None:
        client = self._client(choose)
        account = self._account(choose, client.firm)
        if choose.random() < 0.04:
            account = choose.choice((UNKNOWN, *self.accounts))
        text = orders.new_order(choose, self._name(client), account, self.venue, self.now)
        self._say(client, text, choose)
        if choose.random() < 0.15:  # right behind it, before it can have been answered
            origin = fields(text)["11"]
            self._say(client, orders.cancel(choose, self._name(client), None, origin), choose)
        elif self.several and choose.random() < 0.25:
            self._say(client, orders.replace_behind(choose, self._name(client), text), choose)

    def do_burst(self, choose: Random) -> None:
        for _ in range(choose.randint(3, 12)):
            self.do_order(choose)

    def _order(self, choose: Random, client: Client) -> tuple[str, Order] | None:
        """With the name that is said: while a replace is under way it has two."""
        own = list(self.venue.orders.get(client.firm, {}).items())
        return choose.choice(own) if own else None

    def do_replace(self, choose: Random) -> None:
        client = self._client(choose)
        found = self._order(choose, client)
        if found is not None:
            text = orders.replace(choose, self._name(client), found[1], found[0], self.venue, self.now)
            self._say(client, text, choose)

    def do_cancel(self, choose: Random) -> None:
        client = self._client(choose)
        name, order = self._order(choose, client) or (f"{client.name}-1", None)
        self._say(client, orders.cancel(choose, self._name(client), order, name), choose)
        if self.several and choose.random() < 0.15:
            self.loop.call_later(0.3, self._lose, client, "12")

    def do_repeat(self, choose: Random) -> None:
        """The same message again, as a new one or as one that may have come."""
        client = self._client(choose)
        if client.sent:
            text = choose.choice(client.sent[-6:])
            self._say(client, text + "97=Y\x01" * (choose.random() < 0.5), choose)

    def do_mass_cancel(self, choose: Random) -> None:
        client = self._client(choose)
        text = orders.mass_cancel(choose, self._name(client), self._account(choose, client.firm))
        self._say(client, text, choose)

    def do_lost(self, choose: Random) -> None:
        """A connection: its orders end."""
        client = self._client(choose)
        self._lose(client, choose.choice(("12", "13")))

    def _lose(self, client: Client, why: str) -> None:
        if self.node is not None and not self.node.dead:
            self.node.mailboxes[client.name].cancels = why
            self._knock(client)
