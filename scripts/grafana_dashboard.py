"""Writes config/grafana-dashboard.json: `python scripts/grafana_dashboard.py`. A panel is a line here."""

import json
from pathlib import Path
from typing import Any, NamedTuple

TARGET = Path(__file__).resolve().parent.parent / "config" / "grafana-dashboard.json"
WIDTH = 24
"""of a row, in Grafana's columns"""
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
HERE = '{instance=~"$instance"}'
RATE = "[$__rate_interval]"


class Panel(NamedTuple):
    title: str
    unit: str
    queries: dict[str, str]
    """by legend"""
    kind: str = "timeseries"
    width: int = 8
    height: int = 8
    says: str = ""


def gauge(name: str) -> str:
    return f"fixgw_{name}{HERE}"


def rate(name: str, by: str = "") -> str:
    return f"sum{f' by ({by})' if by else ''} (rate(fixgw_{name}{HERE}{RATE}))"


def percentiles(name: str) -> dict[str, str]:
    buckets = f"sum by (le) (rate(fixgw_{name}_bucket{HERE}{RATE}))"
    return {f"p{share}": f"histogram_quantile({share / 100:g}, {buckets})" for share in (50, 99, 99.9)}


def stat(title: str, unit: str, query: str) -> Panel:
    return Panel(title, unit, {"": query}, "stat", 3, 4)


