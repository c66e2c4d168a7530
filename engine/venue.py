"""The venue: users and markets wired together. Commands in, events out; nothing else changes it."""

from collections.abc import Callable
from typing import Any

from engine.checks import CHECKS
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
from engine.corrections import correct_trade
from engine.distant import follow_market
from engine.events import Event
from engine.masses import cancel_many, cancel_session, continue_many, set_kill, withdraw_order
from engine.moving import move_users, move_wave, set_shard
from engine.opening import limit_account, list_instrument, set_rules, shape_shards
from engine.peer_commands import Acknowledge, FollowMarket, TakeMessage
from engine.phases import end_day, expire_orders, set_state, tell_indicative, trigger_stops
from engine.placing import cancel_order, new_order
from engine.reconciling import reconcile
from engine.refusals import Refusal
from engine.replacing import replace_order
from engine.residency import (
    flush_complete,
    flush_failed,
    hydrate_user,
    open_account,
    resolve_user,
    sweep_users,
)
from engine.settling import settle
from engine.snapshot import digest
from engine.state import State
from engine.taking import acknowledge_messages, take_message
from engine.transfers import deposit, withdraw
from engine.user_commands import (
    Deposit,
    FlushComplete,
    FlushFailed,
    HydrateUser,
    MoveUsers,
    MoveWave,
    Reconcile,
    ResolveUser,
    SetShard,
    ShapeShards,
    SweepUsers,
    Withdraw,
)

HANDLERS: dict[type[Command], Callable[[State, int, Any], list[Event]]] = {
    ListInstrument: list_instrument,
    OpenAccount: open_account,
    SetRules: set_rules,
    LimitAccount: limit_account,
    NewOrder: new_order,
    CancelOrder: cancel_order,
    ReplaceOrder: replace_order,
    SetState: set_state,
    TriggerStops: trigger_stops,
    TellIndicative: tell_indicative,
    ExpireOrders: expire_orders,
    EndDay: end_day,
    CancelSession: cancel_session,
    CancelMany: cancel_many,
    ContinueMany: continue_many,
    WithdrawOrder: withdraw_order,
    SetKill: set_kill,
    CorrectTrade: correct_trade,
    HydrateUser: hydrate_user,
    SweepUsers: sweep_users,
    FlushComplete: flush_complete,
    FlushFailed: flush_failed,
    ResolveUser: resolve_user,
    Deposit: deposit,
    Withdraw: withdraw,
    ShapeShards: shape_shards,
    SetShard: set_shard,
    MoveUsers: move_users,
    MoveWave: move_wave,
    Reconcile: reconcile,
    TakeMessage: take_message,
    Acknowledge: acknowledge_messages,
    FollowMarket: follow_market,
}


class Venue(State):
    """The state and the commands that change it."""

    __slots__ = ("_passed",)

    def __init__(self) -> None:
        super().__init__()
        self._passed: Command | None = None
        """the command that `refusal` last let pass, until the state changes: no need to ask again"""

    def refusal(self, command: Command) -> Refusal | None:
        """Why `apply` must not be given this command now; None if it may. Changes nothing."""
        check = CHECKS.get(type(command))
        refusal = None if check is None else check(self, command)
        self._passed = command if refusal is None else None
        return refusal

    def apply(self, sequence: int, command: Command) -> list[Event]:
        """Carries out the command at `sequence` of the journal, above the one before. Asserts that
        nothing refuses it and that its numbers are in the ranges engine.commands gives."""
        assert sequence > self.sequence, (sequence, self.sequence)
        assert command is self._passed or self.refusal(command) is None, command
        self._passed = None
        events = HANDLERS[type(command)](self, sequence, command)
        settle(self, command.time, events)
        self.sequence = sequence
        return events

    def digest(self) -> str:
        """SHA-256 of the whole state, in hex."""
        return digest(self)
