"""From a data directory to a venue that may open its door: recovery, the marks of a clean stop, and what the
configuration adds to the journal."""

import logging
import resource
from collections.abc import Iterable, Iterator

from msgspec.structs import asdict, replace

from engine.commands import LimitAccount, ListInstrument, OpenAccount, SetRules
from engine.user_commands import ShapeShards
from fixgw.codec.decimals import Step
from fixgw.codec.instruments import InstrumentText
from fixgw.cycle.hours import Hours
from fixgw.cycle.recorder import Recorder
from fixgw.door.credentials import forget_replaced
from fixgw.record.record import Record
from fixgw.sessions.mailbox import Mailbox
from fixgw.settings import (
    Instrument,
    Limits,
    Settings,
    SettingsError,
    limit_accounts,
    list_instruments,
    open_accounts,
    set_rules,
)
from fixgw.store import journal
from fixgw.store.accounts import client_of
from fixgw.store.store import CLEAN, Store
from fixgw.store.transaction import Transaction

log = logging.getLogger("fixgw")

Opening = ListInstrument | SetRules | LimitAccount | ShapeShards

COMP_ID = b"comp_id"
_CURRENCY = b"currency/"
"""leads the keys in `meta` under which the decimals of each currency are kept"""
DESCRIPTORS = 200
"""files and sockets open at the same time besides those of sessions"""
DESCRIPTORS_OF_SESSION = 6
"""of QuickFIX: a listener, its end of the link, a pair; our end of the link, the client's socket"""
NAMED = 10
"""names of one kind that a remark holds"""


def check_venue(store: Store, comp_id: str) -> None:
    """A data directory belongs to one venue; raises SettingsError for another's."""
    with store.write() as transaction:
        known = transaction.get(COMP_ID, db=store.meta)
        if known is None:
            transaction.put(COMP_ID, comp_id.encode("ascii"), db=store.meta)
        elif known != comp_id.encode("ascii"):
            raise SettingsError(
                f"venue.comp_id: the data in {store.directory} belongs to {known.decode()}, not {comp_id}; "
                "use that name or another data directory"
            )


def check_currencies(store: Store, settings: Settings, path: str) -> None:
    """What the data counts in smallest units must keep its meaning; raises SettingsError."""
    with store.write() as transaction:
        known = {
            name: grid.places
            for listed in journal.instruments(store)
            for name, grid in InstrumentText(listed).currencies.items()
        }
        for name, currency in settings.currencies.items():
            kept = transaction.get(_CURRENCY + name.encode("ascii"), db=store.meta)
            decimals = known.get(name) if kept is None else int(kept)
            if decimals not in (None, currency.decimals):
                raise SettingsError(
                    f"{path}: currencies.{name}.decimals: {decimals} -> {currency.decimals} would change the "
                    "money there is; add a currency of another name"
                )
        keep_currencies(store, transaction, settings)


def keep_currencies(store: Store, transaction: Transaction, settings: Settings) -> None:
    for name, currency in settings.currencies.items():
        transaction.put(_CURRENCY + name.encode("ascii"), b"%d" % currency.decimals, db=store.meta)


