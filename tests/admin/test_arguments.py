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


def test_an_empty_symbol_is_not_the_whole_venue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As from a shell variable that is not set."""
    assert main(["admin", "--data", str(tmp_path), "cancel-only", "on", ""]) == 2
    assert "leave it out to mean the whole venue" in capsys.readouterr().err
