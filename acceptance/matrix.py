"""Order state matrices as data: a file with `matrix:` holds a script for each scenario, a row for each step.

The rows of a scenario are what a table on paper would have: who does what, or what is reported. Quantities
are in units of `$quantity`, all prices `$price`, ids single letters."""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Iterator
from pathlib import Path

from acceptance.reading import Mapping, ScriptError, meant

ACTS = {
    "new": "[new, X, 10]: the client's order X for 10",
    "replace": "[replace, Y, X, 12]: its replace of X by Y, for 12",
    "cancel": "[cancel, Y, X]: its cancel of X",
    "status": "[status, X]: its request for the status of X",
    "trade": "[trade, 2]: another client's order that fills 2 of it",
    "offer": "[offer, 10]: another client's order, which waits for one to trade with",
    "admin": "[admin, WORDS]: a command of the operator",
}
"""each may end with a mapping of more fields to send"""
MESSAGES = {
    "new": "NewOrderSingle",
    "replace": "OrderCancelReplaceRequest",
    "cancel": "OrderCancelRequest",
    "status": "OrderStatusRequest",
}
RESPONSE_TO = {"cancel": "1", "replace": "2"}
"""CxlRejResponseTo(434)"""
REPORTED = re.compile(r"([A-Z])(?:\(([A-Z])\))?")
"""X, or Y(X): a report on Y that names X as OrigClOrdID"""
REFUSED = "refused"
COLUMNS = ("ClOrdID", "ExecType", "OrdStatus", "OrderQty", "CumQty", "LeavesQty", "LastQty")
"""of a report, after which a mapping of more fields may stand. [Y(X), refused, OrdStatus, CxlRejReason] is a
cancel reject"""
SCENARIO = ("title", "rows", "needs", "alone", "versions", "venue")


def scripts_of(path: Path, top: Mapping) -> Iterator[Mapping]:
    """The file's scenarios, each as a script would be written. Raises ScriptError."""
    if "steps" in top:
        raise ScriptError(path, top.line_of("steps"), "a file has either `matrix:` or `steps:`")
    scenarios = top["matrix"]
    if not isinstance(scenarios, Mapping) or not scenarios:
        raise ScriptError(
            path, top.line_of("matrix"), "matrix: must be a mapping of scenarios, such as `A.1.a:`"
        )
    shared = {key: value for key, value in top.items() if key != "matrix"}
    for name, scenario in scenarios.items():
        if not isinstance(scenario, Mapping):
            raise ScriptError(path, scenarios.line_of(name), f"{name}: must have `title:` and `rows:`")
        for key in scenario:
            if key not in SCENARIO:
                raise ScriptError(
                    path,
                    scenario.line_of(key),
                    f"{name}: {key!r} is no key of a scenario{meant(key, list(SCENARIO))}",
                )
        yield _Scenario(path, name, scenario).script(shared)


class _Cell(Exception):
    """What is wrong with a cell, in words."""


