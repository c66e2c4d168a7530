"""What may stand in a message: the standard's dictionaries, and what the venue asks for beyond them. Cases 14
of the standard."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import NamedTuple
from xml.etree.ElementTree import Element

from acceptance.reference.faults import Fault, Faults
from acceptance.wire import Message
from fixgw.codec.standard import LAYERS, dictionary

TAKEN = set("A012345DFGj")
"""MsgType(35) of the messages the venue takes"""
_ALSO_REQUIRED = {"D": ("Account",), "F": ("OrigClOrdID",), "G": ("OrigClOrdID",)}
_ONLY = {98: {"0"}, 1128: {"9"}, 1137: {"9"}, 8013: {"N", "L", "Y"}}
"""fields of which the venue takes these values"""
_SEVERAL = {"MULTIPLEVALUESTRING", "MULTIPLESTRINGVALUE", "MULTIPLECHARVALUE"}
_COUNTS = {"SEQNUM", "LENGTH", "NUMINGROUP"}
_NUMBERS = {"QTY", "PRICE", "PRICEOFFSET", "AMT", "FLOAT", "PERCENTAGE"}

UNKNOWN_TAG, MISSING, NOT_HERE, EMPTY, VALUE, FORMAT = 0, 1, 2, 4, 5, 6
COMP_ID, SENDING_TIME, MSG_TYPE, TWICE, ORDER, GROUP = 9, 10, 11, 13, 14, 16
"""SessionRejectReason(373)"""
TEXTS = {
    UNKNOWN_TAG: "Invalid tag number",
    MISSING: "Required tag missing",
    NOT_HERE: "Tag not defined for this message type",
    EMPTY: "Tag specified without a value",
    VALUE: "Value is incorrect (out of range) for this tag",
    FORMAT: "Incorrect data format for value",
    COMP_ID: "CompID problem",
    SENDING_TIME: "SendingTime accuracy problem",
    MSG_TYPE: "Invalid MsgType",
    TWICE: "Tag appears more than once",
    ORDER: "Tag specified out of required order",
    GROUP: "Incorrect NumInGroup count for repeating group",
}

_UNCHECKED = {
    UNKNOWN_TAG: Fault.UNKNOWN_TAG_TAKEN,
    MISSING: Fault.MISSING_TAG_TAKEN,
    NOT_HERE: Fault.FOREIGN_TAG_TAKEN,
    EMPTY: Fault.EMPTY_TAG_TAKEN,
    VALUE: Fault.WRONG_VALUE_TAKEN,
    FORMAT: Fault.WRONG_FORMAT_TAKEN,
    TWICE: Fault.REPEATED_TAG_TAKEN,
    ORDER: Fault.TAG_ORDER_NOT_CHECKED,
    GROUP: Fault.GROUP_COUNT_NOT_CHECKED,
}


class Wrong(NamedTuple):
    reason: int
    """SessionRejectReason(373)"""
    tag: int | None = None
    """RefTagID(371); None if it is no field"""

    @property
    def text(self) -> str:
        return TEXTS[self.reason]


class Shape(NamedTuple):
    """Of a message, or of header or trailer."""

    fields: set[int]
    required: list[int]
    groups: dict[int, tuple[int, set[int]]]
    """tag of the count: first field of an entry, all fields of it"""


class Dictionary:
    orders = frozenset("DFGj")
    """MsgType(35) of what goes to the desk"""

    def __init__(self, begin_string: str) -> None:
        roots = [dictionary(name) for name in LAYERS[begin_string]]
        self.types: dict[int, str] = {8013: "CHAR"}
        self.values: dict[int, set[str]] = {}
        self._tags: dict[str, int] = {"CancelOnDisconnect": 8013}
        self._components: dict[str, Element] = {}
        for root in reversed(roots):
            for each in root.iterfind("fields/field"):
                tag = int(each.attrib["number"])
                self._tags[each.attrib["name"]] = tag
                self.types[tag] = each.attrib["type"]
                self.values[tag] = {value.attrib["enum"] for value in each.iterfind("value")}
            self._components |= {each.attrib["name"]: each for each in root.iterfind("components/component")}
        self.names = {tag: name for name, tag in self._tags.items()}
        self.values |= _ONLY
        header, trailer = roots[0].find("header"), roots[0].find("trailer")
        assert header is not None and trailer is not None
        self.header, self.trailer = self._shape(header), self._shape(trailer)
        self.messages: dict[str, Shape] = {}
        self.known: set[str] = set()
        """MsgType(35) of all messages of the standard"""
        for root in roots:
            for message in root.iterfind("messages/message"):
                msg_type = message.attrib["msgtype"]
                self.known.add(msg_type)
                if msg_type in TAKEN:
                    self.messages[msg_type] = shape = self._shape(message)
                    also = [self._tags[name] for name in _ALSO_REQUIRED.get(msg_type, ())]
                    shape.required.extend(tag for tag in also if tag not in shape.required)
        self.messages["A"].fields.add(8013)

    def knows(self, msg_type: str) -> bool:
        return msg_type in self.known or msg_type.startswith("U")

    def wrong(self, message: Message, faults: Faults) -> Wrong | None:
        """The first thing that is wrong with the fields of a message that is taken."""
        for wrong in self._wrongs(message):
            if not faults.on(_UNCHECKED[wrong.reason]):
                return wrong
        return None

    def _wrongs(self, message: Message) -> list[Wrong]:
        shape = self.messages[message.msg_type]
        found = self._order(message)
        for part in (self.header, shape):
            found += [Wrong(MISSING, tag) for tag in part.required if tag not in message]
        known = shape.fields | self.header.fields | self.trailer.fields
        seen: set[int] = set()
        position = 0
        while position < len(message.fields):
            tag, value = message.fields[position]
            position += 1
            if tag in seen:
                found.append(Wrong(TWICE, tag))
            seen.add(tag)
            found += self._field(tag, value, known)
            if tag in shape.groups and value.isdecimal():
                entries, position = self._entries(message, shape.groups[tag], position, found, known)
                if entries != int(value):
                    found.append(Wrong(GROUP, tag))
        return found

    def _field(self, tag: int, value: str, known: set[int]) -> list[Wrong]:
        if value == "":
            return [Wrong(EMPTY, tag)]
        if tag not in self.types:
            return [Wrong(UNKNOWN_TAG, tag)]
        found = [] if tag in known else [Wrong(NOT_HERE, tag)]
        kind = self.types[tag]
        if not right_format(kind, value):
            return [*found, Wrong(FORMAT, tag)]
        values = self.values.get(tag)
        several = value.split(" ") if kind in _SEVERAL else [value]
        if values and kind not in ("BOOLEAN", "NUMINGROUP") and not values.issuperset(several):
            found.append(Wrong(VALUE, tag))
        return found

    def _entries(
        self,
        message: Message,
        group: tuple[int, set[int]],
        position: int,
        found: list[Wrong],
        known: set[int],
    ) -> tuple[int, int]:
        """How many entries follow, and where they end."""
        first, members = group
        entries = 0
        for tag, value in message.fields[position:]:
            if tag not in members or (tag != first and not entries):
                break
            entries += tag == first
            found += self._field(tag, value, known)
            position += 1
        return entries, position

    def _order(self, message: Message) -> list[Wrong]:
        """Header, body, trailer: a field that comes in a part after its own."""
        part = 0
        for tag, _ in message.fields:
            its = 0 if tag in self.header.fields else 2 if tag in self.trailer.fields else 1
            if its < part:
                return [Wrong(ORDER, tag)]
            part = its
        return []

    def _shape(self, parent: Element) -> Shape:
        shape = Shape(set(), [], {})
        self._collect(parent, shape, True)
        return shape

    def _collect(self, parent: Element, shape: Shape, required: bool) -> None:
        for each in parent:
            name = each.attrib["name"]
            needed = required and each.get("required") == "Y"
            if each.tag == "component":
                self._collect(self._components[name], shape, needed)
                continue
            tag = self._tags[name]
            shape.fields.add(tag)
            if needed:
                shape.required.append(tag)
            if each.tag == "group":
                inner = Shape(set(), [], {})
                self._collect(each, inner, False)
                shape.fields.update(inner.fields)
                shape.groups[tag] = self._first(each), inner.fields

    def _first(self, parent: Element) -> int:
        each = parent[0]
        name = each.attrib["name"]
        return self._first(self._components[name]) if each.tag == "component" else self._tags[name]


@cache
def of_version(begin_string: str) -> Dictionary:
    """Read once: FIXT.1.1 takes 0.2 s."""
    return Dictionary(begin_string)


def right_format(kind: str, value: str) -> bool:
    """Whether the text can be a value of a type of the standard."""
    if kind in _COUNTS:
        return re.fullmatch(r"\d{1,20}", value, re.ASCII) is not None and int(value) < 2**64
    if kind in ("INT", "TAGNUM"):
        return re.fullmatch(r"-?\d{1,18}", value, re.ASCII) is not None
    if kind in _NUMBERS:
        return re.fullmatch(r"-?(\d+\.?\d*|\.\d+)", value, re.ASCII) is not None
    if kind == "CHAR":
        return len(value) == 1
    if kind == "BOOLEAN":
        return value in ("Y", "N")
    if kind == "UTCTIMESTAMP":
        return is_timestamp(value)
    if kind in ("UTCDATEONLY", "LOCALMKTDATE"):
        return re.fullmatch(r"\d{8}", value, re.ASCII) is not None
    return True


def is_timestamp(value: str) -> bool:
    if not re.fullmatch(r"\d{8}-\d\d:\d\d:\d\d(\.\d{1,12})?", value, re.ASCII):
        return False
    try:
        datetime.strptime(value[:17].replace(":60", ":59"), "%Y%m%d-%H:%M:%S")
    except ValueError:
        return False
    return True
