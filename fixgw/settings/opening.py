"""What the settings say to the engine: the instruments and accounts the venue opens with."""

from engine.commands import ListInstrument, OpenAccount
from fixgw.codec.decimals import Step, currency
from fixgw.settings.structs import Settings


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
    )


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
