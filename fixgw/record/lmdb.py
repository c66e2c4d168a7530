"""The record as a file in the venue's data directory: nothing to install. It has a file of its own, as the
journal's is written by the cycle alone."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from engine.user_events import BeginDehydrate
from fixgw.record.accounts import Accounts
from fixgw.record.gathering import Gathering
from fixgw.record.record import Found, RecordError, Stored, Written, checked, is_name
from fixgw.store.failures import StoreError

T = TypeVar("T")


class LmdbRecord:
    """A Record. The file is touched in a thread of its own, so that the event loop waits for no disk."""

    def __init__(self, directory: Path, map_size: int) -> None:
        """`map_size`: bytes that the file may grow to."""
        self._path = directory / "accounts.mdb"
        self._map_size = map_size
        self._accounts: Accounts | None = None
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "record")
        self._reads = Gathering(self.read_all, 1)

    async def open(self) -> None:
        await self._do(lambda accounts: None)

    async def identity(self) -> str:
        return await self._do(lambda accounts: accounts.identity)

    async def read(self, user: str) -> Stored | None:
        self._check_open()
        return await self._reads.read(user) if is_name(user) else None

    async def read_all(self, users: Sequence[str]) -> Found:
        names = [user for user in users if is_name(user)]
        return await self._do(lambda accounts: accounts.read(names))

    async def write(self, flushes: Sequence[BeginDehydrate]) -> list[Written | RecordError]:
        return await self._do(lambda accounts: accounts.write(checked(flushes)))

    async def users(self, client: str | None, after: str, most: int) -> Found:
        return await self._do(lambda accounts: accounts.users(client, after, most))

    async def totals(self) -> dict[str, int]:
        slices = await self._do(lambda accounts: accounts.totals())
        while (found := await self._do(lambda _: next(slices))) is None:
            pass
        return found

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await self._reads.close()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    async def _do(self, work: Callable[[Accounts], T]) -> T:
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._work, work)

    def _check_open(self) -> None:
        if self._closed:
            raise RecordError(f"{self._path}: is closed", passing=False)

    def _work(self, work: Callable[[Accounts], T]) -> T:
        try:
            if self._accounts is None:
                self._accounts = Accounts(self._path, self._map_size)
            return work(self._accounts)
        except StoreError as problem:
            raise RecordError(str(problem), passing=False) from None

    def _close(self) -> None:
        if self._accounts is not None:
            self._accounts.close()
