"""One case on the page: its steps, what was expected and received where it failed, and its conversation."""

from __future__ import annotations

from html import escape

from acceptance.report.words import printable
from acceptance.results import CaseResult, Difference, Said, StepResult

MARKS = {"passed": "✓", "failed": "✗", "not offered": "-", "not run": "○", "not reached": "·"}
_ARROWS = {"out": '<span class="sent">→</span>', "in": "←", "note": "·"}


def shown(text: str) -> str:
    """Text as text, whatever stands in it."""
    return escape(printable(text))


def seconds(number: float) -> str:
    return f"{number:.3f} s" if number < 10 else f"{number:.1f} s"


def outcome(name: str) -> str:
    """With a mark, since colours do not reach everyone."""
    return f'<span class="{name.replace(" ", "-")}">{MARKS[name]} {name}</span>'


def case_section(number: int, case: CaseResult) -> str:
    time = seconds(case.seconds) if case.steps else ""
    about = [case.file, case.version, ", ".join(case.proves), time]
    return f"""<article id="case-{number}" class="is-{case.outcome.replace(" ", "-")}">
<h3>{outcome(case.outcome)} &nbsp;{shown(case.title)}</h3>
<p class="soft">{" &nbsp;·&nbsp; ".join(shown(each) for each in about if each)}</p>
{_why(case)}{_steps(case)}{_conversation(case)}</article>
"""


def _why(case: CaseResult) -> str:
    return f"<p>{shown(case.why)}</p>\n" if case.why else ""


def _steps(case: CaseResult) -> str:
    if not case.steps:
        return ""
    return f"""<table>
<thead><tr><th scope="col" class="line">Line</th><th scope="col">Step</th>
<th scope="col" class="outcome">Outcome</th><th scope="col" class="number">At</th></tr></thead>
<tbody>
{"".join(map(_step, case.steps))}</tbody>
</table>
"""


def _step(step: StepResult) -> str:
    failed = step.outcome == "failed"
    at = "" if step.outcome == "not reached" else seconds(step.seconds)
    row = (
        f'<tr class="is-{step.outcome.replace(" ", "-")}"><td class="soft">{step.line}</td>'
        f'<td class="mono">{shown(step.text)}</td><td>{outcome(step.outcome)}</td>'
        f'<td class="number">{at}</td></tr>\n'
    )
    return row + _because(step) if failed else row


def _because(step: StepResult) -> str:
    problem = f"<p>{shown(step.problem)}</p>" if step.problem else ""
    return (
        f'<tr class="because"><td></td><td colspan="3">{problem}{_differences(step.differences)}</td></tr>\n'
    )


def _differences(differences: list[Difference]) -> str:
    if not differences:
        return ""
    return f"""<table>
<thead><tr><th scope="col" class="mark"></th><th scope="col">Field</th>
<th scope="col">Expected</th><th scope="col">Received</th></tr></thead>
<tbody>
{"".join(map(_difference, differences))}</tbody>
</table>"""


def _difference(found: Difference) -> str:
    kind, mark = ("right", MARKS["passed"]) if found.right else ("wrong", MARKS["failed"])
    received = f"<code>{shown(found.received)}</code>" if found.received else "<em>not there</em>"
    return (
        f'<tr class="{kind}"><td>{mark}</td><td>{shown(found.name)}</td>'
        f"<td><code>{shown(found.expected)}</code></td><td>{received}</td></tr>\n"
    )


def _conversation(case: CaseResult) -> str:
    if not case.conversation:
        return ""
    lines = "".join(map(_said, case.conversation))
    unfolded = " open" if case.outcome == "failed" else ""
    return f"""<details{unfolded}>
<summary>Conversation, {len(case.conversation)} lines (→ sent by the script, ← received)</summary>
<ol>
{lines}</ol>
</details>
"""


def _said(said: Said) -> str:
    about = f'<span class="soft">{said.seconds:.3f} {shown(said.session)}</span> {_ARROWS[said.way]}'
    if not said.words:
        return f'<li>{about} <span class="mono">{shown(said.text)}</span></li>\n'
    return f'<li>{about} {shown(said.words)}<div class="mono raw">{shown(said.text)}</div></li>\n'
