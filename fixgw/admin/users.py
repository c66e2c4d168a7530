"""What an operator does to accounts and shards. Accounts that are not in memory are read first; each deed is
in the transaction of a turn, with its note in the audit."""

import asyncio
from collections.abc import Callable

from engine import refusals
from engine.commands import OpenAccount as OpenCommand
from engine.commands import WithdrawOrder
from engine.refusals import Refusal
from engine.routing import Pin
from engine.user_checks import no_place
from engine.user_commands import Deposit, MoveUsers, ResolveUser, SetShard, Withdraw
from engine.words import ALONE, HELD, LEAVING, PINNED, RECEIVING
from fixgw.admin.account_lines import account_lines, shard_lines
from fixgw.admin.deeds import Absent, Refused, in_a_turn
from fixgw.admin.words import (
    Accounts,
    Answer,
    ChangeShard,
    OfUsers,
    OpenAccount,
    PinUser,
    Resolve,
    Shards,
    Transfer,
)
from fixgw.assembly import Assembly
from fixgw.codec.decimals import NotDecimal, OffStep, currency
from fixgw.cycle.recorder import Recorder
from fixgw.record.record import RecordError
from fixgw.settings.building import close
from fixgw.store.accounts import client_of, is_spent, spend_reference

MOST = 2**63
"""smallest units of a currency, which no transfer has; how many there can be is for the engine to say"""
PATIENCE = 8.0
"""seconds the record has for what the operator asks"""
MOVED = "moved by the operator"


class UserOperations:
    """All for one operator, `who`."""

    def __init__(self, assembly: Assembly, who: str) -> None:
        self._assembly = assembly
        self._venue = assembly.recorder.venue
        self._who = who

    async def carry_out(self, request: OfUsers) -> Answer:
        try:
            if isinstance(request, Shards):
                return Answer(True, shard_lines(self._venue))
            async with asyncio.timeout(PATIENCE):
                if isinstance(request, Accounts):
                    return Answer(True, await account_lines(self._assembly, request))
                return Answer(True, [await self._deed(request)])
        except Refused as refusal:
            return Answer(False, [str(refusal)])
        except (RecordError, TimeoutError) as problem:
            why = str(problem) or self._assembly.agent.contact.trouble or f"no answer within {PATIENCE:g} s"
            return Answer(False, [f"the record cannot be used: {why}; nothing was done"])

    async def _deed(self, request: OfUsers) -> str:
        match request:
            case OpenAccount():
                return await self._open(request)
            case Transfer():
                return await self._transfer(request)
            case Resolve():
                return await self._resolve(request)
            case ChangeShard():
                return await self._in_a_turn(lambda *turn: self._change_shard(request, *turn))
            case PinUser():
                await self._need(request.account)
                return await self._in_a_turn(lambda *turn: self._pin(request, *turn))
        raise AssertionError(request)

    async def _need(self, account: str) -> None:
        """Raises Refused if there is no such account."""
        if account not in self._venue.users and await self._assembly.record.read(account) is None:
            raise Refused(f"there is no account {account}")

    async def _in_a_turn(self, deed: Callable[[Recorder, int], str]) -> str:
        return await in_a_turn(self._assembly.cycle, deed)

    async def _open(self, request: OpenAccount) -> str:
        account, client = request.account, request.client
        known = await self._assembly.record.read(account) is not None

        def deed(recorder: Recorder, time: int) -> str:
            if known or client_of(recorder.store, recorder.transaction, account) is not None:
                raise Refused(f"there is an account {account} already")
            if client not in self._assembly.settings.clients:
                raise Refused(f"there is no client {client}{close(client, self._assembly.settings.clients)}")
            if (full := no_place(self._venue, account)) is not None:
                raise Refused(
                    f"{full.value} accounts are in memory on the shard of {account}, and no more may be "
                    "(users.resident): try again when one has left"
                )
            recorder.note(time, self._who, f"open-account {account} of client {client}")
            recorder.accept(OpenCommand(time, account, client, ()))
            return f"account {account} of client {client} is open"

        return await self._in_a_turn(deed)

    async def _transfer(self, request: Transfer) -> str:
        account, money = request.account, request.currency
        currencies = self._assembly.settings.currencies
        if money not in currencies:
            raise Refused(f"there is no currency {money}{close(money, currencies)}")
        grid = currency(currencies[money].decimals)
        try:
            amount = grid.parse(request.amount)
        except (NotDecimal, OffStep):
            amount = 0
        if amount <= 0:
            raise Refused(f"the amount {request.amount} is not a number above 0 in steps of {grid.print(1)}")
        if amount >= MOST:
            raise Refused(f"the amount {request.amount} is more than there can be of {money}")

        def deed(recorder: Recorder, time: int) -> str:
            kind = Withdraw if request.withdraws else Deposit
            if is_spent(recorder.store, recorder.transaction, account, request.reference):
                raise Refused(_done_already(request.reference))
            refusal = self._venue.refusal(command := kind(time, account, money, amount, request.reference))
            if refusal is not None and refusal.reason == refusals.NOT_RESIDENT:
                raise Absent(account)
            if refusal is not None:
                raise Refused(_why(refusal, account, grid.print))
            spend_reference(recorder.store, recorder.transaction, account, request.reference)
            word = "withdraw" if request.withdraws else "deposit"
            recorder.note(
                time, self._who, f"{word} {account} {grid.print(amount)} {money} {request.reference}"
            )
            recorder.accept(command)
            total = self._venue.users[account].balances[money].total
            return f"account {account} has {grid.print(total)} {money} now (id {request.reference})"

        return await with_accounts(self._assembly, deed)

    async def _resolve(self, request: Resolve) -> str:
        stored = await self._assembly.record.read(request.account)
        version = 0 if stored is None else stored.version

        def deed(recorder: Recorder, time: int) -> str:
            if stored is None and not request.keep:
                raise Refused(f"the record does not know account {request.account}")
            command = ResolveUser(time, request.account, version, request.keep)
            refusal = self._venue.refusal(command)
            if refusal is not None:
                raise Refused(_why(refusal, request.account, str))
            recorder.note(
                time, self._who, f"resolve {request.account} {'memory' if request.keep else 'record'}"
            )
            recorder.accept(command)
            return f"account {request.account}: what the {'venue' if request.keep else 'record'} has counts"

        return await self._in_a_turn(deed)

    def _change_shard(self, request: ChangeShard, recorder: Recorder, time: int) -> str:
        name = request.shard
        refusal = self._venue.refusal(
            command := SetShard(time, name, RECEIVING if request.joins else LEAVING)
        )
        if refusal is not None:
            raise Refused(_why_not_shard(refusal))
        recorder.note(time, self._who, f"shard {'add' if request.joins else 'remove'} {name}")
        recorder.accept(command)
        return (
            f"shard {name} {'joins' if request.joins else 'leaves'}; `fixgw admin shards` shows how far it is"
        )

    def _pin(self, request: PinUser, recorder: Recorder, time: int) -> str:
        account = request.account
        why = (ALONE if request.alone else PINNED) if request.shard else HELD
        shard = request.shard or self._venue.router.without_pin(account)
        refusal = self._venue.refusal(command := MoveUsers(time, (Pin(account, shard, why),)))
        if refusal is not None:
            raise Refused(_why_not_shard(refusal))
        words = " ".join(word for word, on in (("alone", request.alone), ("now", request.now)) if on)
        recorder.note(time, self._who, f"pin {account} {request.shard or 'by hash'} {words}".rstrip())
        user = self._venue.users.get(account)
        orders = list(user.holds) if user is not None else []
        if request.now:
            for order_id in orders:
                recorder.accept(WithdrawOrder(time, order_id, MOVED))
            orders = []
        recorder.accept(command)
        return f"account {account} moves to shard {shard}" + (" when it has no open order" if orders else "")


