"""Accounts and shards as lines for people."""

from collections.abc import Iterator

from engine.venue import Venue
from engine.words import HERE
from fixgw.admin.deeds import Refused
from fixgw.admin.words import Accounts
from fixgw.assembly import Assembly
from fixgw.codec.decimals import Step, currency
from fixgw.record.record import Stored

MOST = 1_000
"""accounts in one answer"""


async def account_lines(assembly: Assembly, request: Accounts) -> list[str]:
    """Those that are named, or the first of all by name. What is in memory counts: the record is older."""
    venue, record = assembly.recorder.venue, assembly.record
    grids = {name: currency(each.decimals) for name, each in assembly.settings.currencies.items()}
    lines = []
    if request.names:
        for name in request.names[:MOST]:
            stored = None if name in venue.users else await record.read(name)
            if name not in venue.users and stored is None:
                raise Refused(f"there is no account {name}")
            lines.append(_line(venue, name, stored, grids))
        return lines
    cold = await record.users(request.client or None, request.after, MOST)
    here = [name for name, user in venue.users.items() if request.client in ("", user.client)]
    names = sorted({*cold, *(name for name in here if name > request.after)})[:MOST]
    lines = [_line(venue, name, cold.get(name), grids) for name in names]
    if len(names) == MOST:
        lines.append(f"there may be more: go on with --after {names[-1]}")
    return lines


def _line(venue: Venue, name: str, stored: Stored | None, grids: dict[str, Step]) -> str:
    user = venue.users.get(name)
    if user is not None:
        balances = {each: (b.total, b.reserved) for each, b in sorted(user.balances.items())}
        state = "" if user.state == HERE else f", {user.state}"
        where = f"in memory on {user.shard.name}{state}, {len(user.holds)} open orders"
        client = user.client
    else:
        assert stored is not None, name
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
