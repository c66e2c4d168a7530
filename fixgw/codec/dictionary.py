"""The small dictionaries QuickFIX gets: the standard's, cut to what the venue's rules of engagement use.

Every session keeps its own copy of its dictionaries, so size is memory: only the messages of the rules (and
all session-level ones) stay, with the fields and components they use. Descriptions go; values stay, since
QuickFIX checks them. Full against small, per session: FIX44 2.8 and 0.3 MB, FIX50SP2 66 and 0.6 MB."""

from copy import deepcopy
from pathlib import Path
from typing import Annotated, Literal
from xml.etree.ElementTree import Element, ElementTree, SubElement

from msgspec import Meta, Struct, field

from fixgw.codec.standard import dictionary
from fixgw.settings import SettingsError
from fixgw.settings.building import build, close
from fixgw.settings.kinds import Name
from fixgw.settings.reading import Mistake, read

RULES = ("FIX44", "FIXT11", "FIX50SP2")
"""the files of the rules of engagement, each named after the standard dictionary it cuts"""

Names = Annotated[list[Name], Meta(extra={"words": "a list of names"})]


class CustomField(Struct, frozen=True, forbid_unknown_fields=True):
    """A field the standard does not have."""

    number: Annotated[int, Meta(ge=1000, le=39999)]
    """tag: from 5000 on in the ranges the standard leaves to users, below that as a later version has it"""
    type: Literal["STRING", "CHAR", "INT", "QTY", "PRICE", "AMT", "BOOLEAN", "UTCTIMESTAMP"] = "STRING"
    values: Names = field(default_factory=list)
    """the only values allowed; none: any"""


class MessageRules(Struct, frozen=True, forbid_unknown_fields=True):
    """What the venue changes in one message of the standard."""

    required: Names = field(default_factory=list)
    """fields that must be there although the standard lets them be left out"""
    optional: Names = field(default_factory=list)
    """fields added to the message, usually custom ones"""
    type: Annotated[
        str, Meta(pattern=r"^(U[A-Za-z0-9]{1,2})?\Z", extra={"words": "U and one or two more"})
    ] = ""
    """MsgType of a message that the standard does not have"""


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """One file of the rules of engagement."""

    messages: dict[Name, MessageRules]
    """application messages the venue accepts, and session messages it changes, by name"""
    without: Names = field(default_factory=list)
    """components the venue does not take, wherever the standard has them"""
    values: dict[Name, Names] = field(default_factory=dict)
    """fields of the standard of which these values are taken and no others"""
    fields: dict[Name, CustomField] = field(default_factory=dict)


def compose(rules: Path | str, target: Path) -> dict[str, Path]:
    """Writes the small dictionaries of all `RULES` from the YAML files in the folder `rules` to the folder
    `target` and returns their paths by name; a mistake in the rules raises SettingsError, one line."""
    paths = {name: target / f"{name}.xml" for name in RULES}
    for name, path in paths.items():
        source = Path(rules) / f"{name}.yaml"
        try:
            small = cut(dictionary(name), build(Rules, read(source)))
        except Mistake as mistake:
            raise SettingsError(f"{source}: {mistake}") from None
        ElementTree(small).write(path, encoding="utf-8")
    return paths


def cut(full: Element, rules: Rules) -> Element:
    """A new dictionary made of parts of `full`: the messages of `rules` and nothing they do not use."""
    known = {each.attrib["name"]: each for each in full.iterfind("fields/field")}
    known |= narrowed(known, rules.values)
    known |= custom_fields(rules, known)
    known["MsgType"] = with_types(known["MsgType"], rules)
    standard_messages = {each.attrib["name"]: each for each in full.iterfind("messages/message")}
    components = {each.attrib["name"]: each for each in full.iterfind("components/component")}
    own = custom_messages(rules, standard_messages)
    for name in rules.messages:
        if name not in standard_messages | own:
            raise Mistake(
                f"messages.{name}", f"is not a message of the standard{close(name, standard_messages)}"
            )
    for name in rules.without:
        if name not in components:
            raise Mistake("without", f"{name} is not a component of the standard{close(name, components)}")
    small = Element("fix", full.attrib)
    small.extend(map(deepcopy, full.iterfind("header")))
    messages = SubElement(small, "messages")
    for name, message in (standard_messages | own).items():
        if name in rules.messages or message.get("msgcat") == "admin":
            messages.append(apply(message, rules.messages.get(name, MessageRules()), known))
    small.extend(map(deepcopy, full.iterfind("trailer")))
    SubElement(small, "components").extend(reached(small, components, rules.without))
    fields = {each.attrib["name"] for part in ("field", "group") for each in small.iter(part)}
    SubElement(small, "fields").extend(plain(each) for name, each in known.items() if name in fields)
    return small


