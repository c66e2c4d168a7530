"""From a data directory to a venue that may open its door: recovery, the marks of a clean stop, and what the
configuration adds to the journal."""

import logging

from engine.commands import ListInstrument
from fixgw.codec.decimals import Step
from fixgw.cycle.hours import Hours
from fixgw.cycle.recorder import Recorder
from fixgw.sessions.mailbox import Mailbox
from fixgw.settings import Settings, SettingsError, list_instruments, open_accounts
from fixgw.store.store import CLEAN, Store

log = logging.getLogger("fixgw")

COMP_ID = b"comp_id"


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


def check_instruments(recorder: Recorder, settings: Settings, path: str) -> None:
    """What the journal counts in ticks and lots must keep its meaning; raises SettingsError."""
    for command in list_instruments(settings, 0):
        market = recorder.venue.markets.get(command.symbol)
        if market is None:
            continue
        listed: ListInstrument = market.instrument
        for name in ("base", "quote", "tick", "lot", "base_per_lot", "quote_per_tick_lot"):
            if getattr(listed, name) != getattr(command, name):
                raise SettingsError(
                    f"{path}: instruments.{command.symbol}: {name} is {getattr(command, name)}, but this "
                    f"data directory trades it with {getattr(listed, name)}; list it under another symbol"
                )
        for name, grid in (("max_quantity", command.lot), ("max_price", command.tick)):
            stays, asked = getattr(listed, name), getattr(command, name)
            if stays != asked:
                show = Step(grid).print
                where = f"{path}: instruments.{command.symbol}.{name}"
                log.warning("%s: %s is not taken, %s stays as listed", where, show(asked), show(stays))


def check_accounts(recorder: Recorder, settings: Settings, path: str) -> None:
    """Money does not move to another client by a line in a file; raises SettingsError."""
    for command in open_accounts(settings, 0):
        account = recorder.venue.accounts.get(command.account)
        if account is not None and account.client != command.client:
            raise SettingsError(
                f"{path}: clients.{command.client}.accounts.{command.account}: is an account of client "
                f"{account.client} in this data directory; open another one for {command.client}"
            )


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
        for command in list_instruments(settings, time):
            if command.symbol not in recorder.venue.markets:
                recorder.accept(command)
        for account in open_accounts(settings, time):
            if account.account not in recorder.venue.accounts:
                recorder.accept(account)
        for mailbox in mailboxes.values():
            mailbox.settle(transaction)
    return bool(clean)


def end(store: Store, recorder: Recorder) -> None:
    """The last transaction of a clean stop."""
    with store.write() as transaction:
        digest = f"{recorder.venue.sequence} {recorder.venue.digest()}"
        transaction.put(CLEAN, digest.encode("ascii"), db=store.meta)
