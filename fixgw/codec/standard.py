"""The standard itself, from the dictionaries of the quickfix package: names of messages, fields, values."""

from functools import cache
from pathlib import Path
from sysconfig import get_path
from xml.etree.ElementTree import Element, parse

from msgspec import Struct

FOLDER = Path(get_path("data")) / "share" / "quickfix"

LAYERS = {"FIX.4.4": ("FIX44",), "FIXT.1.1": ("FIXT11", "FIX50SP2")}
"""BeginString(8) to its dictionaries; of two, the first holds the session messages"""
LATEST = "FIXT.1.1"


class Names(Struct, frozen=True):
    """How the standard calls what stands on the wire as numbers and codes."""

    messages: dict[str, str]
    """MsgType(35) to name: "D" is NewOrderSingle"""
    fields: dict[str, str]
    """tag to name: "55" is Symbol"""
    values: dict[tuple[str, str], str]
    """(tag, value) to name: ("54", "1") is BUY"""


@cache
def dictionary(name: str) -> Element:
    """The standard dictionary `name` ("FIX44", "FIXT11", "FIX50SP2"), whole and not to be changed. Parsed
    once, until `forget`: FIX50SP2 takes 0.1 s and much memory."""
    return parse(FOLDER / f"{name}.xml").getroot()


@cache
def names(begin_string: str) -> Names:
    """The name tables of a version, read once (FIXT.1.1: 0.1 s)."""
    all_names = Names({}, {}, {})
    for root in map(dictionary, LAYERS[begin_string]):
        for message in root.iterfind("messages/message"):
            all_names.messages[message.attrib["msgtype"]] = message.attrib["name"]
        for field in root.iterfind("fields/field"):
            tag = field.attrib["number"]
            all_names.fields[tag] = field.attrib["name"]
            for value in field.iterfind("value"):
                all_names.values[tag, value.attrib["enum"]] = value.get("description", value.attrib["enum"])
    return all_names


def forget() -> None:
    """Lets go of the dictionaries; `names` stay."""
    dictionary.cache_clear()