def narrowed(known: dict[str, Element], values: dict[str, list[str]]) -> dict[str, Element]:
    """The fields of which the rules say the values, with these."""
    narrow: dict[str, Element] = {}
    for name, kept in values.items():
        if name not in known:
            raise Mistake(f"values.{name}", f"is not a field of the standard{close(name, known)}")
        narrow[name] = Element("field", known[name].attrib)
        narrow[name].extend(Element("value", {"enum": value}) for value in kept)
    return narrow


def custom_fields(rules: Rules, known: dict[str, Element]) -> dict[str, Element]:
    """The rules' own fields as dictionary elements."""
    owners = {each.attrib["number"]: name for name, each in known.items()}
    own: dict[str, Element] = {}
    for name, custom in rules.fields.items():
        number = str(custom.number)
        if name in known:
            raise Mistake(
                f"fields.{name}", f"is field {known[name].attrib['number']} of the standard already"
            )
        if owners.setdefault(number, name) != name:
            raise Mistake(f"fields.{name}.number", f"{number} is field {owners[number]} already")
        own[name] = Element("field", {"number": number, "name": name, "type": custom.type})
        own[name].extend(Element("value", {"enum": value}) for value in custom.values)
    return own


def custom_messages(rules: Rules, standard: dict[str, Element]) -> dict[str, Element]:
    """The rules' own messages, which have the fields that the rules say and no others."""
    own: dict[str, Element] = {}
    for name, message in rules.messages.items():
        if message.type and name in standard:
            raise Mistake(f"messages.{name}.type", "is said by the standard already")
        if message.type:
            own[name] = Element("message", {"name": name, "msgtype": message.type, "msgcat": "app"})
    return own


def with_types(msg_type: Element, rules: Rules) -> Element:
    """MsgType(35) with the values of the rules' own messages, where the standard has values for it at all."""
    changed = deepcopy(msg_type)
    if len(changed):
        own = [each.type for each in rules.messages.values() if each.type]
        changed.extend(Element("value", {"enum": value}) for value in own)
    return changed


def leave_out(part: Element, names: list[str]) -> None:
    """Removes every use of the components `names`."""
    for parent in list(part.iter()):
        for each in parent.findall("component"):
            if each.attrib["name"] not in names:
                continue
            if parent.tag == "group" and parent[0] is each:
                group = parent.attrib["name"]
                raise Mistake("without", f"{each.attrib['name']} begins the group {group}, which needs it")
            parent.remove(each)


def apply(message: Element, rules: MessageRules, known: dict[str, Element]) -> Element:
    """A copy of the standard message, changed by the rules. They add and tighten, they never loosen."""
    changed = deepcopy(message)
    parts = {each.attrib["name"]: each for each in changed if each.tag != "component"}
    path = f"messages.{message.attrib['name']}"
    for kind, names in (("required", rules.required), ("optional", rules.optional)):
        for name in names:
            if name not in known:
                raise Mistake(f"{path}.{kind}", f"{name} is not a field{close(name, known)}")
            if name not in parts:
                # Also one that sits in a component: named twice, QuickFIX takes it as one.
                parts[name] = SubElement(changed, "field", {"name": name, "required": "N"})
            if kind == "required":
                parts[name].set("required", "Y")
    return changed


def reached(root: Element, components: dict[str, Element], without: list[str]) -> list[Element]:
    """Copies of all components that `root` uses, in the standard's order; of those `without` no use stays."""
    found: dict[str, Element] = {}
    parts = [root]
    while parts:
        part = parts.pop()
        leave_out(part, without)
        for name in (each.attrib["name"] for each in part.iter("component")):
            if name not in found:
                found[name] = deepcopy(components[name])
                parts.append(found[name])
    return [found[name] for name in components if name in found]


def plain(field_: Element) -> Element:
    """A copy without descriptions. DATA becomes STRING: QuickFIX believes the length a client states for a
    DATA field, and a length beyond the message reads foreign memory and ends the process."""
    copy = deepcopy(field_)
    if copy.get("type") == "DATA":
        copy.set("type", "STRING")
    for value in copy.iterfind("value"):
        value.attrib.pop("description", None)
    return copy