class _Scenario:
    def __init__(self, path: Path, name: str, scenario: Mapping) -> None:
        self._path, self._name, self._scenario = path, name, scenario
        self._requests: dict[str, str] = {}
        """ids to acts"""
        self._trades = 0

    def script(self, shared: dict[str, object]) -> Mapping:
        rows = self._scenario.get("rows")
        if not isinstance(rows, list) or not rows:
            raise self._wrong("rows: must be a list of rows such as [new, X, 10]")
        steps = [self._step({"logon": "A"}), self._step({"logon": "B"})]
        for row in rows:
            if not isinstance(row, list) or len(row) < 2:
                raise self._wrong(f"{row!r} is no row such as [new, X, 10]")
            steps += self._row(row)
        steps.append(self._step({"expect": "nothing"}))
        given = {key: value for key, value in self._scenario.items() if key != "rows"}
        made = Mapping({"sessions": ["A", "B"], **shared, **given, "steps": steps})
        made["title"] = f"{self._name} {self._scenario.get('title', '')}"
        made["proves"] = [f"matrix {self._name}"]
        made.line, made.lines = self._scenario.line, self._scenario.lines
        return made

    def _wrong(self, text: str) -> ScriptError:
        return ScriptError(self._path, self._scenario.line, f"{self._name}: {text}")

    def _step(self, content: abc.Mapping[str, object]) -> Mapping:
        step = Mapping(content)
        step.line = self._scenario.line
        return step

    def _row(self, row: list[object]) -> list[Mapping]:
        reported = REPORTED.fullmatch(str(row[0]))
        columns = 1 if reported is None else 4 if row[1] == REFUSED else len(COLUMNS)
        more = row[-1] if len(row) > columns and isinstance(row[-1], Mapping) else Mapping()
        cells = row[:-1] if more else row
        try:
            if reported is None:
                return self._act(str(cells[0]), [str(cell) for cell in cells[1:]], more)
            if cells[1] == REFUSED:
                _, _, ord_status, reason = cells
                return [self._refusal(reported, ord_status, reason, more)]
            return [self._report(reported, cells[1:], more)]
        except _Cell as problem:
            raise self._wrong(f"{row}: {problem}") from None
        except (IndexError, TypeError, ValueError):
            raise self._wrong(f"{row} has too many or too few cells") from None

    def _act(self, act: str, cells: list[str], more: dict[str, object]) -> list[Mapping]:
        if act not in ACTS:
            known = ", ".join(ACTS.values())
            raise self._wrong(
                f"{act!r} is neither an id such as X or Y(X) nor an act{meant(act, [*ACTS])}: {known}"
            )
        if act == "admin":
            (words,) = cells
            return [self._step({"admin": words})]
        if act in ("trade", "offer"):
            (quantity,) = cells
            steps = self._trade(quantity, more)
            return steps if act == "trade" else steps[:2]
        return [self._request(act, cells, more)]

    def _request(self, act: str, cells: list[str], more: dict[str, object]) -> Mapping:
        fields: dict[str, object] = {"Side": "BUY"}
        if act in ("cancel", "replace"):
            fields["OrigClOrdID"] = _id(cells.pop(1))
        if act in ("new", "replace"):
            fields |= _terms(cells.pop(1))
        (order,) = cells
        self._requests[order] = act
        return self._send(MESSAGES[act], {"ClOrdID": _id(order)} | fields | more)

    def _trade(self, quantity: str, more: dict[str, object]) -> list[Mapping]:
        """The other client's order is filled before anything else happens: its own reports prove it."""
        self._trades += 1
        order = {"ClOrdID": f"$other{self._trades}"}
        sent = self._send("NewOrderSingle", order | {"Side": "SELL"} | _terms(quantity) | more)
        filled = {"ExecType": "TRADE", "OrdStatus": "FILLED", "LastQty": _units(quantity)}
        expected = [order | {"ExecType": "NEW"}, order | filled]
        steps = [sent, *(self._expect("ExecutionReport", fields) for fields in expected)]
        for step in steps:
            step["on"] = "B"
        return steps

    def _expect(self, message: str, fields: abc.Mapping[str, object]) -> Mapping:
        return self._step({"expect": message, "fields": self._step(fields)})

    def _send(self, message: str, fields: dict[str, object]) -> Mapping:
        return self._step({"send": message, "fields": self._step(fields)})

    def _report(self, ids: re.Match[str], cells: list[object], more: dict[str, object]) -> Mapping:
        exec_type, ord_status, quantity, filled, leaves, last = cells
        fields: dict[str, object] = {
            "ClOrdID": _id(ids[1]),
            "OrigClOrdID": _id(ids[2]) if ids[2] else "absent",
            "ExecType": exec_type,
            "OrdStatus": ord_status,
            "OrderID": {"same": "order"},
            "ExecID": {"new": "executions"},
            "OrderQty": _units(quantity),
            "CumQty": _units(filled),
            "LeavesQty": _units(leaves),
            "LastQty": _units(last) if last != "0" else {"one of": ["absent", "0"]},
        }
        return self._expect("ExecutionReport", fields | more)

    def _refusal(
        self, ids: re.Match[str], ord_status: object, reason: object, more: dict[str, object]
    ) -> Mapping:
        act = self._requests.get(ids[1], "")
        if act not in RESPONSE_TO or not ids[2]:
            raise self._wrong(f"{ids[0]} is refused, but no row above is its cancel or replace")
        fields: dict[str, object] = {
            "ClOrdID": _id(ids[1]),
            "OrigClOrdID": _id(ids[2]),
            "OrderID": {"same": "order"},
            "OrdStatus": ord_status,
            "CxlRejResponseTo": RESPONSE_TO[act],
            "CxlRejReason": reason,
        }
        return self._expect("OrderCancelReject", fields | more)


def _id(letter: str) -> str:
    if not re.fullmatch("[A-Z]", letter):
        raise _Cell(f"{letter!r} is no id: one capital letter")
    return f"${letter.lower()}"


def _units(quantity: object) -> str:
    if not re.fullmatch(r"\d+(\.\d+)?", str(quantity), re.ASCII):
        raise _Cell(f"{quantity!r} is no quantity")
    return f"$quantity*{quantity}"


def _terms(quantity: str) -> dict[str, object]:
    return {"OrderQty": _units(quantity), "OrdType": "LIMIT", "Price": "$price"}
