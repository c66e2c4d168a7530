"""The kinds of text a setting can be. Each says in words what would be right."""

from typing import Annotated, Literal

from msgspec import Meta

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
SqlName = Annotated[
    str,
    Meta(
        pattern=r"^[a-z][a-z0-9_]{0,62}\Z",
        extra={"words": "1 to 63 lower case letters, digits or '_', a letter first"},
    ),
]
ServerUrl = Annotated[
    str, Meta(max_length=2048, extra={"words": "empty or postgresql://USER@HOST:PORT/DATABASE"})
]
DatabaseUrl = Annotated[
    str,
    Meta(
        max_length=2048,
        extra={"words": "empty, sqlite:///PATH or postgresql://USER@HOST:PORT/DATABASE"},
    ),
]
Credential = Annotated[
    str,
    Meta(pattern=r"^[!-~]{0,64}\Z", extra={"words": "at most 64 printable ASCII characters without blanks"}),
]
Secret = Annotated[
    str,
    Meta(
        pattern=r"^[!-~]{0,200}\Z",
        extra={"words": "at most 64 printable ASCII characters without blanks, or a line of `fixgw passwd`"},
    ),
]
"""its value is never shown, in no message"""
Key = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9+/=]{0,172}\Z", extra={"words": "empty or base64"}),
]
Decimal = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,20}(\.[0-9]{1,18})?\Z",
        extra={"words": "a plain decimal number, at most 20 digits before and 18 after the point"},
    ),
]
Percent = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,3}(\.[0-9]{1,2})?\Z",
        extra={"words": "a percentage from 0 to 999.99, with at most two decimals"},
    ),
]
FeeRate = Annotated[
    str,
    Meta(
        pattern=r"^([0-9](\.[0-9]{1,4})?|10(\.0{1,4})?)\Z",
        extra={"words": "a percentage from 0 to 10, with at most four decimals"},
    ),
]
FilePath = Annotated[
    str, Meta(max_length=4096, extra={"words": "empty or a path, seen from the folder of this file"})
]
NodeNumber = Annotated[
    str, Meta(pattern=r"^[1-9][0-9]{0,2}\Z", extra={"words": "the number of a node, 1 to 999"})
]
HostName = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,252}\Z", extra={"words": "a host name"}),
]
Zone = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9_+/-]{1,64}\Z", extra={"words": "a name of the time zone database"}),
]
DayTime = Annotated[
    str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z", extra={"words": "HH:MM, from 00:00 to 23:59"})
]
OptionalDayTime = Annotated[
    str,
    Meta(
        pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9])?\Z",
        extra={"words": "empty or HH:MM, from 00:00 to 23:59"},
    ),
]
WeekTime = Annotated[
    str,
    Meta(
        pattern=r"^((Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?([01][0-9]|2[0-3]):[0-5][0-9]\Z",
        extra={"words": "HH:MM, or with a day before it: Sun 17:00"},
    ),
]
Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
YesNo = Literal["yes", "no"]
