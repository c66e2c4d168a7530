"""The two files of a report."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from acceptance.report.document import ReportError, sign
from acceptance.report.page import page
from acceptance.results import Report

JSON = "report.json"
PAGE = "report.html"


def prepare(directory: Path) -> None:
    """Makes it, if it is missing. Raises ReportError, on one line, if no report can be written there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as problem:
        raise _unwritten(directory, problem) from None


def write(report: Report, directory: Path, key: Ed25519PrivateKey) -> tuple[Path, Path]:
    """Signs `report` with `key` (see `load_or_make`) and writes `report.json` and `report.html` into
    `directory`, which is made if it is missing. Returns both paths.

    Files of these names are replaced, each at once: a reader finds the old one or the new one. Either can be
    verified without the other. The texts in `report` go into both as they are: secrets must be masked before.
    Raises ReportError, on one line, if a file cannot be written."""
    document = sign(report, key)
    data, shown = directory / JSON, directory / PAGE
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _replace(data, document.to_bytes())
        _replace(shown, page(document))
    except OSError as problem:
        raise _unwritten(directory, problem) from None
    return data, shown


def _unwritten(directory: Path, problem: OSError) -> ReportError:
    return ReportError(f"{directory}: the report cannot be written: {problem.strerror}")


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o644)  # meant to be passed on, unlike other temporary files
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
