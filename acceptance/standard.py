"""Names of the standard for tags and values, in both directions, as scripts and reports use them."""

from __future__ import annotations

from functools import cache

from acceptance.wire import Message
from fixgw.codec.standard import LAYERS, dictionary
from fixgw.codec.standard import names as names_of

HEADER = (35, 34, 43, 49, 52, 56, 97, 115, 116, 122, 128, 129, 50, 57, 142, 143, 144, 145, 369, 1128, 1129)
"""tags that stand before the body"""
NUMBERS = {
    "INT",
    "LENGTH",
    "NUMINGROUP",
    "SEQNUM",
    "FLOAT",
    "QTY",
    "PRICE",
    "PRICEOFFSET",
    "AMT",
    "PERCENTAGE",
}
OWN_FIELDS = {"CancelOnDisconnect": 8013}
"""of this venue, beyond the standard"""
SECRET = {96, 554, 925, 1402, 1404}


class Standard:
    """One version of FIX."""

    def __init__(self, begin_string: str) -> None:
        names = names_of(begin_string)
        self.message_names = names.messages
        self.message_types = {name: msg_type for msg_type, name in names.messages.items()}
        self.field_names = {int(tag): name for tag, name in names.fields.items()}
        self.field_names |= {tag: name for name, tag in OWN_FIELDS.items()}
        self.tags = {name: tag for tag, name in self.field_names.items()}
        self._value_names = {(int(tag), value): name for (tag, value), name in names.values.items()}
        self._values = {(tag, name): value for (tag, value), name in self._value_names.items()}
        self._numeric = {
            int(field.attrib["number"])
            for layer in LAYERS[begin_string]
            for field in dictionary(layer).iterfind("fields/field")
            if field.attrib["type"] in NUMBERS
        }

    def tag(self, name: str) -> int | None:
        """Of a field by its name or number."""
        return int(name) if name.isdigit() else self.tags.get(name)

    def label(self, tag: int) -> str:
        """ClOrdID(11), or 9999 if nobody knows it"""
        name = self.field_names.get(tag)
        return f"{name}({tag})" if name else str(tag)

    def msg_type(self, name: str) -> str | None:
        """MsgType(35) by its name, or itself"""
        return self.message_types.get(name) or (name if name in self.message_names or len(name) < 3 else None)

    def message(self, msg_type: str) -> str:
        """NewOrderSingle(D)"""
        name = self.message_names.get(msg_type)
        return f"{name}({msg_type})" if name else msg_type

    def value(self, tag: int, word: str) -> str:
        """What stands on the wire for a value's name; everything else is itself."""
        return self._values.get((tag, word), word)

    def word(self, tag: int, value: str) -> str:
        """BUY(1), or the value itself"""
        if tag in SECRET:
            return "***"
        name = self._value_names.get((tag, value))
        return f"{name}({value})" if name and tag != 35 else value

    def is_number(self, tag: int) -> bool:
        return tag in self._numeric

    def words(self, message: Message) -> str:
        """A message with names in place of tags."""
        said = [
            f"{self.field_names.get(tag, tag)}={self.word(tag, value)}"
            for tag, value in message.fields
            if tag not in (8, 9, 10, 35)
        ]
        return " ".join([self.message(message.get(35, "?") or "?"), *said])


@cache
def standard(begin_string: str) -> Standard:
    """Of FIX.4.4 or FIXT.1.1 (with FIX.5.0SP2)."""
    return Standard(begin_string)
