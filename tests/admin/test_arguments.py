"""Arguments that mean something else than was meant are refused before anything happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixgw.cli import main


@pytest.mark.parametrize("port", ["70000", "-1", "x", ""])
@pytest.mark.parametrize("command", [["serve"], ["order", "BUY", "1", "BTC-USD"]])
def test_a_port_that_is_none(command: list[str], port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, "--port", port])
    assert ended.value.code == 2
    assert f"invalid port_number value: {port!r}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (["cancel-only", "on", ""], "an empty SYMBOL; leave it out to mean all markets"),
        (["market", "", "halted"], "an empty SYMBOL; say ALL to mean all markets"),
        (["kill", "venue", "ALPHA"], "kill venue stands alone"),
        (["kill", "client"], "kill client needs its NAME"),
        (["kill", "account", ""], "kill account needs its NAME"),
        (["correct", "5"], "correct needs --price PRICE, --quantity QUANTITY or both"),
    ],
)
def test_what_might_mean_more_than_was_meant(
    words: list[str], instead: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty SYMBOL is as from a shell variable that is not set."""
    assert main(["admin", "--data", str(tmp_path), *words]) == 2
    assert capsys.readouterr() == ("", f"fixgw admin: {instead}\n")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["market", "M1-USD", "open"], "invalid choice: 'open'"),
        (["market", "M1-USD"], "required: state"),
        (["kill", "everyone"], "invalid choice: 'everyone'"),
        (["cancel", "0"], "argument ORDERID: must be a whole number above 0"),
        (["bust", "x"], "argument EXECID: must be a whole number above 0"),
        (["bust", str(2**63)], "argument EXECID: must be a whole number above 0"),
        (["cancel", "1", "--text", "a\x01b"], "argument --text: must be 1 to 200 printable"),
    ],
)
def test_words_that_are_none(words: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["admin", *words])
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == "" and problem in said.err
