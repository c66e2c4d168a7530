"""The Grafana dashboard asks for numbers that there are, in words that Prometheus understands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from fixgw.metrics import exposition
from fixgw.metrics.table import FAMILIES, OF_SHARDS
from scripts import grafana_dashboard
from tests.process import ROOT

FILE = ROOT / "config" / "grafana-dashboard.json"
OF_PROCESSES = {
    f"fixgw_{whose}_process_{name}"
    for whose in ("venue", "metrics")
    for name in ("cpu_seconds_total", "resident_memory_bytes", "open_fds", "max_fds")
}
"""of prometheus_client's ProcessCollector"""
LABELS = {family.name: {family.label} for family in (*FAMILIES, *exposition.OTHERS)}
LABELS |= {family.name: {"shard"} for family in OF_SHARDS}
FURTHER = {
    "executions": {"type"},
    "trade_volume": {"currency"},
    "trade_value": {"currency"},
    "market_state": {"state"},
    "reader_session_behind_events": {"session"},
}


def panels() -> list[dict[str, Any]]:
    found = json.loads(FILE.read_text())["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def queries() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def test_the_file_is_what_its_table_says() -> None:
    assert FILE.read_text() == grafana_dashboard.text(), "run scripts/grafana_dashboard.py"


def test_every_query_names_numbers_that_there_are() -> None:
    known = exposition.names() | OF_PROCESSES
    for query in queries():
        asked = set(re.findall(r"fixgw_\w+", query))
        assert asked and asked <= known, query


def test_every_number_is_on_the_dashboard() -> None:
    shown = set(re.findall(r"fixgw_\w+", " ".join(queries())))
    for family in (*FAMILIES, *OF_SHARDS, *exposition.OTHERS):
        assert any(name.startswith(f"fixgw_{family.name}") for name in shown), family.name


def test_legends_and_sums_use_labels_that_there_are() -> None:
    for panel in panels():
        for target in panel["targets"]:
            names = re.findall(r"fixgw_(\w+?)(?:_total|_bucket|_sum|_count)?\{", target["expr"])
            known = set().union(*(LABELS.get(name, set()) | FURTHER.get(name, set()) for name in names))
            used = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            for group in re.findall(r"by \(([^)]*)\)", target["expr"]):
                used |= {name.strip() for name in group.split(",")}
            assert used <= known | {"le"}, (panel["title"], used, known)


def test_panels_have_titles_and_units_and_do_not_overlap() -> None:
    found = json.loads(FILE.read_text())
    assert len({panel["id"] for panel in found["panels"]}) == len(found["panels"])
    taken: set[tuple[int, int]] = set()
    for panel in found["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert panel["title"] and at["x"] + at["w"] <= 24 and not cells & taken, panel["title"]
        taken |= cells
    assert all(panel["fieldConfig"]["defaults"]["unit"] for panel in panels())


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_prometheus_understands_every_query(tmp_path: Path) -> None:
    rules = [
        {"record": f"query:{number}", "expr": query.replace("$__rate_interval", "1m")}
        for number, query in enumerate(queries())
    ]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    check = subprocess.run(["promtool", "check", "rules", str(file)], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr
