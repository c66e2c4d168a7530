"""The engine's bench runs, and all engines in it do the same trades (it says so where one does not)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.process import ROOT


def test_the_table_is_printed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bench.engine", "--quick", "--results", str(tmp_path)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    (file,) = tmp_path.iterdir()
    rows = json.loads(file.read_text())["rows"]
    own = [row for row in rows if row["engine"] == "fixgw"]
    assert [row["book"] for row in own] == ["10 x 10", "100 x 10", "1 x 100"]
    assert all(row[kind] > 0 for row in own for kind in ("add", "cancel", "replace", "cross", "mixed"))
    lines = told.splitlines()
    assert sum(line.startswith(("10 x 10", "100 x 10", "1 x 100")) for line in lines) == len(rows)
    assert any(line.startswith("cost at the dearest depth / at the cheapest: add ") for line in lines)
    assert ("pip install -e '.[bench]'" in told) == all(row["engine"] != "fastlob" for row in rows)
