"""SecurityListRequest(x) and the SecurityList(y) that answers it: what can be traded, in which steps."""

from collections.abc import Iterator, Mapping, Sequence

from fixgw.codec.instruments import InstrumentText
from fixgw.codec.reports import Report

OF_A_SYMBOL, ALL = "0", "4"
"""SecurityListRequestType(559)"""
FRAGMENT = 50
"""instruments in one message"""
VALID, UNSUPPORTED, NONE_FOUND = "0", "1", "2"
"""SecurityRequestResult(560)"""


def security_lists(
    found: Mapping[str, str], instruments: Mapping[str, InstrumentText], response_id: str, begin_string: str
) -> Iterator[Report]:
    """The answer in messages of at most FRAGMENT instruments; `response_id` names all of them."""
    request_id, kind, symbol = found["320"], found["559"], found.get("55", "")
    head = f"320={request_id}\x01322={response_id}\x01"
    if kind not in (OF_A_SYMBOL, ALL):
        yield _list(head, UNSUPPORTED, [], 0, True, begin_string)
        return
    wanted = [each for each in instruments.values() if kind == ALL or each.symbol == symbol]
    if not wanted:
        yield _list(head, NONE_FOUND, [], 0, True, begin_string)
    for first in range(0, len(wanted), FRAGMENT):
        last = first + FRAGMENT >= len(wanted)
        yield _list(head, VALID, wanted[first : first + FRAGMENT], len(wanted), last, begin_string)


def _list(
    head: str, result: str, some: Sequence[InstrumentText], total: int, last: bool, begin_string: str
) -> Report:
    body = f"{head}560={result}\x01"
    if some:
        body += f"393={total}\x01893={'Y' if last else 'N'}\x01146={len(some)}\x01"
        body += "".join(_security(each, begin_string) for each in some)
    return "y", body.encode("utf-8", "surrogateescape")


def _security(instrument: InstrumentText, begin_string: str) -> str:
    """FIX.4.4 has no field for the tick."""
    tick, lot, most = instrument.price.print(1), instrument.quantity.print(1), instrument.max_quantity
    if begin_string == "FIX.4.4":
        return f"55={instrument.symbol}\x0115={instrument.quote}\x01561={lot}\x01562={lot}\x01"
    highest = instrument.quantity.print(most)
    return (
        f"55={instrument.symbol}\x011205=1\x011206={tick}\x011208={tick}\x01562={lot}\x011140={highest}\x01"
        f"561={lot}\x0115={instrument.quote}\x01"
    )
