"""What all orders of one session have from it: worked out when its settings are read, not with each order."""

from msgspec import Struct

from engine.words import (
    ALLOW,
    CANCEL_BOTH,
    CANCEL_MAKER,
    CANCEL_TAKER,
    DECREMENT,
)
from fixgw.codec.times import SECOND
from fixgw.settings.session import Session

_MODES = {
    "none": ALLOW,
    "taker": CANCEL_TAKER,
    "maker": CANCEL_MAKER,
    "both": CANCEL_BOTH,
    "decrement": DECREMENT,
}


class Terms(Struct, frozen=True, gc=False):
    client: str
    session: str
    tolerance: int
    """nanoseconds that TransactTime(60) may be off"""
    post_only: str
    """REFUSE or SLIDE, for orders with ExecInst(18)=6"""
    self_trade: str
    """the mode of orders without SelfMatchPreventionInstruction(2964)"""
    group: str
    """of orders without SelfMatchPreventionID(2362); "": that of their account"""


def terms(name: str, settings: Session) -> Terms:
    """Of the session `name`."""
    return Terms(
        client=settings.client,
        session=name,
        tolerance=settings.transact_time_seconds * SECOND,
        post_only=settings.post_only,
        self_trade=_MODES[settings.self_trade],
        group=client_group(settings.client) if settings.self_trade_by == "client" else "",
    )


# Groups of orders that do not trade with each other (engine.commands.NewOrder). Names of clients and accounts
# have neither ":" nor "/": the first of these in a group says of which kind it is, so that no two kinds and no
# two clients ever share one.


def client_group(client: str) -> str:
    return f"client:{client}"


def account_group(account: str) -> str:
    return f"account:{account}"


def own_group(client: str, text: str) -> str:
    """Of a SelfMatchPreventionID(2362)."""
    return f"{client}/{text}"
