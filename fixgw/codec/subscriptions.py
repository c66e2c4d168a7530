"""MarketDataRequest(V): what is asked for, or what is wrong with it."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from fixgw.codec.market_data import BID, CLOSING, IMBALANCE, OFFER, OPENING, TRADE
from fixgw.codec.meaning import HEADER
from fixgw.codec.refusals import MAX_SHOWN
from fixgw.codec.standard import names
from fixgw.codec.statuses import SESSION

SNAPSHOT: Final = "0"
SUBSCRIBE: Final = "1"
UNSUBSCRIBE: Final = "2"
"""SubscriptionRequestType(263)"""
REFRESH, INCREMENTAL = "0", "1"
"""MDUpdateType(265)"""

UNKNOWN_SYMBOL: Final = "0"
DUPLICATE: Final = "1"
TOO_MANY: Final = "2"
BAD_TYPE: Final = "4"
BAD_DEPTH: Final = "5"
BAD_UPDATE_TYPE: Final = "6"
BAD_AGGREGATION: Final = "7"
BAD_ENTRY_TYPE: Final = "8"
BAD_TRADING_SESSION: Final = "9"
OTHER: Final = ""
"""MDReqRejReason(281), as far as it is used"""

OFFERED = (BID, OFFER, TRADE, OPENING, CLOSING, IMBALANCE)
LONGEST = 64
"""characters of an MDReqID(262)"""
DEEPEST = 2**31 - 1

_IN_WORDS = "0 (bid), 1 (offer), 2 (trade), 4 and 5 (indicative opening and closing price) and A (imbalance)"
_GROUPS = {"267": "269", "146": "55", "386": "336"}
"""the counters of groups and the fields that begin their entries"""
_SINGLE = HEADER | {"262", "263", "264", "265", "266", "547", *_GROUPS}
_BESIDE_SYMBOL = {"22", "48", "107", "460", "167"}
"""SecurityIDSource SecurityID SecurityDesc Product SecurityType: names of the instrument beside its Symbol"""
_OTHERS = {"546": "A", "286": "B"}
"""Scope, OpenCloseSettlFlag: the reason with which they are refused"""


class Request(NamedTuple):
    request_id: str
    kind: str
    """SNAPSHOT, SUBSCRIBE or UNSUBSCRIBE, which has nothing of what follows"""
    depth: int = 0
    """levels of each side; 0: all"""
    incremental: bool = False
    types: frozenset[str] = frozenset()
    symbols: tuple[str, ...] = ()


class Unanswerable(Exception):
    """What is wrong with a request."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


def read_request(text: str) -> Request:
    """Of a whole message that QuickFIX has parsed. Raises Unanswerable for what is not offered; whether there
    are such symbols is not known here."""
    pairs = [pair.partition("=")[::2] for pair in text[:-1].split("\x01")]
    found = dict(pairs)
    request_id, kind = found["262"], found["263"]
    if len(request_id) > LONGEST:
        raise Unanswerable(OTHER, f"MDReqID has {len(request_id)} characters; at most {LONGEST} are taken")
    if kind == UNSUBSCRIBE:
        return Request(request_id, kind)
    if kind not in (SNAPSHOT, SUBSCRIBE):
        raise Unanswerable(
            BAD_TYPE,
            f"SubscriptionRequestType {kind} is not offered, only 0 (snapshot), 1 (snapshot and updates) and "
            "2 (end them)",
        )
    for tag, value in pairs:
        _check(found, tag, value)
    types = frozenset(value for tag, value in pairs if tag == "269")
    if not types:
        raise Unanswerable(
            BAD_ENTRY_TYPE, f"NoMDEntryTypes must name at least one MDEntryType of {_IN_WORDS}"
        )
    symbols = tuple(dict.fromkeys(value for tag, value in pairs if tag == "55"))
    if not symbols:
        raise Unanswerable(UNKNOWN_SYMBOL, "NoRelatedSym must name at least one Symbol")
    return Request(request_id, kind, _depth(found["264"]), found.get("265") == INCREMENTAL, types, symbols)


def _check(found: Mapping[str, str], tag: str, value: str) -> None:
    """Raises Unanswerable for a field that would make the request another one than is understood here."""
    if tag == "269" and value not in OFFERED:
        raise Unanswerable(BAD_ENTRY_TYPE, f"MDEntryType {shown(value)} is not offered, only {_IN_WORDS}")
    if tag == "263" and value == SUBSCRIBE and found.get("265") not in (REFRESH, INCREMENTAL):
        said = shown(found["265"]) if "265" in found else "is missing: it"
        raise Unanswerable(BAD_UPDATE_TYPE, f"MDUpdateType {said} must be 0 (full) or 1 (incremental)")
    if tag == "266" and value != "Y":
        raise Unanswerable(
            BAD_AGGREGATION, "AggregatedBook N is not offered, only Y: orders are not shown singly"
        )
    if tag == "547" and value != "N":
        raise Unanswerable("C", "MDImplicitDelete Y is not offered, only N: every level that goes is deleted")
    if tag == "336" and value != SESSION:
        raise Unanswerable(BAD_TRADING_SESSION, f"there is one TradingSessionID, {SESSION}")
    if tag in _SINGLE or tag in _GROUPS.values() or tag in _BESIDE_SYMBOL or int(tag) >= 5000:
        return
    name = names(found["8"]).fields.get(tag, tag)
    raise Unanswerable(_OTHERS.get(tag, OTHER), f"{name} {shown(value)} is not supported; leave it out")


def _depth(text: str) -> int:
    """QuickFIX has taken it for a whole number."""
    digits = text.lstrip("0")[:10]
    if text.startswith("-") or len(digits) == 10 or int(digits or 0) > DEEPEST:
        raise Unanswerable(
            BAD_DEPTH, f"MarketDepth {shown(text)} must be 0 (full book), 1 (top of book) or so many levels"
        )
    return int(digits or 0)


def shown(value: str) -> str:
    return value.encode("unicode_escape").decode("ascii")[:MAX_SHOWN]
