"""Every setting of the venue: its meaning and unit, its range and its default, said here and only here.

`config/reference.yaml` shows them as a file; a test keeps the two equal."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

# Names end in FIX text, LMDB keys and file names.
Name = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z",
        extra={"words": "a name: 1 to 32 letters, digits, '.', '_' or '-', a letter or digit first"},
    ),
]
OptionalName = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,31})?\Z",
        extra={"words": "empty or a name: 1 to 32 letters, digits, '.', '_' or '-', a letter or digit first"},
    ),
]
Credential = Annotated[
    str,
    Meta(pattern=r"^[!-~]{0,64}\Z", extra={"words": "at most 64 printable ASCII characters without blanks"}),
]
Decimal = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,20}(\.[0-9]{1,18})?\Z",
        extra={"words": "a plain decimal number, at most 20 digits before and 18 after the point"},
    ),
]


class Venue(Struct, frozen=True, forbid_unknown_fields=True):
    comp_id: Annotated[Name, Meta(description="the venue's CompID")] = "FIXGW"
    address: Annotated[str, Meta(description="address to listen on", min_length=1, max_length=253)] = (
        "127.0.0.1"
    )
    port: Annotated[int, Meta(description="TCP port; 0 takes a free one", ge=0, le=65535)] = 9876


class Currency(Struct, frozen=True, forbid_unknown_fields=True):
    decimals: Annotated[int, Meta(description="decimals of its smallest unit", ge=0, le=18)]


class Instrument(Struct, frozen=True, forbid_unknown_fields=True):
    base: Annotated[Name, Meta(description="the currency that is traded")]
    quote: Annotated[Name, Meta(description="the currency it is paid in")]
    tick: Annotated[Decimal, Meta(description="step of prices, in quote")]
    lot: Annotated[Decimal, Meta(description="step of quantities, in base")]
    max_quantity: Annotated[Decimal, Meta(description="largest OrderQty, in base, whole lots")]
    max_price: Annotated[Decimal, Meta(description="highest Price, in quote, whole ticks")]


class Client(Struct, frozen=True, forbid_unknown_fields=True):
    accounts: Annotated[
        dict[Name, dict[Name, Decimal]],
        Meta(description="Account(1) names, each with its first balances by currency"),
    ]


class Session(Struct, frozen=True, forbid_unknown_fields=True):
    client: Annotated[Name, Meta(description="the client it belongs to")]
    begin_string: Annotated[
        Literal["FIX.4.4", "FIXT.1.1"], Meta(description="FIXT.1.1 speaks FIX.5.0SP2")
    ] = "FIX.4.4"
    comp_id: Annotated[OptionalName, Meta(description="the client's CompID; empty: the session's name")] = ""
    username: Annotated[Credential, Meta(description="Username(553) of the Logon; empty: any")] = ""
    password: Annotated[Credential, Meta(description="Password(554) of the Logon; empty: loopback only")] = ""
    heartbeat_max_seconds: Annotated[
        int, Meta(description="largest HeartBtInt(108) a Logon may ask for; the smallest is 1", ge=1, le=3600)
    ] = 300
    max_latency_seconds: Annotated[
        int, Meta(description="how far SendingTime(52) may be from the venue's clock", ge=1, le=86400)
    ] = 120


class Door(Struct, frozen=True, forbid_unknown_fields=True):
    logon_deadline_seconds: Annotated[
        int, Meta(description="time a new connection has for its whole Logon", ge=1, le=60)
    ] = 5
    logon_bytes: Annotated[int, Meta(description="largest Logon", ge=256, le=65536)] = 4096
    connections: Annotated[int, Meta(description="most connections at a time", ge=1, le=60000)] = 1000
    backlog: Annotated[int, Meta(description="connections the system may hold for us", ge=1, le=65535)] = 512
    message_bytes: Annotated[int, Meta(description="largest inbound message", ge=1024, le=1048576)] = 65536
    unread_bytes: Annotated[
        int, Meta(description="what a client may leave unread before it is cut", ge=65536, le=1073741824)
    ] = 16777216


class Store(Struct, frozen=True, forbid_unknown_fields=True):
    map_size_mib: Annotated[
        int, Meta(description="most MiB the database may grow to", ge=16, le=16777216)
    ] = 65536
    reserve_mib: Annotated[
        int, Meta(description="free MiB (disk or map) below which new orders are refused", ge=1, le=1048576)
    ] = 64
    clordid_days: Annotated[int, Meta(description="trading days whose ClOrdIDs are kept", ge=1, le=366)] = 2
    jump: Annotated[
        int, Meta(description="how far the outbound MsgSeqNum jumps after an unclean stop", ge=1, le=1000000)
    ] = 1000


class Cycle(Struct, frozen=True, forbid_unknown_fields=True):
    messages: Annotated[int, Meta(description="most messages one transaction takes", ge=1, le=100000)] = 512


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. Section order is reading order; sections with a default may be left out."""

    currencies: Annotated[dict[Name, Currency], Meta(min_length=1)]
    instruments: Annotated[dict[Name, Instrument], Meta(min_length=1)]
    clients: Annotated[dict[Name, Client], Meta(min_length=1)]
    sessions: Annotated[dict[Name, Session], Meta(min_length=1)]
    venue: Venue = field(default_factory=Venue)
    door: Door = field(default_factory=Door)
    store: Store = field(default_factory=Store)
    cycle: Cycle = field(default_factory=Cycle)
