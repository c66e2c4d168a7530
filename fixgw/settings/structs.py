"""Every setting of the venue: its meaning and unit, its range and its default, said here and only here.

`config/reference.yaml` shows them as a file; a test keeps the two equal."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from fixgw.settings.kinds import DayTime, Decimal, FeeRate, FilePath, HostName, Name, Percent, YesNo, Zone
from fixgw.settings.node import Node
from fixgw.settings.outputs import DropCopy, History, MarketData, Metrics
from fixgw.settings.session import Schedule, Session
from fixgw.settings.users import Record, Users


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
    node: Annotated[
        int, Meta(description="number of the node that has the market; 0: this one", ge=0, le=999)
    ] = 0
    # Limits that can be changed at any time
    min_price: Annotated[
        Decimal, Meta(description="lowest Price and StopPx, in quote, whole ticks; 0: one tick")
    ] = "0"
    max_notional: Annotated[Decimal, Meta(description="highest value of an order, in quote; 0: any")] = "0"
    band: Annotated[
        Percent, Meta(description="how far Price and StopPx may be from the reference price; 0: any distance")
    ] = "0"
    collar: Annotated[
        Percent,
        Meta(description="how far from the best price a market order may trade; 0: as far as the band"),
    ] = "0"
    dynamic_band: Annotated[
        Percent, Meta(description="how far from the last trade the next may be before it is halted; 0: any")
    ] = "0"
    reference_price: Annotated[
        Decimal,
        Meta(
            description="the reference until there is a trade, in quote, whole ticks; 0: none. "
            "Another one than before counts in place of the last trade until the next"
        ),
    ] = "0"
    maker_fee: Annotated[
        FeeRate,
        Meta(description="fee of who was in the book, in percent of the value of the trade, paid in quote"),
    ] = "0"
    taker_fee: Annotated[
        FeeRate, Meta(description="the same of who came, and of both sides of a trade in an auction")
    ] = "0"


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    max_open_orders: Annotated[int, Meta(description="most open orders; 0: any number", ge=0, le=1000000)] = 0
    max_notional: Annotated[
        dict[Name, Decimal],
        Meta(
            description="highest value of one order, by the quote of its market; left out or 0: any",
            extra={"words": "a mapping of currencies, such as {USD: 1000000}"},
        ),
    ] = field(default_factory=dict)
    max_orders_per_second: Annotated[
        int, Meta(description="most new orders and replaces in one second; 0: any number", ge=0, le=1000000)
    ] = 0


class Client(Struct, frozen=True, forbid_unknown_fields=True):
    accounts: Annotated[
        dict[Name, dict[Name, Decimal]],
        Meta(description="Account(1) names, each with its first balances by currency", min_length=1),
    ]
    limits: Annotated[
        dict[Name, Limits],
        Meta(description="limits of accounts, by their names; they can be changed at any time"),
    ] = field(default_factory=dict)


class Door(Struct, forbid_unknown_fields=True):
    """Not frozen: `fixgw admin reload` changes it in place, so that who holds it has the limits of this
    moment."""

    logon_deadline_seconds: Annotated[
        int, Meta(description="time a new connection has for its whole Logon", ge=1, le=60)
    ] = 5
    logon_bytes: Annotated[int, Meta(description="largest Logon", ge=256, le=65536)] = 4096
    connections: Annotated[int, Meta(description="most connections at a time", ge=1, le=60000)] = 2000
    connections_per_address: Annotated[
        int, Meta(description="most connections at a time from one address", ge=1, le=60000)
    ] = 100
    backlog: Annotated[int, Meta(description="connections the system may hold for us", ge=1, le=65535)] = 512
    message_bytes: Annotated[int, Meta(description="largest inbound message", ge=1024, le=1048576)] = 65536
    unread_bytes: Annotated[
        int, Meta(description="what a client may leave unread before it is cut", ge=65536, le=1073741824)
    ] = 16777216
    failed_logons_per_address: Annotated[
        int, Meta(description="failed Logons after which an address has to wait", ge=1, le=100000)
    ] = 10
    failed_logons_per_session: Annotated[
        int,
        Meta(
            description="failed Logons after which a session takes one from addresses it knows only",
            ge=1,
            le=100000,
        ),
    ] = 20
    failed_logon_seconds: Annotated[
        int, Meta(description="time after which failed Logons are forgotten", ge=1, le=86400)
    ] = 60
    resend_repeats: Annotated[
        int,
        Meta(description="how often one connection may ask for the same again at full speed", ge=0, le=1000),
    ] = 3
    resend_pause_seconds: Annotated[
        int, Meta(description="pause before each later repetition", ge=1, le=60)
    ] = 1


class Host(Struct, frozen=True, forbid_unknown_fields=True):
    certificate: Annotated[FilePath, Meta(description="PEM file: the certificate, then its chain")]
    key: Annotated[FilePath, Meta(description="PEM file: its private key, without a passphrase")]


class Tls(Struct, frozen=True, forbid_unknown_fields=True):
    certificate: Annotated[
        FilePath, Meta(description="PEM file: the certificate, then its chain; empty: no TLS")
    ] = ""
    key: Annotated[FilePath, Meta(description="PEM file: its private key, without a passphrase")] = ""
    address: Annotated[str, Meta(description="address to listen on", min_length=1, max_length=253)] = (
        "127.0.0.1"
    )
    port: Annotated[int, Meta(description="TCP port; 0 takes a free one", ge=0, le=65535)] = 9877
    client_ca: Annotated[
        FilePath, Meta(description="PEM file: who signs certificates of clients; empty: none are asked for")
    ] = ""
    client_certificate: Annotated[
        Literal["optional", "required"], Meta(description="whether every client must show one")
    ] = "required"
    hosts: Annotated[
        dict[HostName, Host],
        Meta(description="further certificates, by the host name a client asks for (SNI)"),
    ] = field(default_factory=dict)


class Day(Struct, frozen=True, forbid_unknown_fields=True):
    time_zone: Annotated[Zone, Meta(description="where `end` is read off a clock")] = "UTC"
    end: Annotated[
        DayTime, Meta(description="when the trading day ends: DAY orders expire, ClOrdIDs are free again")
    ] = "00:00"


class Restart(Struct, frozen=True, forbid_unknown_fields=True):
    cancel_only_seconds: Annotated[
        int, Meta(description="how long markets take cancels only after an unclean stop", ge=0, le=86400)
    ] = 5
    auction_seconds: Annotated[
        int, Meta(description="how long the opening auction after it takes", ge=0, le=86400)
    ] = 5
    volatility_seconds: Annotated[
        int,
        Meta(
            description="how long a volatility auction takes; 0: as long as the operator lets it",
            ge=0,
            le=86400,
        ),
    ] = 30


class MessageLog(Struct, frozen=True, forbid_unknown_fields=True):
    on: Annotated[YesNo, Meta(description="whether every byte in and out of a session is kept")] = "yes"
    file_mib: Annotated[
        int, Meta(description="MiB after which a session's file is rotated", ge=1, le=4096)
    ] = 64
    files: Annotated[
        int, Meta(description="files kept for a session, the current one included", ge=1, le=1000)
    ] = 8


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


class Snapshots(Struct, frozen=True, forbid_unknown_fields=True):
    entries: Annotated[
        int, Meta(description="journal entries after which one is made; 0: none is", ge=0, le=1000000000)
    ] = 100000
    keep: Annotated[int, Meta(description="how many are kept", ge=1, le=1000)] = 3


class Cycle(Struct, frozen=True, forbid_unknown_fields=True):
    messages: Annotated[int, Meta(description="most messages one transaction takes", ge=1, le=100000)] = 512


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. Section order is reading order; sections with a default may be left out."""

    currencies: Annotated[dict[Name, Currency], Meta(min_length=1)]
    instruments: Annotated[dict[Name, Instrument], Meta(min_length=1)]
    clients: dict[Name, Client] = field(default_factory=dict)
    sessions: dict[Name, Session] = field(default_factory=dict)
    schedules: Annotated[dict[Name, Schedule], Meta(description="when sessions are")] = field(
        default_factory=dict
    )
    venue: Venue = field(default_factory=Venue)
    tls: Tls = field(default_factory=Tls)
    day: Day = field(default_factory=Day)
    restart: Restart = field(default_factory=Restart)
    door: Door = field(default_factory=Door)
    store: Store = field(default_factory=Store)
    record: Record = field(default_factory=Record)
    users: Users = field(default_factory=Users)
    snapshots: Snapshots = field(default_factory=Snapshots)
    node: Node = field(default_factory=Node)
    cycle: Cycle = field(default_factory=Cycle)
    message_log: MessageLog = field(default_factory=MessageLog)
    drop_copy: DropCopy = field(default_factory=DropCopy)
    market_data: MarketData = field(default_factory=MarketData)
    history: History = field(default_factory=History)
    metrics: Metrics = field(default_factory=Metrics)