ROWS: dict[str, list[Panel]] = {
    "Now": [
        stat("Venue", "bool_on_off", gauge("up")),
        stat("Sessions logged on", "none", gauge("sessions_logged_on")),
        stat("Messages in", "ops", rate("messages_in_total")),
        stat("Messages out", "ops", rate("messages_out_total")),
        stat("Turn, p99", "s", percentiles("cycle_seconds")["p99"]),
        stat("Reader furthest behind", "s", f"max({gauge('reader_behind_seconds')})"),
        stat("Open orders", "none", f"sum({gauge('open_orders')})"),
        stat("Store used", "percentunit", f"{gauge('database_used_bytes')} / {gauge('database_map_bytes')}"),
    ],
    "What comes and goes": [
        Panel("Messages", "ops", {"in": rate("messages_in_total"), "out": rate("messages_out_total"),
            "turns": rate("cycles_total")}),
        Panel("Accepted commands", "ops", {"{{command}}": rate("commands_total", "command")}),
        Panel("Steps of orders", "ops", {"{{type}}": rate("executions_total", "type")}),
        Panel("Rejects by reason", "ops", {"{{reason}}": rate("rejects_total", "reason") + " > 0",
            "another node: {{reason}}": rate("denials_total", "reason") + " > 0"}, width=12),
        Panel("Sessions", "none", {"logged on": gauge("sessions_logged_on"),
            "in the settings": gauge("sessions")}, width=6),
        Panel("On the session level", "ops", {"rejects": rate("session_rejects_total"),
            "resend requests": rate("resend_requests_total"), "connections": rate("connections_total"),
            "logons": rate("logons_total"), "cut": rate("cuts_total")}, width=6),
        Panel("Bytes", "Bps", {"in": rate("received_bytes_total"), "out": rate("sent_bytes_total")}),
    ],
    "How long it takes": [
        Panel("Turn", "s", percentiles("cycle_seconds"), says="From its begin until its reports are sent."),
        Panel("Where the time goes", "percentunit", {"{{stage}}": rate("cycle_stage_seconds_sum", "stage")},
            "stacked", says="decode, engine and record are estimated from one turn in 16."),
        Panel("Turns by duration", "s",
            {"{{le}}": f"sum by (le) (increase(fixgw_cycle_seconds_bucket{HERE}{RATE}))"}, "heatmap"),
        Panel("Wait for the disk (fsync)", "s", percentiles("fsync_seconds")),
        Panel("Commit of the database", "s", percentiles("database_commit_seconds")),
        Panel("Answer to a ResendRequest", "s", percentiles("replay_seconds")),
        Panel("Garbage collections", "percentunit",
            {"generation {{generation}}": rate("gc_pause_seconds_sum", "generation")}, width=6),
        Panel("Timers", "s", percentiles("tick_seconds"), width=6),
        Panel("Turns by the second", "ops",
            {"with messages": rate("cycles_total"), "all": rate("turns_total")}, width=6),
        Panel("Start", "s", {"journal replayed in": gauge("recovery_seconds"),
            "running for": f"time() - {gauge('start_time_seconds')}"}, "stat", 6),
    ],
    "The tail, by name": [
        Panel("Spans a minute", "none", {"{{span}}": f"60 * {rate('spans_total', 'span')} > 0"}),
        Panel("Time in them", "percentunit", {"{{span}}": rate("spans_seconds_total", "span") + " > 0"}),
        Panel("Long turns a minute, by cause", "none",
            {"{{cause}}": f"60 * {rate('long_turn_causes_total', 'cause')} > 0"}),
        Panel("Longest since the start", "s",
            {"{{span}}": f"{gauge('spans_longest_seconds')} > 0"}, "bargauge", 12),
        Panel("Snapshot running", "bool_on_off", {"snapshot": gauge("snapshot_running")}, width=12),
    ],
    "What waits": [
        Panel("Sessions with a backlog", "none", {"sessions": gauge("backlog_sessions")}),
        Panel("Bytes", "bytes", {"received, not taken": gauge("inbox_bytes"), "unread": gauge("unread_bytes"),
            "unread by the slowest client": gauge("unread_bytes_most")}),
        Panel("Messages that wait for an account", "none", {"parked": gauge("parked_messages")}),
        Panel("Readers of the log: events behind", "none", {"{{reader}}": gauge("reader_behind_events")}),
        Panel("Readers of the log: time behind", "s", {"{{reader}}": gauge("reader_behind_seconds")}),
        Panel("Sessions of readers: events behind", "none",
            {"{{reader}} {{session}}": f"topk(10, {gauge('reader_session_behind_events')})"}),
    ],
    "Users": [
        Panel("In memory, by shard", "none", {"{{shard}}": gauge("residents"),
            "{{shard}}, leaving": gauge("residents_leaving")}),
        Panel("Come and gone", "ops", {"came to {{shard}}": rate("hydrations_total", "shard"),
            "left {{shard}}": rate("evictions_total", "shard")}),
        Panel("Open orders, by shard", "none", {"{{shard}}": gauge("open_orders")}),
        Panel("Record", "ops", {"read": rate("record_reads_total"), "written": rate("record_writes_total")}),
        Panel("Being written", "none", {"users": gauge("record_writing"), "shards": gauge("shards")}),
        Panel("Trouble", "bool_on_off",
            {"record": gauge("record_trouble"), "store full": gauge("store_full")}),
    ],
    "Disk": [
        Panel("Journal and output log", "ops", {"entries": rate("journal_entries_total"),
            "events": rate("log_events_total")}),
        Panel("Tables", "bytes", {"{{table}}": gauge("table_bytes")}, "stacked"),
        Panel("Entries", "none", {"{{table}}": gauge("table_entries")}),
        Panel("Files", "bytes", {"{{file}}": gauge("file_bytes"), "snapshots": gauge("snapshots_bytes")}),
        Panel("Room", "bytes", {"free on the disk": gauge("disk_free_bytes"),
            "left in the map": f"{gauge('database_map_bytes')} - {gauge('database_used_bytes')}"}),
        Panel("Entries since the newest snapshot", "none",
            {"entries": f"{gauge('journal_entries_total')} - {gauge('snapshot_journal_entry')}"}),
    ],
    "Trading": [
        Panel("Trades", "ops", {"{{symbol}}": f"topk(10, {rate('trades_total', 'symbol')})"}),
        Panel("Volume", "none",
            {"{{symbol}}, {{currency}}": f"topk(10, {rate('trade_volume_total', 'symbol, currency')})"},
            says="A second, in the base currency."),
        Panel("Value", "none",
            {"{{symbol}}, {{currency}}": f"topk(10, {rate('trade_value_total', 'symbol, currency')})"},
            says="A second, in the quote currency."),
        Panel("Markets by state", "none", {"{{state}}": f"count by (state) ({gauge('market_state')})"}),
        Panel("Events", "ops", {"{{event}}": rate("events_total", "event")}),
        Panel("Trading day", "none", {"{{day}}": gauge("trading_day")}, "stat", 4),
        Panel("Logged time behind the clock", "s",
            {"quiet for": f"time() - {gauge('log_time_seconds')}"}, width=4),
    ],
    "Processes": [
        Panel("Processor", "percentunit", {"venue": rate("venue_process_cpu_seconds_total"),
            "metrics": rate("metrics_process_cpu_seconds_total")}),
        Panel("Memory", "bytes", {"venue": gauge("venue_process_resident_memory_bytes"),
            "metrics": gauge("metrics_process_resident_memory_bytes")}),
        Panel("Open files", "none", {"venue": gauge("venue_process_open_fds"),
            "most": gauge("venue_process_max_fds")}),
        Panel("Release", "none", {"{{version}}": gauge("build_info")}, "stat", 4, 4),
    ],
}  # fmt: skip