async def with_accounts(assembly: Assembly, deed: Callable[[Recorder, int], str]) -> str:
    """Carries it out in a turn, with the accounts it needs in memory. Raises Refused."""
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    return await in_a_turn(assembly.cycle, deed)
                except Absent as absent:
                    if not await assembly.agent.reader.bring(absent.name):
                        raise Refused(f"there is no account {absent.name}") from None
                    await asyncio.sleep(0.01)  # it may be on its way to another shard
    except TimeoutError:
        why = assembly.agent.contact.trouble or f"no answer within {PATIENCE:g} s"
        raise Refused(f"the record cannot be used: {why}; nothing was done") from None


def _done_already(reference: object) -> str:
    return f"{reference} was done already; nothing was done now"


def _why(refusal: Refusal, account: str, show: Callable[[int], str]) -> str:
    match refusal.reason:
        case refusals.FUNDS:
            has = show(int(refusal.limit))
            return f"account {account} has {has} {refusal.unit} available, not {show(int(refusal.value))}"
        case refusals.REPEATED:
            return _done_already(refusal.value)
        case refusals.SUPPLY:
            return f"so much {refusal.unit} is more than the venue can count: {show(int(refusal.limit))} fit"
        case refusals.BLOCKED:
            return f"account {account} is blocked: `fixgw admin resolve {account} memory|record` decides"
        case refusals.NOT_BLOCKED:
            return f"nothing is to be decided about account {account}"
        case refusals.NOT_FLAT:
            return f"account {account} has {refusal.value} open orders: cancel them first"
    raise AssertionError(refusal)


def _why_not_shard(refusal: Refusal) -> str:
    shard = refusal.value
    match refusal.reason:
        case refusals.UNKNOWN_SHARD:
            return f"there is no shard {shard}, or it is leaving"
        case refusals.NOT_ALONE:
            return f"an account that is to be alone is on shard {shard} already"
        case refusals.SHARD_STATE:
            return (
                f"shard {shard} is {refusal.limit} already" if refusal.limit else f"there is no shard {shard}"
            )
        case refusals.LAST_SHARD:
            return f"shard {shard} is the only one that takes accounts"
        case refusals.PINNED_THERE:
            return f"account {refusal.limit} is pinned to shard {shard}: pin it elsewhere, or unpin it"
    raise AssertionError(refusal)
