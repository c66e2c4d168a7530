"""Names of the standard for tags and values, in both directions, as scripts and reports use them."""

from __future__ import annotations

from functools import cache
from xml.etree.ElementTree import Element

from acceptance.masking import HIDDEN, SECRET
from acceptance.wire import LONGEST_TAG, Message
from fixgw.codec.standard import LAYERS, dictionary
from fixgw.codec.standard import names as names_of

HEADER = (35, 34, 43, 49, 52, 56, 97, 115, 116, 122, 128, 129, 50, 57, 142, 143, 144, 145, 369, 1128, 1129)
"""tags that stand before the body"""
WHOLE = frozenset({"INT", "LENGTH", "NUMINGROUP", "SEQNUM"})
NUMBERS = WHOLE | {"FLOAT", "QTY", "PRICE", "PRICEOFFSET", "AMT", "PERCENTAGE"}
TIMES = frozenset(
    {"UTCTIMESTAMP", "UTCTIMEONLY", "UTCDATEONLY", "LOCALMKTDATE", "LOCALMKTTIME", "MONTHYEAR"}
    | {"TZTIMEONLY", "TZTIMESTAMP"}
)
"""types whose values are in order as texts are"""
OWN_FIELDS = {"CancelOnDisconnect": 8013}
"""of this venue, beyond the standard"""


class Standard:
    """One version of FIX."""

    def __init__(self, begin_string: str) -> None:
        self.begin_string = begin_string
        names = names_of(begin_string)
        self.message_names = names.messages
        self.message_types = {name: msg_type for msg_type, name in names.messages.items()}
        self.field_names = {int(tag): name for tag, name in names.fields.items()}
        self.field_names |= {tag: name for name, tag in OWN_FIELDS.items()}
        self.tags = {name: tag for tag, name in self.field_names.items()}
        self._value_names = {(int(tag), value): name for (tag, value), name in names.values.items()}
        self._values = {(tag, name): value for (tag, value), name in self._value_names.items()}
        self._layers = [dictionary(layer) for layer in LAYERS[begin_string]]
        self._types = {
            int(field.attrib["number"]): field.attrib["type"]
            for layer in self._layers
            for field in layer.iterfind("fields/field")
        }
        self._words: dict[int, list[str]] = {}
        for tag, name in self._values:
            self._words.setdefault(tag, []).append(name)
        self._members: dict[tuple[str, int], frozenset[int]] = {}

    def tag(self, name: str) -> int | None:
        """Of a field by its name or number."""
        if name.isascii() and name.isdigit():
            return int(name) if len(name) <= LONGEST_TAG else None
        return self.tags.get(name)

    def label(self, tag: int) -> str:
        """ClOrdID(11), or 9999 if nobody knows it"""
        name = self.field_names.get(tag)
        return f"{name}({tag})" if name else str(tag)

    def msg_type(self, name: str) -> str | None:
        """MsgType(35) by its name, or itself if it is known or begins with U, as those of a venue's own do"""
        known = name in self.message_names or (name.startswith("U") and len(name) < 4)
        return self.message_types.get(name) or (name if known else None)

    def message(self, msg_type: str) -> str:
        """NewOrderSingle(D)"""
        name = self.message_names.get(msg_type)
        return f"{name}({msg_type})" if name else msg_type

    # -- values --------------------------------------------------------------------------------------

    def value(self, tag: int, word: str) -> str:
        """What stands on the wire for a value's name; everything else is itself."""
        return self._values.get((tag, word), word)

    def word(self, tag: int, value: str) -> str:
        """BUY(1), or the value itself"""
        if tag in SECRET:
            return HIDDEN
        name = self._value_names.get((tag, value))
        return f"{name}({value})" if name and tag != 35 else value

    def words_of(self, tag: int) -> list[str]:
        """The names of its values; none if it may have any."""
        return self._words.get(tag, [])

    def has_value(self, tag: int, text: str) -> bool:
        """By name or as it is on the wire. A field of whole numbers may have others than the standard's, and
        one of several values any of them."""
        if self._types.get(tag) in WHOLE and text.removeprefix("-").isdecimal():
            return True
        parts = text.split(" ") if self._types.get(tag, "").startswith("MULTIPLE") else [text]
        return all((tag, part) in self._value_names or (tag, part) in self._values for part in parts)

    def is_number(self, tag: int) -> bool:
        return self._types.get(tag) in NUMBERS

    def is_time(self, tag: int) -> bool:
        return self._types.get(tag) in TIMES

    def is_ordered(self, tag: int) -> bool:
        """Whether one value may be above another: numbers, times, and what nobody knows."""
        return self.is_number(tag) or self.is_time(tag) or tag not in self._types

    def words(self, message: Message) -> str:
        """A message with names in place of tags."""
        said = [
            f"{self.field_names.get(tag, tag)}={self.word(tag, value)}"
            for tag, value in message.fields
            if tag not in (8, 9, 10, 35)
        ]
        return " ".join([self.message(message.get(35, "?") or "?"), *said])

    # -- repeating groups ----------------------------------------------------------------------------

    def members(self, msg_type: str, counter: int) -> frozenset[int]:
        """Tags that a repeating group of such a message may have; none if there is no such group."""
        key = (msg_type, counter)
        if key not in self._members:
            self._members[key] = frozenset(self._find(msg_type, counter))
        return self._members[key]

    def _find(self, msg_type: str, counter: int) -> set[int]:
        name = self.field_names.get(counter, "")
        for layer in self._layers:
            components = {each.attrib["name"]: each for each in layer.iterfind("components/component")}
            places = [*layer.iterfind(f"messages/message[@msgtype='{msg_type}']"), *layer.iterfind("header")]
            for place in places:
                group = _group(place, name, components)
                if group is not None:
                    return {self.tags[each] for each in _names(group, components)}
        return set()


def _group(place: Element, name: str, components: dict[str, Element]) -> Element | None:
    """The group of this name, at any depth."""
    for each in place:
        if each.tag == "group" and each.attrib["name"] == name:
            return each
        inside = components[each.attrib["name"]] if each.tag == "component" else each
        found = _group(inside, name, components)
        if found is not None:
            return found
    return None


def _names(place: Element, components: dict[str, Element]) -> set[str]:
    """Of all fields in it, those of groups in groups too."""
    found: set[str] = set()
    for each in place:
        if each.tag == "component":
            found |= _names(components[each.attrib["name"]], components)
        else:
            found |= {each.attrib["name"]} | _names(each, components)
    return found


@cache
def standard(begin_string: str) -> Standard:
    """Of FIX.4.4 or FIXT.1.1 (with FIX.5.0SP2)."""
    return Standard(begin_string)
