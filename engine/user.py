"""One user: what it owns, and what its orders hold of that (docs/users.md, 1)."""

from typing import TYPE_CHECKING

from engine import refusals
from engine.commands import LimitAccount, ListInstrument
from engine.events import Execution
from engine.fees import fee_of
from engine.refusals import Refusal
from engine.user_commands import Row
from engine.words import BUY, HERE, TRADE

if TYPE_CHECKING:
    from engine.shard import Shard

SECOND = 1_000_000_000


class Balance:
    """In smallest units of one currency, 0 <= reserved <= total.

    Plain, as Hold and User are: writing an attribute of a Struct takes five times as long."""

    __slots__ = ("reserved", "total")

    def __init__(self, total: int, reserved: int = 0) -> None:
        self.total = total
        self.reserved = reserved

    @property
    def available(self) -> int:
        return self.total - self.reserved


class Hold:
    """What one order reserves, from the debit to its last event."""

    __slots__ = (
        "amount",
        "buys",
        "currency",
        "instrument",
        "order_id",
        "per_lot",
        "raised",
        "raised_per_lot",
        "raised_rate",
        "rate",
        "session",
        "step",
    )

    def __init__(
        self,
        order_id: int,
        session: str,
        instrument: ListInstrument,
        side: str,
        per_lot: int,
        amount: int,
        rate: int = 0,
    ) -> None:
        self.order_id = order_id
        self.session = session
        self.instrument = instrument
        self.buys = side == BUY
        self.currency = instrument.quote if self.buys else instrument.base
        self.per_lot = per_lot
        """that it reserves for each lot that is left, in smallest units; 0: an amount that only trades
        reduce, of a market order to buy"""
        self.amount = amount
        """that it reserves now"""
        self.rate = rate
        """of an order to buy that has `per_lot`: what the venue takes of a trade at most, in millionths. So
        much is reserved beyond what the lots come to"""
        self.step = 0
        """of the last event heard; 0: it is in flight"""
        self.raised = 0
        """what a replace that a distant market has not answered reserves besides: enough for any trades
        before its answer. What else makes the order need less meanwhile goes to it"""
        self.raised_per_lot = 0
        """`per_lot` once it has; so with `raised_rate`"""
        self.raised_rate = 0

    def needs(self, lots: int) -> int:
        """What it reserves when so many are left, of an order that has `per_lot`."""
        value = self.per_lot * lots
        return value + fee_of(value, self.rate)


