"""What operator and venue say to each other: one JSON object a line, one line each way."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

SOCKET = "admin.sock"
"""in the data directory"""
MAX_LINE = 65536
"""bytes of a request"""
LAST_NUMBER = 2**31 - 1
"""highest MsgSeqNum that can be set"""

Text = Annotated[str, Meta(pattern=r"^[ -~]{1,200}\Z")]
"""what a client reads as Text(58)"""
Number = Annotated[int, Meta(ge=1, le=LAST_NUMBER)]
Id = Annotated[int, Meta(ge=1, le=2**63 - 1)]
"""OrderID or ExecID"""
Call = Literal["pre-open", "opening-auction", "closing-auction", "volatility-auction"]
State = Call | Literal["continuous", "cancel-only", "halted", "closed"]
"""engine.words.STATES"""


class CancelOnly(Struct, forbid_unknown_fields=True, tag="cancel-only"):
    on: bool
    symbol: str = ""
    """empty: the whole venue"""


class MarketState(Struct, forbid_unknown_fields=True, tag="market"):
    state: State
    symbol: str = ""
    """empty: all markets"""


class Kill(Struct, forbid_unknown_fields=True, tag="kill"):
    scope: Literal["account", "client", "venue"]
    name: str = ""
    """empty for the venue"""
    on: bool = True


class CancelOrder(Struct, forbid_unknown_fields=True, tag="cancel"):
    order_id: Id
    text: Text = "canceled by the operator"


class Bust(Struct, forbid_unknown_fields=True, tag="bust"):
    exec_id: Id
    """of either side of the trade"""
    text: Text = "busted by the operator"


class Correct(Struct, forbid_unknown_fields=True, tag="correct"):
    exec_id: Id
    quantity: str = ""
    """as people write it; empty: as it is"""
    price: str = ""
    text: Text = "corrected by the operator"


class EndOfDay(Struct, forbid_unknown_fields=True, tag="end-of-day"):
    again: bool
    """also a day that has not begun by the calendar"""


class Status(Struct, forbid_unknown_fields=True, tag="status"):
    digest: bool = False
    """with the digest of the whole state: the venue stands still while it counts, 0.1 s per 100,000 live
    orders"""


class Reload(Struct, forbid_unknown_fields=True, tag="reload"):
    pass


class Sessions(Struct, forbid_unknown_fields=True, tag="sessions"):
    """Each line of the answer is a SessionState as JSON."""


class LogOut(Struct, forbid_unknown_fields=True, tag="logout"):
    session: str
    text: Text = "logged out by the operator"


class Disconnect(Struct, forbid_unknown_fields=True, tag="disconnect"):
    session: str


class Block(Struct, forbid_unknown_fields=True, tag="block"):
    session: str
    on: bool = True
    """false: unblock"""


class SetNumbers(Struct, forbid_unknown_fields=True, tag="set-seqnum"):
    session: str
    next_in: Number | None = None
    next_out: Number | None = None


class Reset(Struct, forbid_unknown_fields=True, tag="reset"):
    session: str


Known = Annotated[str, Meta(pattern=r"^[!-~]{1,64}\Z")]
"""a name"""
Limit = Annotated[int, Meta(ge=1, le=1000)]
Start = Annotated[str, Meta(pattern=r"^[!-~]{0,64}\Z")]
"""a name, or none"""


class Accounts(Struct, forbid_unknown_fields=True, tag="accounts"):
    names: list[Known] = []
    """empty: the first of all"""
    client: Start = ""
    after: Start = ""
    limit: Limit = 100
    """of those that were not named"""


class OpenAccount(Struct, forbid_unknown_fields=True, tag="open-account"):
    account: Known
    client: Known


class Transfer(Struct, forbid_unknown_fields=True, tag="transfer"):
    """A deposit or a withdrawal."""

    account: Known
    amount: str
    """as people write it"""
    currency: str
    reference: Known
    """the same one again changes nothing"""
    withdraws: bool = False


class Resolve(Struct, forbid_unknown_fields=True, tag="resolve"):
    account: Known
    keep: bool
    """what the venue has in memory; else what the record has"""


class Shards(Struct, forbid_unknown_fields=True, tag="shards"):
    pass


class ChangeShard(Struct, forbid_unknown_fields=True, tag="shard"):
    shard: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,32}\Z")]
    joins: bool


class PinUser(Struct, forbid_unknown_fields=True, tag="pin"):
    account: Known
    shard: str
    """empty: where the hash says"""
    alone: bool = False
    now: bool = False
    """its orders are canceled first"""


OfUsers = Accounts | OpenAccount | Transfer | Resolve | Shards | ChangeShard | PinUser
OfSession = LogOut | Disconnect | Block | SetNumbers | Reset
OfTrading = CancelOnly | MarketState | Kill | CancelOrder | Bust | Correct
Request = EndOfDay | Status | Reload | Sessions | OfTrading | OfUsers | OfSession


class Answer(Struct):
    ok: bool
    lines: list[str]
    """for people"""


class SessionState(Struct):
    """A session at this moment. Times are UTCTimestamps, empty if it did not happen since the start."""

    session: str
    client: str
    state: str
    """logged on, logging on, logged off or blocked"""
    address: str
    """of its client, with the port; empty without one"""
    next_out: int
    next_in: int
    last_out: str
    last_in: str
    unread_bytes: int
    resends: int
    """resend requests since the start"""
    blocked: bool
    schedule: str
    begin_string: str
    comp_id: str