def dashboard() -> dict[str, Any]:
    panels: list[dict[str, Any]] = []
    top = 0
    for title, row in ROWS.items():
        place = {"x": 0, "y": top, "w": WIDTH, "h": 1}
        panels.append({"id": len(panels) + 1, "type": "row", "title": title, "gridPos": place, "panels": []})
        top += 1
        left = highest = 0
        for panel in row:
            if left + panel.width > WIDTH:
                top, left, highest = top + highest, 0, 0
            place = {"x": left, "y": top, "w": panel.width, "h": panel.height}
            panels.append({"id": len(panels) + 1, "gridPos": place} | drawn(panel))
            left, highest = left + panel.width, max(highest, panel.height)
        top += highest
    return {
        "uid": "fixgw",
        "title": "fixgw",
        "description": "A venue, from the numbers of `fixgw publish metrics`.",
        "tags": ["fixgw"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "utc",
        "templating": {"list": [_source(), _instance()]},
        "annotations": {"list": []},
        "panels": panels,
    }


def drawn(panel: Panel) -> dict[str, Any]:
    custom: dict[str, Any] = {}
    if panel.kind in ("timeseries", "stacked"):
        custom = {"fillOpacity": 10, "showPoints": "never", "lineWidth": 1}
    if panel.kind == "stacked":
        custom |= {"stacking": {"mode": "normal", "group": "A"}, "fillOpacity": 60}
    found = {
        "type": "timeseries" if panel.kind == "stacked" else panel.kind,
        "title": panel.title,
        "description": panel.says,
        "datasource": SOURCE,
        "fieldConfig": {"defaults": {"unit": panel.unit, "custom": custom, "min": 0}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + number),
                "datasource": SOURCE,
                "expr": query,
                "legendFormat": legend or "__auto",
                **({"format": "heatmap"} if panel.kind == "heatmap" else {}),
            }
            for number, (legend, query) in enumerate(panel.queries.items())
        ],
    }
    if panel.kind == "heatmap":
        found["options"] = {"calculate": False, "yAxis": {"unit": panel.unit}, "cellGap": 1}
    elif panel.kind in ("stat", "bargauge"):
        names = {"textMode": "name"} if panel.queries.keys() & {"{{day}}", "{{version}}"} else {}
        found["options"] = {"reduceOptions": {"calcs": ["lastNotNull"]}, **names}
    return found


def _source() -> dict[str, Any]:
    return {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}


def _instance() -> dict[str, Any]:
    query = "label_values(fixgw_up, instance)"
    return {
        "name": "instance",
        "label": "Venue",
        "type": "query",
        "datasource": SOURCE,
        "query": {"query": query, "refId": "instance"},
        "definition": query,
        "refresh": 2,
        "includeAll": False,
        "multi": False,
    }


def text() -> str:
    """A line for each panel."""
    found = dashboard()
    panels = ",\n  ".join(map(json.dumps, found.pop("panels")))
    head = json.dumps(found, indent=1).removesuffix("\n}")
    return f'{head},\n "panels": [\n  {panels}\n ]\n}}\n'


if __name__ == "__main__":
    TARGET.write_text(text())