class User:
    __slots__ = (
        "accepted",
        "balances",
        "client",
        "epoch",
        "holds",
        "last_active",
        "limits",
        "name",
        "references",
        "second",
        "shard",
        "state",
        "version",
    )

    def __init__(self, name: str, row: Row, version: int, shard: "Shard", limits: LimitAccount) -> None:
        self.name = name
        self.client = row.client
        self.balances = {currency: Balance(total) for currency, total in row.balances}
        assert len(self.balances) == len(row.balances), row
        self.references = row.references
        self.shard = shard
        self.limits = limits
        self.version = version
        """of its row in the record, as far as is known here; 0 if it has none"""
        self.holds: dict[int, Hold] = {}
        """by OrderID, the oldest first"""
        self.state = HERE
        self.epoch = 1
        """the journal position at which it came, raised by whatever it does while it is being written back:
        never one that it had before, so a word about an earlier stay is not taken for one about this"""
        self.last_active = 0
        """logged time"""
        self.second = 0
        self.accepted = 0
        """how many orders and replaces were accepted in that second of logged time"""

    @property
    def row(self) -> Row:
        """All that is left of it when it is flat."""
        return Row(
            self.client,
            tuple((name, self.balances[name].total) for name in sorted(self.balances)),
            self.references,
        )

    def available(self, currency: str) -> int:
        balance = self.balances.get(currency)
        return 0 if balance is None else balance.total - balance.reserved

    def spared(self, currency: str, needed: int) -> Refusal | None:
        """Why it cannot spare so much."""
        available = self.available(currency)
        return Refusal(refusals.FUNDS, needed, available, currency) if needed > available else None

    def too_fast(self, logged_time: int) -> bool:
        """One more order at this logged time is more than `max_orders_per_second`."""
        most = self.limits.max_orders_per_second
        return most != 0 and self.second == logged_time // SECOND and self.accepted >= most

    def count(self, logged_time: int) -> None:
        """An order or replace of it was accepted."""
        second = logged_time // SECOND
        self.accepted = self.accepted + 1 if self.second == second else 1
        self.second = second

    # -- money ---------------------------------------------------------------------------------------

    def hold(self, hold: Hold) -> None:
        """Debits a new order, before the market is asked."""
        assert hold.order_id not in self.holds, hold.order_id
        self.holds[hold.order_id] = hold
        self._reserve(hold.currency, hold.amount)

    def raise_hold(self, order_id: int, per_lot: int, amount: int, rate: int) -> None:
        """Debits what a replace needs more; what it needs less is free with its event."""
        hold = self.holds[order_id]
        hold.per_lot = per_lot
        hold.rate = rate
        if amount > hold.amount:
            self._reserve(hold.currency, amount - hold.amount)
            hold.amount = amount

    def raise_besides(self, order_id: int, per_lot: int, amount: int, rate: int) -> None:
        """Debits what a replace may need more, if its market, which is on another node, takes it."""
        hold = self.holds[order_id]
        assert not hold.raised_per_lot, hold.order_id
        hold.raised, hold.raised_per_lot, hold.raised_rate = amount, per_lot, rate
        self._reserve(hold.currency, amount)

    def merge_raise(self, order_id: int) -> None:
        """It has taken it, or the order ends."""
        hold = self.holds.get(order_id)
        if hold is not None and hold.raised_per_lot:
            hold.amount += hold.raised
            hold.per_lot, hold.rate = hold.raised_per_lot, hold.raised_rate
            hold.raised = hold.raised_per_lot = hold.raised_rate = 0

    def drop_raise(self, order_id: int) -> None:
        """It has not."""
        hold = self.holds.get(order_id)
        if hold is not None:
            self.balances[hold.currency].reserved -= hold.raised
            hold.raised = hold.raised_per_lot = hold.raised_rate = 0

    def correct_hold(self, order_id: int, step: int, amount: int) -> None:
        """A reconciliation has found what it should be."""
        hold = self.holds[order_id]
        self.balances[hold.currency].reserved += amount - hold.amount
        hold.amount, hold.step = amount, step

    def reprice(self, order_id: int, price: int) -> None:
        """A post-only order may have slid to a better price than it was sent with."""
        hold = self.holds.get(order_id)
        if hold is not None and hold.buys and hold.per_lot and price:
            hold.per_lot = price * hold.instrument.quote_per_tick_lot

    def _reserve(self, currency: str, amount: int) -> None:
        if amount:
            balance = self.balances[currency]
            balance.reserved = reserved = balance.reserved + amount
            assert amount > 0 and reserved <= balance.total, (self.name, currency, amount)

    def hear(self, event: Execution) -> bool:
        """Settles the next event of an order; returns whether it was the last one. One heard before changes
        nothing."""
        hold = self.holds.get(event.order_id)
        if hold is None or event.step <= hold.step:
            return False
        assert event.step == hold.step + 1, (event, hold.step)
        if not hold.step:
            self.shard.in_flight -= 1
        hold.step = event.step
        left, amount = event.leaves_quantity, hold.amount
        paid = 0
        if event.exec_type == TRADE:
            instrument, quantity = hold.instrument, event.last_quantity
            paid = got = quantity * instrument.base_per_lot
            cost = quantity * event.last_price * instrument.quote_per_tick_lot
            if hold.buys:
                paid = cost + event.fee
                self.receive(instrument.base, got)
            else:
                self.receive(instrument.quote, cost - event.fee)
            if event.fee:
                self.shard.collect(instrument.quote, event.fee)
            assert paid <= amount, (self.name, event)
            self.balances[hold.currency].total -= paid
        rest = 0 if not left else hold.per_lot * left if hold.per_lot else amount - paid
        if hold.rate:
            rest += fee_of(rest, hold.rate)
        if rest != amount:
            balance = self.balances[hold.currency]
            if hold.raised_per_lot and event.exec_type != TRADE:
                hold.raised += amount - rest  # debited for what was left before, which it asks for again
            else:
                balance.reserved += rest - amount
            hold.amount = rest
            assert 0 <= balance.reserved <= balance.total, (self.name, event)
        if left:
            return False
        del self.holds[event.order_id]
        self.shard.open_orders -= 1
        return True

    def give(self, currency: str, amount: int) -> None:
        """What nothing was reserved for."""
        assert 0 <= amount <= self.available(currency), (self.name, currency, amount)
        if amount:
            self.balances[currency].total -= amount

    def receive(self, currency: str, amount: int) -> None:
        balance = self.balances.get(currency)
        if balance is None:
            self.balances[currency] = Balance(amount)
        else:
            balance.total += amount
