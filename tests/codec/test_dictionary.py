"""The dictionaries QuickFIX gets: small, valid, and exactly the rules of engagement."""

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, parse

import pytest
import quickfix

from fixgw.codec.dictionary import RULES, compose
from fixgw.codec.meaning import CONDITIONS, PLAIN
from fixgw.codec.standard import FOLDER, dictionary, names
from fixgw.settings import SettingsError
from tests.codec.test_frame import whole
from tests.codec.venue import CANCEL, ORDER, REPLACE

Outcome = Callable[[dict[str, str]], str]


@pytest.fixture(scope="module")
def composed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return compose("dictionaries", tmp_path_factory.mktemp("composed"))


def outcome_with(paths: dict[str, Path]) -> Outcome:
    """What QuickFIX says about a message: "taken", or the name of what it raises."""
    older = quickfix.DataDictionary(str(paths["FIX44"]))
    transport = quickfix.DataDictionary(str(paths["FIXT11"]))
    newer = quickfix.DataDictionary(str(paths["FIX50SP2"]))

    def outcome(message: dict[str, str]) -> str:
        content = {
            "35": "",
            "1128": "",
            "34": "2",
            "49": "ALPHA",
            "52": "20231114-22:13:20",
            "56": "FIXGW",
        } | message
        begin = content.pop("8")
        content.pop("9", None), content.pop("10", None)
        body = "".join(f"{tag}={value}\x01" for tag, value in content.items() if value)
        session = older if begin == "FIX.4.4" else transport
        application = newer if begin == "FIXT.1.1" and content["35"] != "A" else session
        text = whole(body.encode(), begin.encode()).decode()
        try:
            parsed = quickfix.Message(text, session, application, True)
            quickfix.DataDictionary.validate(parsed, session, application)
        except quickfix.FIXException as refused:
            return type(refused).__name__
        return "taken"

    return outcome


@pytest.fixture(scope="module")
def outcome(composed: dict[str, Path]) -> Outcome:
    return outcome_with(composed)


@pytest.mark.parametrize("version", ["FIX.4.4", "FIXT.1.1"])
def test_orders_and_requests_are_taken(outcome: Outcome, version: str) -> None:
    for message in (ORDER, CANCEL, REPLACE):
        assert outcome(message | {"8": version}) == "taken"


@pytest.mark.parametrize("version", ["FIX.4.4", "FIXT.1.1"])
def test_required_fields_are_the_standards_and_the_rules(outcome: Outcome, version: str) -> None:
    def without(message: dict[str, str], tag: str) -> str:
        return outcome({each: value for each, value in message.items() if each != tag} | {"8": version})

    assert {tag: without(ORDER, tag) for tag in ("1", "11", "54", "60", "40")} == dict.fromkeys(
        ("1", "11", "54", "60", "40"), "RequiredTagMissing"
    )
    assert without(CANCEL, "41") == without(REPLACE, "41") == "RequiredTagMissing"
    assert without(REPLACE, "1") == "taken"
    assert without(ORDER, "38") == without(ORDER, "55") == "taken", (
        "refused by the venue, with an ExecutionReport"
    )


@pytest.mark.parametrize("version", ["FIX.4.4", "FIXT.1.1"])
def test_what_the_rules_do_not_name_is_refused(outcome: Outcome, version: str) -> None:
    assert outcome(ORDER | {"8": version, "5001": "x"}) == "InvalidTagNumber"
    assert outcome(ORDER | {"8": version, "380": "1"}) == "TagNotDefinedForMessage"
    assert outcome(ORDER | {"8": version, "54": "Z"}) == "IncorrectTagValue"
    assert outcome(ORDER | {"8": version, "38": "x"}) == "IncorrectDataFormat"
    assert outcome({"8": version, "35": "B", "148": "news"}) == "InvalidMessageType"