def check_descriptors(settings: Settings, path: str) -> None:
    """Files and sockets the process may have open; raises SettingsError if they are too few."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    needed = DESCRIPTORS + len(settings.sessions) * DESCRIPTORS_OF_SESSION
    if needed > hard:
        raise SettingsError(
            f"{path}: sessions: {len(settings.sessions)} of them need {needed} open files, and the system "
            f"lets this process have {hard}; raise its limit (ulimit -Hn, LimitNOFILE in systemd)"
        )


def check_instruments(recorder: Recorder, settings: Settings, path: str) -> None:
    """What the journal counts in ticks and lots must keep its meaning; raises SettingsError."""
    for command in list_instruments(settings, 0):
        listed = recorder.venue.listed(command.symbol)
        if listed is None:
            continue
        if listed.peer != command.peer:
            raise SettingsError(
                f"{path}: instruments.{command.symbol}: node is {command.peer}, but this data directory has "
                f"it with {listed.peer}; a market does not move: list it under another symbol"
            )
        for name in ("base", "quote", "tick", "lot", "base_per_lot", "quote_per_tick_lot"):
            if getattr(listed, name) != getattr(command, name):
                raise SettingsError(
                    f"{path}: instruments.{command.symbol}: {name} is {getattr(command, name)}, but this "
                    f"data directory trades it with {getattr(listed, name)}; list it under another symbol"
                )
    for rules in set_rules(settings, 0):
        market = recorder.venue.markets.get(rules.symbol)
        for name in ("min_price", "reference_price"):
            if market is not None and getattr(rules, name) > market.instrument.max_price:
                most = Step(market.instrument.tick).print(market.instrument.max_price)
                raise SettingsError(
                    f"{path}: instruments.{rules.symbol}.{name}: must be at most the max_price this data "
                    f"directory trades it with, {most}"
                )


def check_accounts(recorder: Recorder, settings: Settings, path: str) -> None:
    """Money does not move to another client by a line in a file; raises SettingsError."""
    with recorder.store.read() as transaction:
        for command in open_accounts(settings, 0):
            client = client_of(recorder.store, transaction, command.account)
            if client not in (None, command.client):
                raise SettingsError(
                    f"{path}: clients.{command.client}.accounts.{command.account}: is an account of client "
                    f"{client} in this data directory; open another one for {command.client}"
                )


def remarks(recorder: Recorder, before: Settings | None, settings: Settings, path: str) -> list[str]:
    """Where the venue goes on otherwise than the file says, a line each. `before`: the file as it was, if it
    is read again; accounts that are in the record need not be in any file."""
    lines = [f"{path}: {line}" for line in _other_limits(recorder, settings)]
    everywhere = *recorder.venue.markets, *recorder.venue.distant
    markets = [symbol for symbol in everywhere if symbol not in settings.instruments]
    lines += _gone(path, "instruments", markets, "trading goes on; cancel-only stops it")
    accounts = [] if before is None else sorted({*_accounts(before)} - {*_accounts(settings)})
    return lines + _gone(path, "accounts", accounts, "they keep what they have and can be traded for")


def _accounts(settings: Settings) -> Iterator[str]:
    for client in settings.clients.values():
        yield from client.accounts


def _other_limits(recorder: Recorder, settings: Settings) -> Iterator[str]:
    for command in list_instruments(settings, 0):
        listed = recorder.venue.listed(command.symbol)
        for name, grid in (("max_quantity", command.lot), ("max_price", command.tick)):
            asked = getattr(command, name)
            stays = asked if listed is None else getattr(listed, name)
            if stays != asked:
                show = Step(grid).print
                where = f"instruments.{command.symbol}.{name}"
                yield f"{where}: {show(asked)} is not taken, {show(stays)} stays as listed"


def _gone(path: str, what: str, names: list[str], so: str) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [f"{path}: {what} no longer in it: {', '.join(names[:NAMED])}{more}; {so}"]


def new_openings(recorder: Recorder, settings: Settings) -> list[Opening]:
    """What the journal does not have yet of the instruments, and limits that are not as it has them, in file
    order; their time is 0."""
    markets, users = recorder.venue.markets, settings.users
    listings = list_instruments(settings, 0)
    openings: list[Opening] = [each for each in listings if recorder.venue.listed(each.symbol) is None]
    for rules in set_rules(settings, 0):
        market = markets.get(rules.symbol)
        if _differs(rules, SetRules(0, rules.symbol) if market is None else market.rules):
            openings.append(rules)
    known = recorder.venue.limits
    openings += [
        limits
        for limits in limit_accounts(settings, 0)
        if _differs(limits, known.get(limits.account, LimitAccount(0, limits.account)))
    ]
    if (recorder.venue.resident, recorder.venue.in_flight) != (users.resident, users.in_flight):
        openings.append(ShapeShards(0, users.resident, users.in_flight))
    return openings


def new_accounts(recorder: Recorder, settings: Settings) -> list[OpenAccount]:
    """Those of the file that this venue never had, in file order; their time is 0."""
    store, accounts = recorder.store, open_accounts(settings, 0)
    with store.read() as transaction:
        return [each for each in accounts if client_of(store, transaction, each.account) is None]


async def unknown_accounts(record: Record, accounts: Iterable[OpenAccount]) -> list[OpenAccount]:
    """Those that the record does not know either: they are opened, the others count as it has them
    (docs/users.md, 3.3). Raises RecordError."""
    return [each for each in accounts if await record.read(each.account) is None]


def _differs(wanted: SetRules | LimitAccount, current: SetRules | LimitAccount) -> bool:
    return wanted != replace(current, time=wanted.time)


def limits_line(command: SetRules | LimitAccount, settings: Settings) -> str:
    """What it changes, as the file says it."""
    if isinstance(command, SetRules):
        limits = list(_written(command, settings.instruments[command.symbol]))
        return f"~ instrument {command.symbol}: {', '.join(limits) or 'no limits'}"
    [client] = [each for each in settings.clients.values() if command.account in each.accounts]
    limits = list(_written(command, client.limits.get(command.account)))
    return f"~ account {command.account}: {', '.join(limits) or 'no limits'}"


def _written(command: SetRules | LimitAccount, section: Instrument | Limits | None) -> Iterator[str]:
    for name, value in asdict(command).items():
        if value and name not in ("time", "symbol", "account"):
            written = getattr(section, name)
            if isinstance(written, dict):
                written = ", ".join(f"{amount} {each}" for each, amount in written.items())
            yield f"{name} {written}"


def open_all(recorder: Recorder, commands: Iterable[Opening], time: int) -> None:
    """Journals them at the logged time of the cycle."""
    for command in commands:
        recorder.accept(replace(command, time=time))


def begin(
    store: Store,
    recorder: Recorder,
    mailboxes: dict[str, Mailbox],
    hours: Hours,
    settings: Settings,
    time: int,
) -> bool:
    """The first transaction of a start: numbers jump after an unclean stop; days and sessions that ended
    meanwhile are ended; new instruments, accounts and sessions are written down. Returns whether the last
    stop was clean."""
    used = recorder.sequence > 0
    with store.write() as transaction:
        clean = not used or transaction.delete(CLEAN, db=store.meta)
        if not clean:
            for mailbox in mailboxes.values():
                mailbox.jump(settings.store.jump)
        recorder.begin(transaction, time)
        for name, session in settings.sessions.items():
            hours.catch_up(mailboxes[name], session.schedule, recorder, time)
            forget_replaced(session, mailboxes[name])
        open_all(recorder, new_openings(recorder, settings), time)
        for mailbox in mailboxes.values():
            mailbox.settle(transaction)
    return bool(clean)


def end(store: Store, recorder: Recorder) -> None:
    """The last transaction of a clean stop."""
    with store.write() as transaction:
        digest = f"{recorder.venue.sequence} {recorder.venue.digest()}"
        transaction.put(CLEAN, digest.encode("ascii"), db=store.meta)
