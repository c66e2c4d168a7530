"""What becomes of a run: the signed report, if it is wanted, and the exit code."""

from __future__ import annotations

import argparse
import sys

from acceptance.report import ReportError, load_or_make, write
from acceptance.results import Report

PASSED, FAILED, UNUSABLE, UNREACHED = 0, 1, 2, 3
"""exit codes"""


def keep(report: Report, args: argparse.Namespace) -> int:
    if args.report:
        try:
            for file in write(report, args.report, load_or_make(args.key)):
                print(f"written: {file}")
        except ReportError as problem:
            print(f"fixgw certify: {problem}", file=sys.stderr)
            return UNUSABLE
    return FAILED if report.count("failed") else PASSED