@pytest.mark.parametrize("version", ["FIX.4.4", "FIXT.1.1"])
def test_the_conditions_of_orders_are_taken(outcome: Outcome, version: str) -> None:
    """DisplayQty(1138) is MaxFloor(111) in FIX.4.4; 2362 and 2964 are taken there as in the newer version."""
    conditions = {
        "99": "100", "110": "1", "18": "6", "126": "20231115-00:00:00.123456789", "432": "20231115",
        "2362": "desk 7", "2964": "4", "111": "1",
    }  # fmt: skip
    for message in (ORDER, REPLACE):
        for tag, value in conditions.items():
            assert outcome(message | {"8": version, tag: value}) == "taken", tag
        wanted = "taken" if version == "FIXT.1.1" else "InvalidTagNumber"
        assert outcome(message | {"8": version, "1138": "1"}) == wanted
        assert outcome(message | {"8": version, "2964": "5"}) == "IncorrectTagValue"
    cash = ORDER | {"8": version, "152": "100"}
    assert outcome({tag: value for tag, value in cash.items() if tag != "38"}) == "taken"


def test_groups_are_still_groups(outcome: Outcome) -> None:
    parties = {"453": "1", "448": "X", "447": "D", "452": "3", "802": "1", "523": "Y", "803": "1"}
    for version in ("FIX.4.4", "FIXT.1.1"):
        assert outcome(ORDER | parties | {"8": version}) == "taken"
        assert outcome(ORDER | parties | {"8": version, "453": "2"}) == "RepeatingGroupCountMismatch"


@pytest.mark.parametrize("length", ["-5", "0", "99", "99999999", "2000000000"])
@pytest.mark.parametrize("version", ["FIX.4.4", "FIXT.1.1"])
def test_a_length_that_lies_is_only_a_number(outcome: Outcome, version: str, length: str) -> None:
    """feature 3: with DATA fields in its dictionary QuickFIX reads beyond the message and crashes"""
    assert outcome(ORDER | {"8": version, "354": length, "355": "abc"}) == "taken"
    logon = {"8": version, "35": "A", "98": "0", "108": "30", "95": length, "96": "abc"}
    assert outcome(logon | ({} if version == "FIX.4.4" else {"1137": "9"})) == "taken"


def test_they_are_small_and_hold_nothing_that_is_not_used(composed: dict[str, Path]) -> None:
    for name, path in composed.items():
        root = parse(path).getroot()
        fields = {each.attrib["name"] for each in root.iterfind("fields/field")}
        assert fields == {
            each.attrib["name"] for part in root if part.tag != "fields" for each in used_in(part)
        }
        assert not root.findall("fields/field[@type='DATA']")
        assert path.stat().st_size <= (FOLDER / f"{name}.xml").stat().st_size
    for name, factor in (("FIX44", 5), ("FIX50SP2", 10)):
        assert composed[name].stat().st_size * factor < (FOLDER / f"{name}.xml").stat().st_size


def used_in(part: Element) -> Iterator[Element]:
    return (each for each in part.iter() if each.tag in ("field", "group"))


def test_no_group_shares_a_tag_with_the_order_around_it(composed: dict[str, Path]) -> None:
    """so that a dict of a message never mixes the two up"""
    for name in ("FIX44", "FIX50SP2"):
        root = parse(composed[name]).getroot()
        inside = {each.attrib["name"] for group in root.iter("group") for each in group.iter("field")}
        numbers = {each.attrib["number"]: each.attrib["name"] for each in root.iterfind("fields/field")}
        assert not inside & {numbers[tag] for tag in CONDITIONS if tag in numbers}
        decoded = {"Account", "ClOrdID", "OrderQty", "OrdType", "OrigClOrdID", "Price", "Side", "Symbol"}
        assert not inside & (decoded | {"TimeInForce", "Currency", "SecurityID", "MsgType", "PossResend"})


def test_every_tag_that_is_known_to_be_plain_exists() -> None:
    tags = {each.attrib["number"] for name in RULES for each in dictionary(name).iterfind("fields/field")}
    assert tags >= PLAIN | CONDITIONS
    assert not PLAIN & CONDITIONS


def test_all_types_of_the_standard_are_known() -> None:
    common = {"0", "A", "D", "F", "G", "8", "9", "j", "B", "V", "AE"}
    assert common <= names("FIX.4.4").messages.keys()
    assert common | {"DS"} <= names("FIXT.1.1").messages.keys()
    assert not {"", "ZZ", "DD1"} & names("FIXT.1.1").messages.keys()


