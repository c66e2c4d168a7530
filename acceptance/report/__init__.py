"""The certification report: signed JSON, a page for people that carries it, and lines for the terminal."""

from acceptance.report.document import ReportError
from acceptance.report.files import prepare, write
from acceptance.report.key import fingerprint, load_or_make
from acceptance.report.terminal import case_lines, summary_line
from acceptance.report.verify import Finding, verify

__all__ = [
    "Finding",
    "ReportError",
    "case_lines",
    "fingerprint",
    "load_or_make",
    "prepare",
    "summary_line",
    "verify",
    "write",
]
