"""Which events a session gets a copy of, and what the copy looks like."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from engine.events import Execution, RequestDenied
from engine.peer_messages import PLACE
from engine.peers import SPAN
from engine.words import BUSTED, CORRECTED, REJECTED, TRADE
from fixgw.codec.denials import order_denied
from fixgw.codec.instruments import InstrumentText
from fixgw.codec.reports import Report, execution_report
from fixgw.codec.times import utc_timestamp
from fixgw.settings import DropCopySession
from fixgw.store.journal import Entry

FILLS = TRADE, BUSTED, CORRECTED
COPY = b"797=Y\x01"
"""CopyMsgIndicator"""
Choice = Callable[[Execution], bool]


class Told(NamedTuple):
    """What was told to a client of one step in an order's life."""

    sequence: int
    """of the event in the output log: ExecID(17)"""
    event: Execution
    number: int
    """MsgSeqNum of the report to the session that owns the order; 0 if it is not known"""
    denied: RequestDenied | None = None
    """why a market on another node has refused the order"""


def told_in(entry: Entry) -> Iterator[Told]:
    """In the order of the log. Orders of other nodes have their sessions there, and copies as well."""
    denied = [each for each in entry.events if type(each) is RequestDenied and each.request == PLACE]
    numbers = iter(entry.numbers)
    for sequence, event in enumerate(entry.events, entry.first_event):
        if type(event) is not Execution:
            continue
        number = next(numbers, 0)
        if event.order_id < SPAN:
            why = denied[0] if denied and event.exec_type == REJECTED else None
            yield Told(sequence, event, number, why)


def choice(settings: DropCopySession) -> Choice:
    """Of one session."""
    clients, accounts = frozenset(settings.clients), frozenset(settings.accounts)
    kinds: Collection[str] | None = FILLS if settings.events == "fills" else None

    def chosen(event: Execution) -> bool:
        if kinds is not None and event.exec_type not in kinds:
            return False
        return not (clients or accounts) or event.client in clients or event.account in accounts

    return chosen


def copied(
    told: Told, instruments: Mapping[str, InstrumentText], begin_string: str, decimals: int, again: bool
) -> Report:
    """The report as its owner has it, led by the header's hop: the session that it went to, when, and under
    which MsgSeqNum. `again`: this session was sent it before."""
    event, instrument = told.event, instruments[told.event.symbol]
    if told.denied is not None:
        msg_type, body = order_denied(event, told.denied, told.sequence, instrument, begin_string, decimals)
    else:
        msg_type, body = execution_report(event, told.sequence, instrument, begin_string, decimals)
    hop = ""
    if told.number:
        time = utc_timestamp(event.time, decimals)
        hop = f"627=1\x01628={event.session}\x01629={time}\x01630={told.number}\x01"
    head = f"{'97=Y' + chr(1) if again else ''}{hop}"
    return msg_type, head.encode("ascii") + body + COPY
