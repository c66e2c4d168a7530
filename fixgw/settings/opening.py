"""What the settings say to the engine: instruments and accounts it opens with, and their limits."""

from engine.commands import LimitAccount, ListInstrument, OpenAccount, SetRules
from fixgw.codec.decimals import Step, currency
from fixgw.settings.structs import Limits, Settings

HUNDREDTH = Step("0.01")
"""of a percent: the unit of bands in the engine"""
MILLIONTH = Step("0.0001")
"""in percent: the unit of fees in the engine"""


def list_instruments(settings: Settings, time: int) -> list[ListInstrument]:
    """One command per instrument, in file order; `time` is nanoseconds since the epoch."""
    return [list_instrument(settings, symbol, time) for symbol in settings.instruments]


def list_instrument(settings: Settings, symbol: str, time: int) -> ListInstrument:
    """The command for one instrument. Only for settings that passed the checks: divides exactly."""
    instrument = settings.instruments[symbol]
    tick, lot = Step(instrument.tick), Step(instrument.lot)
    base_decimals = settings.currencies[instrument.base].decimals
    quote_decimals = settings.currencies[instrument.quote].decimals
    return ListInstrument(
        time=time,
        symbol=symbol,
        base=instrument.base,
        quote=instrument.quote,
        tick=instrument.tick,
        lot=instrument.lot,
        base_per_lot=lot.size * 10**base_decimals // 10**lot.places,
        quote_per_tick_lot=tick.size * lot.size * 10**quote_decimals // 10 ** (tick.places + lot.places),
        max_quantity=lot.parse(instrument.max_quantity),
        max_price=tick.parse(instrument.max_price),
        peer=instrument.node,
    )


def set_rules(settings: Settings, time: int) -> list[SetRules]:
    """The limits of each market here, in file order. Only for settings that passed the checks."""
    commands = []
    for symbol, instrument in settings.instruments.items():
        if instrument.node:
            continue
        tick = Step(instrument.tick)
        commands.append(
            SetRules(
                time=time,
                symbol=symbol,
                min_price=tick.parse(instrument.min_price),
                max_notional=_money(settings, instrument.quote).parse(instrument.max_notional),
                band=HUNDREDTH.parse(instrument.band),
                collar=HUNDREDTH.parse(instrument.collar),
                dynamic_band=HUNDREDTH.parse(instrument.dynamic_band),
                reference_price=tick.parse(instrument.reference_price),
                maker_fee=MILLIONTH.parse(instrument.maker_fee),
                taker_fee=MILLIONTH.parse(instrument.taker_fee),
            )
        )
    return commands


def open_accounts(settings: Settings, time: int) -> list[OpenAccount]:
    """One command per account, in file order; balances in smallest units, in the order of the currencies."""
    grid = {name: currency(one.decimals) for name, one in settings.currencies.items()}
    return [
        OpenAccount(
            time=time,
            account=account,
            client=name,
            balances=tuple((each, grid[each].parse(balances[each])) for each in grid if each in balances),
        )
        for name, client in settings.clients.items()
        for account, balances in client.accounts.items()
    ]


def limit_accounts(settings: Settings, time: int) -> list[LimitAccount]:
    """The limits of each account, also of those that have none, in file order; those by currency in the order
    of their names."""
    commands = []
    for client in settings.clients.values():
        for account in client.accounts:
            limits = client.limits.get(account, Limits())
            given = limits.max_notional
            amounts = ((name, _money(settings, name).parse(given[name])) for name in sorted(given))
            most = tuple((name, amount) for name, amount in amounts if amount)
            commands.append(
                LimitAccount(time, account, limits.max_open_orders, most, limits.max_orders_per_second)
            )
    return commands


def _money(settings: Settings, name: str) -> Step:
    return currency(settings.currencies[name].decimals)
