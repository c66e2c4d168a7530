"""What becomes of a run: the signed report, if it is wanted, and the exit code."""

from __future__ import annotations

import argparse
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from acceptance.interrupting import exit_code
from acceptance.report import ReportError, load_or_make, prepare, write
from acceptance.results import Report

PASSED, FAILED, UNUSABLE, UNREACHED, INCOMPLETE = range(5)
"""exit codes; see options.EXIT_CODES"""


class Keeper:
    """Of the report. Made before a run, so that nobody plays for an hour and has no place to write to."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Raises ReportError."""
        self._directory = args.report
        self._key: Ed25519PrivateKey | None = None
        if self._directory:
            self._key = load_or_make(args.key)
            prepare(self._directory)

    def keep(self, report: Report) -> int:
        """Writes it, if that is wanted. The exit code."""
        if self._key is not None:
            try:
                for file in write(report, self._directory, self._key):
                    print(f"written: {file}")
            except ReportError as problem:
                print(f"fixgw certify: {problem}", file=sys.stderr)
                return UNUSABLE
        if report.interrupted:
            return exit_code(report.interrupted)
        return {"passed": PASSED, "failed": FAILED, "incomplete": INCOMPLETE}[report.verdict]
