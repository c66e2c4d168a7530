"""Money that comes from outside and goes there (docs/users.md, 3)."""

from engine.events import Event
from engine.state import State
from engine.user_commands import Deposit, Withdraw
from engine.user_events import BalanceMoved

REMEMBERED = 16
"""references of each user"""


def deposit(state: State, _: int, command: Deposit) -> list[Event]:
    return _transfer(state, command, command.amount)


def withdraw(state: State, _: int, command: Withdraw) -> list[Event]:
    return _transfer(state, command, -command.amount)


def _transfer(state: State, command: Deposit | Withdraw, amount: int) -> list[Event]:
    user, currency = state.users[command.user], command.currency
    user.shard.wake(user)
    if amount > 0:
        user.receive(currency, amount)
    else:
        user.give(currency, -amount)
    state.supply[currency] = state.supply.get(currency, 0) + amount
    user.references = (*user.references, command.reference)[-REMEMBERED:]
    user.shard.rested(user, command.time)
    total = user.balances[currency].total
    return [BalanceMoved(command.time, user.name, currency, amount, total, command.reference)]
