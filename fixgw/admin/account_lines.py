"""Accounts and shards as lines for people."""

import asyncio
from collections.abc import Iterator

from engine.venue import Venue
from engine.words import HERE
from fixgw.admin.deeds import Refused
from fixgw.admin.words import Accounts
from fixgw.assembly import Assembly
from fixgw.codec.decimals import Step, currency
from fixgw.record.record import Found, Record, RecordError, Stored
from fixgw.store.accounts import accounts_after

MOST = 1_000
"""accounts in one answer"""
READ = 100
"""accounts that are read at once"""
AT_ONCE = 1_000
"""accounts that are looked at before the event loop is let on: about a millisecond"""


async def account_lines(assembly: Assembly, request: Accounts) -> list[str]:
    """Those that are named, or the next of all by name. What is in memory counts: the record is older."""
    venue, record = assembly.recorder.venue, assembly.record
    grids = {name: currency(each.decimals) for name, each in assembly.settings.currencies.items()}
    if request.names:
        names = request.names[:MOST]
        there = await _read(record, [name for name in names if name not in venue.users])
    else:
        there = await record.users(request.client or None, request.after, request.limit)
        last = max(there) if len(there) == request.limit else ""
        here = await _had_in_memory(assembly, request, last)
        names = sorted({*there, *here})[: request.limit]
    there |= await _read(record, [name for name in names if name not in there and name not in venue.users])
    unknown = [name for name in names if name not in there and name not in venue.users]
    if unknown and request.names:
        raise Refused(f"there is no account {unknown[0]}")
    lines = [_line(venue, name, there.get(name), grids) for name in names if name not in unknown]
    if request.names:
        return lines
    if len(names) == request.limit:
        lines.append(f"more     there may be: go on with --after {names[-1]}")
    if not request.client:
        have = "  ".join(money(grids.get(each), each, all_of_it) for each, all_of_it in _supply(venue))
        lines.append(f"total    {len(venue.users)} accounts are in memory and have {have or 'nothing'}")
    elif not lines:
        behind = f" behind {request.after}" if request.after else ""
        lines.append(f"client {request.client} has no account{behind}")
    return lines


async def _read(record: Record, names: list[str]) -> Found:
    found: Found = {}
    for first in range(0, len(names), READ):
        found |= await record.read_all(names[first : first + READ])
    return found


async def _had_in_memory(assembly: Assembly, request: Accounts, last: str) -> list[str]:
    """The next accounts that this venue has had in memory, as the record does not know those that were opened
    since; none beyond `last`, if there is one."""
    found: list[str] = []
    after = request.after
    while len(found) < request.limit:
        part = accounts_after(assembly.store, after, AT_ONCE)
        found += [
            name for name, client in part if request.client in ("", client) and (not last or name <= last)
        ]
        if len(part) < AT_ONCE or (last and part[-1][0] >= last):
            break
        after = part[-1][0]
        await asyncio.sleep(0)
    return found[: request.limit]


def _supply(venue: Venue) -> list[tuple[str, int]]:
    """What users in memory have together."""
    have = {name: amount - venue.collected.get(name, 0) for name, amount in venue.supply.items()}
    return sorted((name, amount) for name, amount in have.items() if amount)


def _line(venue: Venue, name: str, stored: Stored | RecordError | None, grids: dict[str, Step]) -> str:
    user = venue.users.get(name)
    if user is None and isinstance(stored, RecordError):
        return f"account  {name:<12} cannot be read: {stored}"
    if user is not None:
        balances = {each: (b.total, b.reserved) for each, b in sorted(user.balances.items())}
        state = "" if user.state == HERE else f", {user.state}"
        where = f"in memory on {user.shard.name}{state}, {len(user.holds)} open orders"
        client = user.client
    else:
        assert isinstance(stored, Stored), name
        balances = {each: (total, 0) for each, total in stored.row.balances}
        where, client = "in the record", stored.row.client
    has = "  ".join(money(grids.get(each), each, *amounts) for each, amounts in balances.items())
    return f"account  {name:<12} {client:<12} {has or 'nothing'}  ({where})"


def money(grid: Step | None, name: str, total: int, reserved: int = 0) -> str:
    """A currency that the file does not have any more is shown in its smallest units."""
    show = str if grid is None else grid.print
    return f"{name} {show(total)}" + (f" ({show(reserved)} reserved)" if reserved else "")


def shard_lines(venue: Venue) -> list[str]:
    routing = venue.router.routing
    lines = [f"routing  epoch {routing.epoch}, {len(routing.pins)} pins"]
    for name, state in routing.members:
        shard = venue.shards[name]
        lines.append(
            f"shard    {name:<12} {state:<10} {len(shard.users)} accounts in memory, {len(shard.idle)} idle, "
            f"{len(shard.flushing)} being written, {shard.open_orders} open orders"
        )
    return [*lines, *_moves(venue)]


def _moves(venue: Venue) -> Iterator[str]:
    if venue.to_look_at or venue.moving or venue.to_move:
        yield (
            f"moves    {len(venue.to_look_at)} accounts to look at, {len(venue.moving)} moving, "
            f"{len(venue.to_move)} wait until they have no open order"
        )
    for pin in venue.router.routing.pins[:20]:
        yield f"pin      {pin.user:<12} {pin.shard:<12} {pin.why}"
