"""The accounts: what each owns, and how much of it its live orders hold."""

from engine import refusals
from engine.commands import LimitAccount, ListInstrument, OpenAccount
from engine.order import Order
from engine.refusals import Refusal

MAX_SUPPLY = 2**63 - 1


class Balance:
    """In smallest units of one currency, 0 <= reserved <= total.

    Plain, as Account is: writing an attribute of a Struct takes five times as long."""

    __slots__ = ("reserved", "total")

    def __init__(self, total: int, reserved: int = 0) -> None:
        self.total = total
        self.reserved = reserved

    @property
    def available(self) -> int:
        return self.total - self.reserved


class Account:
    """A user (FIX Account(1)); `balances` by currency."""

    __slots__ = ("account", "balances", "client", "limits", "open_orders")

    def __init__(self, account: str, client: str, balances: dict[str, Balance], limits: LimitAccount) -> None:
        self.account = account
        self.client = client
        self.balances = balances
        self.limits = limits
        self.open_orders = 0

    def reserve(self, currency: str, amount: int) -> None:
        if amount:
            balance = self.balances[currency]
            balance.reserved = reserved = balance.reserved + amount
            assert amount > 0 and reserved <= balance.total, (self.account, currency, amount)

    def release(self, currency: str, amount: int) -> None:
        if amount:
            balance = self.balances[currency]
            balance.reserved = reserved = balance.reserved - amount
            assert amount > 0 and reserved >= 0, (self.account, currency, amount)

    def exchange(self, currency: str, reserved: int, amount: int, into: str, received: int) -> None:
        """Pays `amount` out of what was `reserved` for it, and receives what it buys. The rest of what was
        reserved is free again."""
        balance = self.balances[currency]
        balance.reserved = left = balance.reserved - reserved
        balance.total = total = balance.total - amount
        assert amount <= reserved and 0 <= left <= total, (self.account, currency)
        self.receive(into, received)

    def give_back(self, currency: str, amount: int) -> None:
        """Pays what nothing was reserved for."""
        balance = self.balances[currency]
        balance.total -= amount
        assert amount >= 0 and balance.reserved <= balance.total, (self.account, currency)

    def receive(self, currency: str, amount: int) -> None:
        balance = self.balances.get(currency)
        if balance is None:
            self.balances[currency] = Balance(amount)
        else:
            balance.total += amount


def funds(account: Account, currency: str, needed: int) -> Refusal | None:
    """Why it cannot spare so much."""
    balance = account.balances.get(currency)
    available = 0 if balance is None else balance.total - balance.reserved
    return Refusal(refusals.FUNDS, needed, available, currency) if needed > available else None


class Shard:
    """Moves money between accounts; `supply` is all there is of each currency, which no trade changes."""

    __slots__ = ("accounts", "supply")

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self.supply: dict[str, int] = {}

    def open(self, command: OpenAccount) -> None:
        """The supply of a currency stays below 2**63, and with it every balance."""
        assert command.account not in self.accounts, command
        balances = {currency: Balance(amount) for currency, amount in command.balances}
        assert len(balances) == len(command.balances), command
        for currency, amount in command.balances:
            supply = self.supply.get(currency, 0) + amount
            assert amount >= 0 and supply <= MAX_SUPPLY, command
            self.supply[currency] = supply
        self.accounts[command.account] = Account(
            command.account, command.client, balances, LimitAccount(0, command.account)
        )

    def settle(
        self, instrument: ListInstrument, buyer: Order, seller: Order, quantity: int, price: int
    ) -> None:
        """Exchanges base and quote of one trade. A buy order held its limit for it; what the trade's price is
        better is free at once. A market order that only takes held just this."""
        base, quote = instrument.base, instrument.quote
        goods = quantity * instrument.base_per_lot
        cost_per_tick = quantity * instrument.quote_per_tick_lot
        cost = cost_per_tick * price
        held = cost_per_tick * (buyer.held or price)
        self.accounts[buyer.account].exchange(quote, held, cost, base, goods)
        self.accounts[seller.account].exchange(base, goods, goods, quote, cost)
