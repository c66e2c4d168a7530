"""Mistakes no single field can see: names that must exist, steps that must divide, sums that must fit."""

from collections.abc import Collection, Mapping

from fixgw.codec.decimals import Step, currency
from fixgw.settings.building import close
from fixgw.settings.calendars import check_schedule, check_zone
from fixgw.settings.credentials import check_credentials
from fixgw.settings.node import check_node
from fixgw.settings.opening import list_instrument
from fixgw.settings.reading import Mistake
from fixgw.settings.record import check_history, check_record
from fixgw.settings.session import Access
from fixgw.settings.structs import Instrument, Settings
from fixgw.settings.tls import check_tls

LIMIT = 2**62
"""no amount of money or stock the engine can meet is larger"""
RULES = ("min_price", "max_notional", "band", "collar", "dynamic_band", "reference_price")
"""limits that a market has"""


def check(settings: Settings) -> None:
    """Raises Mistake for the first thing that does not fit together."""
    check_node(settings.node)
    if not settings.node.peers:
        for section in ("clients", "sessions"):
            if not getattr(settings, section):
                raise Mistake(section, "must hold at least one entry, but on a node that has node.peers")
    for symbol in settings.instruments:
        check_instrument(settings, symbol)
    check_accounts(settings)
    check_limits(settings)
    check_zone("day.time_zone", settings.day.time_zone)
    for name, schedule in settings.schedules.items():
        check_schedule(f"schedules.{name}", schedule)
    check_sessions(settings)
    check_tls(settings)
    check_outputs(settings)
    check_record(settings.record)
    check_history(settings.history)
    if settings.store.reserve_mib * 2 > settings.store.map_size_mib:
        raise Mistake("store.reserve_mib", "must be at most half of store.map_size_mib")


def check_instrument(settings: Settings, symbol: str) -> None:
    instrument = settings.instruments[symbol]
    path = f"instruments.{symbol}"
    for name in ("base", "quote"):
        known(f"{path}.{name}", getattr(instrument, name), settings.currencies, "currency")
    if instrument.base == instrument.quote:
        raise Mistake(f"{path}.quote", f"{instrument.quote} is the base as well; they must differ")
    for name in ("tick", "lot", "max_quantity", "max_price"):
        if not getattr(instrument, name).strip("0."):
            raise Mistake(f"{path}.{name}", "must be above 0")
    tick, lot = Step(instrument.tick), Step(instrument.lot)
    divides(f"{path}.lot", lot.size, lot.places, settings, instrument.base)
    divides(f"{path}.tick", tick.size * lot.size, tick.places + lot.places, settings, instrument.quote)
    multiple(f"{path}.max_quantity", instrument.max_quantity, lot, "lot")
    multiple(f"{path}.max_price", instrument.max_price, tick, "tick")
    command = list_instrument(settings, symbol, 0)
    if command.max_price * command.max_quantity * command.quote_per_tick_lot > LIMIT:
        raise Mistake(
            f"{path}.max_price",
            f"max_price x max_quantity is more than 2**62 of the smallest units of {instrument.quote};"
            f" lower one of them, or give {instrument.quote} fewer decimals",
        )
    if command.max_quantity * command.base_per_lot > LIMIT:
        raise Mistake(f"{path}.max_quantity", f"is more than 2**62 smallest units of {instrument.base}")
    if instrument.node:
        check_distant(settings, path, instrument)
    check_rules(settings, path, instrument, tick)


def check_distant(settings: Settings, path: str, instrument: Instrument) -> None:
    known(f"{path}.node", str(instrument.node), settings.node.peers, "node of node.peers")
    for name in RULES:
        if getattr(instrument, name).strip("0."):
            raise Mistake(f"{path}.{name}", f"is said on node {instrument.node}, which has the market")


def check_rules(settings: Settings, path: str, instrument: Instrument, tick: Step) -> None:
    for name in ("min_price", "reference_price"):
        text = getattr(instrument, name)
        multiple(f"{path}.{name}", text, tick, "tick")
        if tick.parse(text) > tick.parse(instrument.max_price):
            raise Mistake(f"{path}.{name}", f"must be at most max_price, {instrument.max_price}")
    if 0 < tick.parse(instrument.reference_price) < tick.parse(instrument.min_price):
        raise Mistake(f"{path}.reference_price", f"must be at least min_price, {instrument.min_price}")
    grid = currency(settings.currencies[instrument.quote].decimals)
    check_notional(f"{path}.max_notional", instrument.max_notional, grid)


