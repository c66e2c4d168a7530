"""The files of one session's log: `DATA/fix/SESSION/NUMBER.log`, the highest number is the current one."""

import os
import re
from pathlib import Path

_NAME = re.compile(r"(\d{6,18})\.log")


def directory_of(data: Path, session: str) -> Path:
    return data / "fix" / session


def numbered(directory: Path) -> list[tuple[int, Path]]:
    """The files there are, oldest first. Raises OSError."""
    matches = [(_NAME.fullmatch(path.name), path) for path in directory.iterdir()]
    return sorted((int(match[1]), path) for match, path in matches if match)


class Files:
    """Appends to them. Each file is opened for one write only: a thousand sessions hold none open, and a file
    that somebody has moved away is made anew."""

    def __init__(self, directory: Path, most_bytes: int, most_files: int) -> None:
        self._directory = directory
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._number = 0
        """of the current file; 0: not looked up yet"""

    def append(self, text: bytes) -> None:
        """Writes whole lines. Raises OSError; some of the lines may then be written."""
        if not self._number:
            self._find()
        while text:
            text = self._append_what_fits(text)
            if text:
                self._number += 1
                self._prune()

    def _find(self) -> None:
        self._directory.parent.mkdir(mode=0o700, exist_ok=True)
        self._directory.mkdir(mode=0o700, exist_ok=True)
        self._number = max([number for number, _ in numbered(self._directory)], default=1)
        self._prune()

    def _append_what_fits(self, text: bytes) -> bytes:
        """Returns the lines for which a new file is needed."""
        try:
            file = self._open()
        except FileNotFoundError:
            self._find()  # somebody has removed the directory
            file = self._open()
        try:
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                text = b"\n" + text  # the last line was cut off
            fits = text.rfind(b"\n", 0, max(self._most_bytes - size, 0)) + 1
            if not (fits or size):
                fits = text.find(b"\n") + 1  # a line that is longer than a file may be
            _write(file, text[:fits])
        finally:
            os.close(file)
        return text[fits:]

    def _open(self) -> int:
        path = self._directory / f"{self._number:06}.log"
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _prune(self) -> None:
        for number, path in numbered(self._directory):
            if number <= self._number - self._most_files:
                path.unlink(missing_ok=True)


def _write(file: int, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[os.write(file, rest) :]
