"""The demo venue's instruments and plain messages, shared by the tests of the codec."""

from engine.events import Execution
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.terms import Terms, terms
from fixgw.settings import Session, list_instruments, load

TIME = 1_700_000_000_123_456_789
"""2023-11-14 22:13:20.123456789 UTC"""

TOLERANCE = 60
"""seconds"""

INSTRUMENTS = {
    each.symbol: InstrumentText(each) for each in list_instruments(load("config/venue.yaml"), time=0)
}
BITCOIN = INSTRUMENTS["BTC-USD"]

ORDER = {
    "8": "FIX.4.4", "9": "150", "35": "D", "34": "2", "49": "ALPHA", "52": "20231114-22:13:20", "56": "FIXGW",
    "1": "ALPHA-1", "11": "A1", "38": "2", "40": "2", "44": "50000", "54": "1", "55": "BTC-USD",
    "60": "20231114-22:13:20", "10": "000",
}  # fmt: skip
CANCEL = {
    "8": "FIX.4.4", "35": "F", "34": "3", "11": "A2", "41": "A1", "54": "1", "55": "BTC-USD",
    "60": "20231114-22:13:20", "10": "000",
}  # fmt: skip
REPLACE = ORDER | {"35": "G", "11": "A3", "41": "A1"}


def terms_with(**settings: str) -> Terms:
    """Of session ALPHA-2 of client ALPHA, with these settings."""
    return terms("ALPHA-2", Session(client="ALPHA", transact_time_seconds=TOLERANCE, **settings))  # type: ignore[arg-type]


def execution(**changes: object) -> Execution:
    """The acceptance of ORDER, with `changes`."""
    plain: dict[str, object] = {
        "time": TIME, "exec_type": "0", "ord_status": "0", "order_id": 7, "client": "ALPHA",
        "session": "ALPHA", "account": "ALPHA-1", "symbol": "BTC-USD", "cl_ord_id": "A1",
        "orig_cl_ord_id": "", "side": "1", "ord_type": "2", "time_in_force": "0", "quantity": 20_000,
        "price": 5_000_000, "cum_quantity": 0, "leaves_quantity": 20_000, "notional": 0,
    }  # fmt: skip
    return Execution(**(plain | changes))  # type: ignore[arg-type]