def check_notional(path: str, text: str, grid: Step) -> None:
    multiple(path, text, grid, "smallest unit")
    if grid.parse(text) > LIMIT:
        raise Mistake(path, "is more than 2**62 smallest units; leave it out if any value may be")


def divides(path: str, size: int, places: int, settings: Settings, name: str) -> None:
    """`size` / 10**places must be a whole number of the smallest units of the currency `name`."""
    decimals = settings.currencies[name].decimals
    if size * 10**decimals % 10**places:
        what = "one lot" if path.endswith("lot") else "one lot at a price of one tick"
        needed = next(more for more in range(decimals, places + 1) if size * 10**more % 10**places == 0)
        raise Mistake(
            path, f"{what} is not a whole number of smallest units of {name}; give {name} {needed} decimals"
        )


def multiple(path: str, text: str, step: Step, name: str) -> None:
    try:
        step.parse(text)
    except ValueError:
        raise Mistake(path, f"{text} is not a multiple of the {name} {step.text}") from None


def check_accounts(settings: Settings) -> None:
    """An account lives in one client; all the money of a currency together stays under the limit, so that
    no account can ever exceed it."""
    owner: dict[str, str] = {}
    total = dict.fromkeys(settings.currencies, 0)
    for name, client in settings.clients.items():
        for account, balances in client.accounts.items():
            path = f"clients.{name}.accounts.{account}"
            if owner.setdefault(account, name) != name:
                raise Mistake(path, f"{account} is an account of client {owner[account]} already")
            for each, text in balances.items():
                known(f"{path}.{each}", each, settings.currencies, "currency")
                grid = currency(settings.currencies[each].decimals)
                multiple(f"{path}.{each}", text, grid, "smallest unit")
                total[each] += grid.parse(text)
                if total[each] > LIMIT:
                    raise Mistake(
                        f"{path}.{each}", f"brings all balances of {each} to more than 2**62 smallest units"
                    )


def check_limits(settings: Settings) -> None:
    quotes = {instrument.quote: None for instrument in settings.instruments.values()}
    for name, client in settings.clients.items():
        for account, limits in client.limits.items():
            path = f"clients.{name}.limits.{account}"
            if account not in client.accounts:
                near = close(account, client.accounts)
                raise Mistake(path, f"{account} is not an account of client {name}{near}")
            for each, text in limits.max_notional.items():
                known(f"{path}.max_notional.{each}", each, quotes, "quote")
                grid = currency(settings.currencies[each].decimals)
                check_notional(f"{path}.max_notional.{each}", text, grid)


def check_sessions(settings: Settings) -> None:
    for name, session in settings.sessions.items():
        known(f"sessions.{name}.client", session.client, settings.clients, "client")
        if session.schedule:
            known(f"sessions.{name}.schedule", session.schedule, settings.schedules, "schedule")
    check_access("sessions", settings.sessions)


def check_outputs(settings: Settings) -> None:
    check_access("drop_copy.sessions", settings.drop_copy.sessions)
    check_access("market_data.sessions", settings.market_data.sessions)
    for section, output in (("drop_copy", settings.drop_copy), ("market_data", settings.market_data)):
        if output.tls == "yes" and not settings.tls.certificate:
            raise Mistake(f"{section}.tls", "needs tls.certificate and tls.key")
        if output.tls == "no":
            for name, session in output.sessions.items():
                if session.transport == "tls":
                    raise Mistake(f"{section}.sessions.{name}.transport", f"needs {section}.tls: yes")
    for name, copied in settings.drop_copy.sessions.items():
        for client in copied.clients:
            known(f"drop_copy.sessions.{name}.clients", client, settings.clients, "client")


def check_access(section: str, sessions: Mapping[str, Access]) -> None:
    """The sessions of one port."""
    identities: dict[tuple[str, str], str] = {}
    for name, session in sessions.items():
        path = f"{section}.{name}"
        if session.heartbeat_min_seconds > session.heartbeat_max_seconds:
            most = session.heartbeat_max_seconds
            raise Mistake(f"{path}.heartbeat_min_seconds", f"must be at most heartbeat_max_seconds, {most}")
        first = identities.setdefault((session.begin_string, session.comp_id), name)
        if first != name:
            identity = f"{session.begin_string} with CompID {session.comp_id}"
            raise Mistake(f"{path}.comp_id", f"{identity} is session {first} already; give it another one")
    check_credentials(section, sessions)


def known(path: str, name: str, names: Collection[str], kind: str) -> None:
    if name not in names:
        raise Mistake(path, f"{name} is not a {kind} of this file{close(name, names)}")
