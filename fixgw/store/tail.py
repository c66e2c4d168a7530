"""The tail: what cycles have written since the last commit of the database. A cycle waits for the disk once,
for one write in place; the database's own commits, which wait twice and write many pages, follow later.

A fixed file, written over again from its start after every commit. Each record names the commit it follows
and its place after it, so what an earlier use left behind is never taken for a record."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from struct import Struct
from time import perf_counter_ns
from zlib import crc32

from fixgw.store.directory import private, sync_directory
from fixgw.store.failures import StoreError, of_system

SIZE = 8 << 20
"""bytes; what a database's worth of cycles may write between two commits"""
BLOCK = 4096
"""records begin at multiples of it: one that is torn hides none of those before it"""
_header = Struct(">8sQIII")
_MAGIC = b"fixgw.tl"
_OWNED = b"fixgw tail of "
"""leads the first block, with the id of the store"""


class Tail:
    def __init__(self, path: Path, owner: bytes, *, readonly: bool = False) -> None:
        """Opens the tail of the store `owner` (16 bytes). Raises StoreError for anything else."""
        mode = os.O_RDONLY if readonly else os.O_RDWR
        try:
            self._file = os.open(path, mode | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as problem:
            raise StoreError(f"{path}: {problem.strerror}") from None
        head = os.pread(self._file, len(_OWNED) + len(owner), 0) if os.path.isfile(path) else b""
        if head != _OWNED + owner or os.fstat(self._file).st_size != SIZE:
            os.close(self._file)
            raise StoreError(f"{path}: damaged, or not the tail of this venue.mdb")
        self._commit = 0
        self._index = 0
        self._offset = 0
        self.synced: Callable[[int, int, int], object] = lambda begin, end, size: None
        """told of each wait for the disk, by the clock of time.perf_counter_ns, and for how many bytes"""

    @staticmethod
    def make(path: Path, owner: bytes) -> "Tail":
        """Makes the file at its full size, so that no later write changes more than bytes."""
        new = path.with_suffix(".new")
        try:
            with open(new, "wb", opener=private) as file:
                file.write((_OWNED + owner).ljust(SIZE, b"\0"))
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, path)
            sync_directory(path.parent)
        except OSError as problem:
            raise StoreError(f"{path}: cannot be made: {of_system(problem)}") from None
        return Tail(path, owner)

    def begin(self, commit: int) -> None:
        """From here on records follow that commit."""
        self._commit = commit
        self._index, self._offset = 0, BLOCK

    @property
    def half_full(self) -> bool:
        return self._offset > SIZE // 2

    def append(self, payload: bytes) -> bool:
        """Returns when the record is on disk; False, and nothing is done, if it has no room."""
        length = _header.size + len(payload)
        if self._offset + length > SIZE:
            return False
        head = _header.pack(_MAGIC, self._commit, self._index, len(payload), self._crc(self._index, payload))
        begin = perf_counter_ns()
        os.pwrite(self._file, head + payload, self._offset)
        os.fdatasync(self._file)
        self.synced(begin, perf_counter_ns(), length)
        self._index += 1
        self._offset += -(-length // BLOCK) * BLOCK
        return True

    def records(self, commit: int) -> Iterator[bytes]:
        """What was appended after that commit, in order. A last record that is torn was never answered for;
        one before others is damage, and raises StoreError."""
        self.begin(commit)
        data = os.pread(self._file, SIZE, 0)
        while (payload := self._payload(data, self._offset, self._index)) is not None:
            yield payload
            self._index += 1
            self._offset += -(-(_header.size + len(payload)) // BLOCK) * BLOCK
        for offset in range(self._offset + BLOCK, SIZE, BLOCK):
            index = _header.unpack_from(data, offset)[2]
            if index > self._index and self._payload(data, offset, index) is not None:
                raise StoreError(f"the tail is damaged: record {self._index} after commit {commit} is broken")

    def following(self) -> bytes | None:
        """The next record after the commit of `begin`, for who reads while another writes; None if it is not
        there, or not any more."""
        head = os.pread(self._file, _header.size, self._offset)
        if len(head) < _header.size:
            return None
        magic, commit, index, length, crc = _header.unpack(head)
        if (magic, commit, index) != (_MAGIC, self._commit, self._index) or length > SIZE:
            return None
        payload = os.pread(self._file, length, self._offset + _header.size)
        if len(payload) < length or crc != self._crc(index, payload):
            return None
        self._index += 1
        self._offset += -(-(_header.size + length) // BLOCK) * BLOCK
        return payload

    def _payload(self, data: bytes, offset: int, expected: int) -> bytes | None:
        if offset + _header.size > SIZE:
            return None
        magic, commit, index, length, crc = _header.unpack_from(data, offset)
        if (magic, commit, index) != (_MAGIC, self._commit, expected):
            return None
        start = offset + _header.size
        payload = data[start : start + length]
        return payload if len(payload) == length and crc == self._crc(index, payload) else None

    def _crc(self, index: int, payload: bytes) -> int:
        return crc32(payload, crc32(b"%d %d" % (self._commit, index)))

    def close(self) -> None:
        os.close(self._file)
