"""The settings of a FIX session, and when it is."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from fixgw.settings.kinds import (
    Credential,
    Key,
    Name,
    OptionalDayTime,
    OptionalName,
    Secret,
    Weekday,
    WeekTime,
    YesNo,
    Zone,
)

Networks = Annotated[
    list[Annotated[str, Meta(max_length=64)]],
    Meta(max_length=1000, extra={"words": "a list of IP addresses or networks such as 192.0.2.0/24"}),
]
Certificates = Annotated[
    list[Annotated[str, Meta(max_length=253)]],
    Meta(max_length=1000, extra={"words": "a list of sha256:HEX, CN:NAME or DNS:NAME"}),
]
Weekdays = Annotated[list[Weekday], Meta(extra={"words": "a list of Mon, Tue, Wed, Thu, Fri, Sat, Sun"})]
ALL_DAYS: list[Weekday] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


class Schedule(Struct, frozen=True, forbid_unknown_fields=True):
    time_zone: Annotated[Zone, Meta(description="where the times are read off a clock")] = "UTC"
    start: Annotated[
        WeekTime, Meta(description="when a session begins: every day, or with a day once a week")
    ] = "00:00"
    end: Annotated[WeekTime, Meta(description="when it ends; equal to `start`: when the next one begins")] = (
        "00:00"
    )
    days: Annotated[
        Weekdays, Meta(description="days on which a daily session begins; left out: all of them")
    ] = field(default_factory=lambda: list(ALL_DAYS))
    connect_from: Annotated[
        OptionalDayTime, Meta(description="from when a client may be connected each day; empty: always")
    ] = ""
    connect_until: Annotated[
        OptionalDayTime, Meta(description="until when; before `connect_from`: on the next day")
    ] = ""
    reset: Annotated[YesNo, Meta(description="whether each session begins with MsgSeqNum 1")] = "yes"


class Access(Struct, frozen=True, forbid_unknown_fields=True):
    """Of a FIX session, whatever it is for: who may log on, and what that may cost."""

    begin_string: Annotated[
        Literal["FIX.4.4", "FIXT.1.1"], Meta(description="FIXT.1.1 speaks FIX.5.0SP2")
    ] = "FIX.4.4"
    comp_id: Annotated[OptionalName, Meta(description="the client's CompID; empty: the session's name")] = ""
    # Who may come in
    addresses: Annotated[Networks, Meta(description="where it may be connected from; left out: anywhere")] = (
        field(default_factory=list)
    )
    transport: Annotated[Literal["any", "tls"], Meta(description="tls: not over the plain port")] = "any"
    certificates: Annotated[
        Certificates, Meta(description="client certificates one of which it must show; left out: any or none")
    ] = field(default_factory=list)
    username: Annotated[Credential, Meta(description="Username(553) of the Logon; empty: any")] = ""
    password: Annotated[Secret, Meta(description="Password(554) of the Logon; empty: none is needed")] = ""
    hmac_key: Annotated[
        Key, Meta(description="key of a Logon signed with HMAC-SHA256, 16 to 128 bytes; empty: not signed")
    ] = ""
    public_key: Annotated[
        Key, Meta(description="key of a Logon signed with Ed25519, 32 bytes; empty: not signed")
    ] = ""
    signature_seconds: Annotated[
        int, Meta(description="how far SendingTime(52) of a signed Logon may be off", ge=1, le=300)
    ] = 10
    # What it may cost
    heartbeat_min_seconds: Annotated[
        int, Meta(description="smallest HeartBtInt(108) a Logon may ask for", ge=1, le=3600)
    ] = 1
    heartbeat_max_seconds: Annotated[
        int, Meta(description="largest HeartBtInt(108) a Logon may ask for", ge=1, le=3600)
    ] = 300
    messages_per_second: Annotated[
        int, Meta(description="messages above which all but cancels are refused", ge=1, le=1000000)
    ] = 1000
    flood_seconds: Annotated[
        int, Meta(description="seconds in a row above that after which it is cut", ge=1, le=3600)
    ] = 10
    # Time
    max_latency_seconds: Annotated[
        int, Meta(description="how far SendingTime(52) may be from the venue's clock", ge=1, le=86400)
    ] = 120
    timestamps: Annotated[
        Literal["milliseconds", "microseconds", "nanoseconds"], Meta(description="precision of times sent")
    ] = "milliseconds"


class Session(Access, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One that orders come in by."""

    client: Annotated[Name, Meta(description="the client it belongs to")]
    schedule: Annotated[
        OptionalName, Meta(description="one of `schedules`; empty: always, and its numbers go on")
    ] = ""
    # Orders
    transact_time_seconds: Annotated[
        int,
        Meta(
            description="how far TransactTime(60) of an order may be from the venue's clock",
            ge=1,
            le=31536000,
        ),
    ] = 86400
    pending_new: Annotated[
        YesNo,
        Meta(description="whether each order is told to be pending (150=A) before it is told to be new"),
    ] = "no"
    post_only: Annotated[
        Literal["refuse", "slide"],
        Meta(description="what becomes of an order with ExecInst(18)=6 that would trade at once"),
    ] = "refuse"
    self_trade: Annotated[
        Literal["none", "taker", "maker", "both", "decrement"],
        Meta(description="who is canceled when an order meets one of its group, unless the order says so"),
    ] = "none"
    self_trade_by: Annotated[
        Literal["client", "account"],
        Meta(description="whose orders are a group, but for those with SelfMatchPreventionID(2362)"),
    ] = "client"
    # Cancel on disconnect
    cancel_on_disconnect: Annotated[
        Literal["off", "loss", "loss-and-logout"],
        Meta(description="when its orders are cancelled, unless CancelOnDisconnect(8013) says otherwise"),
    ] = "off"
    cancel_grace_seconds: Annotated[
        int, Meta(description="how long it may be away before", ge=0, le=3600)
    ] = 0
    cancel_gtc: Annotated[YesNo, Meta(description="whether GTC orders are cancelled as well")] = "no"
