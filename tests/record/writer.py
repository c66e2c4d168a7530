"""Writes to the record in a directory as fast as it can, until it is killed: `acknowledged VERSION` after
each batch, in which all users have the version as balance."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.record.kinds import Lmdb, flush, opened

USERS = [f"U{number}" for number in range(10)]


async def main(directory: Path) -> None:
    async with opened(Lmdb(directory)) as record:
        stored = await record.read(USERS[0])
        version = stored.version if stored else 0
        while True:
            batch = [flush(user, version, ("USD", version + 1), epoch=version) for user in USERS]
            assert all(written.done for written in await record.write(batch))
            version += 1
            print("acknowledged", version, flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
