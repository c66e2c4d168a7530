"""The settings of users in memory, and of the record that they come from and go to (docs/users.md)."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from fixgw.settings.kinds import FilePath, ServerUrl, SqlName


class Record(Struct, frozen=True, forbid_unknown_fields=True):
    kind: Annotated[
        Literal["lmdb", "postgresql"],
        Meta(description="lmdb: a file in the data directory; postgresql: a server"),
    ] = "lmdb"
    map_size_mib: Annotated[
        int, Meta(description="lmdb: most MiB the file may grow to", ge=1, le=16777216)
    ] = 16384
    url: Annotated[ServerUrl, Meta(description="postgresql: where the server is, without a password")] = ""
    password_file: Annotated[
        FilePath,
        Meta(description="postgresql: file whose first line is the password; empty: that of PGPASSWORD"),
    ] = ""
    schema: Annotated[SqlName, Meta(description="postgresql: the schema of the tables")] = "fixgw"
    connections: Annotated[
        int, Meta(description="postgresql: most connections to the server", ge=1, le=100)
    ] = 4
    timeout_seconds: Annotated[
        int, Meta(description="postgresql: how long the server may take to answer", ge=1, le=300)
    ] = 5


class Users(Struct, frozen=True, forbid_unknown_fields=True):
    # Who comes into memory
    resident: Annotated[int, Meta(description="users that one shard has in memory", ge=1, le=100000000)] = (
        1000000
    )
    unknown_seconds: Annotated[
        int,
        Meta(description="how long a user is refused at once whom the record did not know", ge=1, le=86400),
    ] = 60
    wait_seconds: Annotated[
        int, Meta(description="how long an order may wait for its user to be read", ge=1, le=300)
    ] = 10
    parked: Annotated[
        int, Meta(description="most orders that wait for users to be read", ge=1, le=1000000)
    ] = 10000
    # Who leaves it
    idle_seconds: Annotated[
        int, Meta(description="time without activity after which a flat user leaves", ge=1, le=31536000)
    ] = 3600
    sweep: Annotated[int, Meta(description="most users that begin to leave at a time", ge=1, le=100000)] = (
        1000
    )
    # Between nodes, and between shards
    in_flight: Annotated[
        int,
        Meta(
            description="orders that another node has not answered above which more for it are refused",
            ge=1,
            le=10000000,
        ),
    ] = 100000
    reconcile_seconds: Annotated[
        int,
        Meta(description="time from one comparison of holds with open orders to the next", ge=1, le=86400),
    ] = 10
    reconcile: Annotated[
        int, Meta(description="most users and orders one comparison looks at", ge=1, le=100000)
    ] = 1000
    wave: Annotated[
        int, Meta(description="most users that move to another shard at a time", ge=1, le=100000)
    ] = 1000
