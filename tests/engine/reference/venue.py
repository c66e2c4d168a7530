"""The reference as a venue: commands in, what should come out, out."""

from __future__ import annotations

from engine import stops
from engine.commands import (
    CancelMany,
    CancelOrder,
    CancelSession,
    Command,
    ContinueMany,
    CorrectTrade,
    EndDay,
    ExpireOrders,
    LimitAccount,
    ListInstrument,
    NewOrder,
    OpenAccount,
    ReplaceOrder,
    SetKill,
    SetRules,
    SetState,
    TellIndicative,
    TriggerStops,
    WithdrawOrder,
)
from tests.engine.reference import auction, continuous, corrections, endings, orders, refuse, states
from tests.engine.reference.world import Refused, Said, World


class Reference(World):
    def refusal(self, command: Command) -> Refused | None:
        self.dynamic = dict(self.last)
        return next(refuse.reasons(self, command), None)

    def apply(self, sequence: int, command: Command) -> list[Said]:
        """Of a command that is not refused."""
        self.sequence, self.time, self.said = sequence, command.time, []
        self.prices, self.dynamic, self.may_trigger = {}, dict(self.last), stops.MOST
        self._carry_out(sequence, command)
        assert not self.prices, "trades that no stop has heard of"
        assert all(amount >= 0 for amount in self.money.values())
        assert all(order.left > 0 and order.where != "hand" for order in self.live)
        return self.said

    def _carry_out(self, sequence: int, command: Command) -> None:
        match command:
            case NewOrder():
                orders.new(self, sequence, command)
            case ReplaceOrder():
                orders.replace(self, command)
            case CancelOrder():
                orders.cancel(self, command)
            case CancelMany():
                endings.cancel_many(self, command)
            case ContinueMany():
                endings.continue_many(self, command)
            case CancelSession():
                endings.cancel_session(self, command)
            case WithdrawOrder():
                endings.withdraw(self, command)
            case ExpireOrders():
                endings.expire(self, command)
            case EndDay():
                endings.end_day(self, command)
            case CorrectTrade():
                corrections.correct(self, command)
            case TriggerStops():
                continuous.trigger(self, command.symbol)
            case TellIndicative():
                if self.states[command.symbol] in states.CALL_PHASES:
                    auction.tell(self, command.symbol)
            case SetState():
                for symbol in [command.symbol] if command.symbol else self.instruments:
                    states.enter(self, symbol, command.state, command.reason)
            case _:
                self._set(command)

    def _set(self, command: Command) -> None:
        match command:
            case ListInstrument():
                self.instruments[command.symbol] = command
                self.rules[command.symbol] = SetRules(0, command.symbol)
                self.states[command.symbol], self.why[command.symbol] = "continuous", ""
                self._repeat("InstrumentListed", command, "symbol base quote tick lot")
            case OpenAccount():
                self.owners[command.account] = command.client
                self.limits[command.account] = LimitAccount(0, command.account)
                self.money |= {(command.account, currency): amount for currency, amount in command.balances}
                self._repeat("AccountOpened", command, "account client balances")
            case SetRules():
                said, before = command.reference_price, self.rules[command.symbol].reference_price
                if command.symbol in self.last and said and said != before:  # 6.3
                    self.last[command.symbol] = said
                self.rules[command.symbol] = command
                more = "band collar dynamic_band reference_price maker_fee taker_fee"
                self._repeat("RulesSet", command, f"symbol min_price max_notional {more}")
            case LimitAccount():
                self.limits[command.account] = command
                self._repeat(
                    "AccountLimited", command, "account max_open_orders max_notional max_orders_per_second"
                )
            case SetKill():
                switch = (command.scope, command.name)
                (self.killed.add if command.on else self.killed.discard)(switch)
                self._repeat("KillSet", command, "scope name on")

    def _repeat(self, event: str, command: Command, names: str) -> None:
        self.tell(event, **{name: getattr(command, name) for name in names.split()})
