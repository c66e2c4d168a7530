"""The settings of what leaves the venue besides a client's own reports. Each output is a process of its own,
which `fixgw serve` starts if its section says so (docs/outputs.md)."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from fixgw.settings.kinds import DatabaseUrl, FilePath, Name, SqlName, YesNo
from fixgw.settings.session import Access

Names = Annotated[list[Name], Meta(extra={"words": "a list of names"})]
Address = Annotated[str, Meta(description="address to listen on", min_length=1, max_length=253)]


class DropCopySession(Access, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One that gets copies of the reports of others."""

    clients: Annotated[Names, Meta(description="clients whose reports it gets")] = field(default_factory=list)
    accounts: Annotated[
        Names, Meta(description="accounts whose reports it gets; with no clients either: of all")
    ] = field(default_factory=list)
    events: Annotated[
        Literal["all", "fills"], Meta(description="fills: trades, their busts and corrections only")
    ] = "all"
    begin: Annotated[
        Literal["log", "now"],
        Meta(description="where it begins when it is new: with the first event of the log, or the next"),
    ] = "log"


class MarketDataSession(Access, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One that subscribes to books and trades."""

    conflation: Annotated[
        Literal["trades", "interval"],
        Meta(
            description="what is merged. trades: quotes, by how fast it reads, and every trade is told; "
            "interval: all, by time"
        ),
    ] = "trades"
    interval_ms: Annotated[
        int, Meta(description="with interval: ms between two messages about one market", ge=1, le=60000)
    ] = 100
    depth: Annotated[
        int, Meta(description="most levels of each side that it may ask for by number", ge=1, le=1000)
    ] = 100
    full_book: Annotated[YesNo, Meta(description="whether it may ask for the full book")] = "yes"
    subscriptions: Annotated[
        int, Meta(description="most markets that it may ask for at a time", ge=1, le=100000)
    ] = 1000
    unread_trades: Annotated[
        int,
        Meta(
            description="with trades: trades of a market it may be behind before it is cut", ge=1, le=1000000
        ),
    ] = 10000
    stalled_seconds: Annotated[
        int, Meta(description="seconds it may read nothing of what is due before it is cut", ge=1, le=3600)
    ] = 30


class DropCopy(Struct, frozen=True, forbid_unknown_fields=True):
    """It runs if it has sessions."""

    address: Address = "127.0.0.1"
    port: Annotated[int, Meta(description="TCP port; 0 takes a free one", ge=0, le=65535)] = 9878
    tls: Annotated[YesNo, Meta(description="whether it speaks TLS, with the certificate of `tls`")] = "no"
    unread_seconds: Annotated[
        int,
        Meta(
            description="how long a client may leave unread what it is sent before it is cut", ge=1, le=86400
        ),
    ] = 30
    sessions: Annotated[dict[Name, DropCopySession], Meta(description="its FIX sessions by name")] = field(
        default_factory=dict
    )


class MarketData(Struct, frozen=True, forbid_unknown_fields=True):
    """It runs if it has sessions."""

    address: Address = "127.0.0.1"
    port: Annotated[int, Meta(description="TCP port; 0 takes a free one", ge=0, le=65535)] = 9879
    tls: Annotated[YesNo, Meta(description="whether it speaks TLS, with the certificate of `tls`")] = "no"
    sessions: Annotated[dict[Name, MarketDataSession], Meta(description="its FIX sessions by name")] = field(
        default_factory=dict
    )


class History(Struct, frozen=True, forbid_unknown_fields=True):
    on: Annotated[YesNo, Meta(description="whether the history is written")] = "no"
    url: Annotated[
        DatabaseUrl,
        Meta(description="the database; empty: SQLite, history/history.db in the data directory"),
    ] = ""
    password_file: Annotated[
        FilePath, Meta(description="file whose first line is the password; empty: that of PGPASSWORD")
    ] = ""
    schema: Annotated[SqlName, Meta(description="postgresql: the schema of the tables")] = "fixgw_history"


class Metrics(Struct, frozen=True, forbid_unknown_fields=True):
    on: Annotated[YesNo, Meta(description="whether there is an endpoint for Prometheus")] = "no"
    address: Address = "127.0.0.1"
    port: Annotated[int, Meta(description="TCP port; 0 takes a free one", ge=0, le=65535)] = 9880
