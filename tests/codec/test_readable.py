"""Lines for people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.codec.readable import SECRETS, readable


def message(*pairs: str) -> str:
    return "".join(f"{pair}\x01" for pair in pairs)


def test_a_message_in_the_standards_names() -> None:
    text = message(
        "8=FIX.4.4", "9=99", "35=8", "34=7", "49=FIXGW", "52=20231114-22:13:20", "56=ALPHA", "11=A1",
        "54=1", "150=F", "39=1", "58=a note", "5001=x", "10=000",
    )  # fmt: skip
    assert readable(text) == (
        "ExecutionReport(8) 34=7 ClOrdID=A1 Side=BUY ExecType=TRADE OrdStatus=PARTIALLY_FILLED "
        'Text="a note" 5001=x'
    )


def test_names_are_those_of_the_version() -> None:
    assert readable(message("8=FIXT.1.1", "35=D", "1138=5")) == "NewOrderSingle(D) DisplayQty=5"
    assert readable(message("8=FIX.4.4", "35=D", "1138=5")) == "NewOrderSingle(D) 1138=5"


@pytest.mark.parametrize("tag", sorted(SECRETS))
def test_secrets_are_never_shown(tag: str) -> None:
    line = readable(message("8=FIXT.1.1", "35=A", "553=alpha", f"{tag}=opensesame"))
    assert "opensesame" not in line
    assert "=***" in line
    assert "Username=alpha" in line


@given(
    text=st.text(max_size=80)
    | st.binary(max_size=80).map(lambda data: data.decode("utf-8", "surrogateescape"))
)
def test_any_text_is_one_printable_line(text: str) -> None:
    assert readable(text).isprintable()