def test_only_one_application_version(outcome: Outcome) -> None:
    assert outcome(ORDER | {"8": "FIXT.1.1", "1128": "9"}) == "taken"
    assert outcome(ORDER | {"8": "FIXT.1.1", "1128": "7"}) == "IncorrectTagValue"
    logon = {"8": "FIXT.1.1", "35": "A", "98": "0", "108": "30"}
    assert outcome(logon | {"1137": "9"}) == "taken"
    assert outcome(logon | {"1137": "7"}) == "IncorrectTagValue"


OWN = """\
messages:
  NewOrderSingle: {required: [DeskCode], optional: [Note, ClOrdID]}
  OrderCancelRequest: {}
fields:
  DeskCode: {number: 5001, values: [EAST, WEST]}
  Note: {number: 20001}
"""


def rules_in(folder: Path, changed: str) -> Path:
    """The venue's rules with `changed` as those of FIX44."""
    for name in RULES:
        text = changed if name == "FIX44" else Path(f"dictionaries/{name}.yaml").read_text()
        (folder / f"{name}.yaml").write_text(text)
    return folder


def test_fields_of_our_own(tmp_path: Path) -> None:
    outcome = outcome_with(compose(rules_in(tmp_path, OWN), tmp_path))
    assert outcome(ORDER) == "RequiredTagMissing"
    assert outcome(ORDER | {"5001": "EAST"}) == "taken"
    assert outcome(ORDER | {"5001": "WEST", "20001": "any text"}) == "taken"
    assert outcome(ORDER | {"5001": "NORTH"}) == "IncorrectTagValue"
    assert outcome(ORDER | {"5001": "EAST", "5002": "x"}) == "InvalidTagNumber"
    assert outcome(CANCEL | {"5001": "EAST"}) == "TagNotDefinedForMessage"
    no_id = {tag: value for tag, value in ORDER.items() if tag != "11"} | {"5001": "EAST"}
    assert outcome(no_id) == "RequiredTagMissing", "optional never loosens what the standard requires"


# fmt: off
MISTAKES = [
    ("messages: {NewOrderSngle: {}}",
     "messages.NewOrderSngle: is not a message of the standard; did you mean NewOrderSingle?"),
    ("messages: {NewOrderSingle: {requird: [Account]}}",
     "messages.NewOrderSingle.requird: is not a setting; did you mean required?"),
    ("messages: {NewOrderSingle: {required: [Acount]}}",
     "messages.NewOrderSingle.required: Acount is not a field; did you mean Account?"),
    ("messages: {NewOrderSingle: {required: Account}}",
     "messages.NewOrderSingle.required: must be a list of names, not 'Account'"),
    ("messages: {}\nwithout: [UndInstrmtGrpp]",
     "without: UndInstrmtGrpp is not a component of the standard; did you mean UndInstrmtGrp?"),
    ("messages: {NewOrderSingle: {}}\nwithout: [UnderlyingInstrument]",
     "without: UnderlyingInstrument begins the group NoUnderlyings, which needs it"),
    ("messages: {}\nvalues: {Sid: [A]}", "values.Sid: is not a field of the standard; did you mean Side?"),
    ("messages: {}\nfields: {Account: {number: 5001}}", "fields.Account: is field 1 of the standard already"),
    ("messages: {}\nfields: {A: {number: 5001}, B: {number: 5001}}",
     "fields.B.number: 5001 is field A already"),
    ("messages: {}\nfields: {A: {number: 55}}",
     "fields.A.number: must be a whole number from 1000 to 39999, not '55'"),
    ("messages: {}\nfields: {A: {number: 5001, type: TEXT}}",
     "fields.A.type: must be STRING, CHAR, INT, QTY, PRICE, AMT, BOOLEAN or UTCTIMESTAMP, not 'TEXT'"),
    ("fields: {}", "messages: is missing and has no default"),
    ("messages: {", "line 1, column 12: expected the node content, but found '<stream end>'"),
]
# fmt: on


@pytest.mark.parametrize(("rules", "line"), MISTAKES)
def test_a_mistake_in_the_rules_is_one_line(tmp_path: Path, rules: str, line: str) -> None:
    with pytest.raises(SettingsError) as caught:
        compose(rules_in(tmp_path, rules), tmp_path)
    assert str(caught.value) == f"{tmp_path / 'FIX44.yaml'}: {line}"
