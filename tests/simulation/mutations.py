"""Deliberate mistakes, each in a line or two of the engine or of what drives it, and the seed that finds each
of them out. `python -m tests.simulation.mutations` looks for the seeds; with `--write` it writes them down,
here in mutations.json and for people in docs/simulation.md."""

from __future__ import annotations

import argparse
import importlib
import inspect
import logging
import sys
import textwrap
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from fixgw.store.failures import StoreError
from tests.simulation.script import Script, generate
from tests.simulation.shrink import failure_of

FOUND = Path(__file__).parent / "mutations.json"
PAGE = Path(__file__).parents[2] / "docs" / "simulation.md"
BEGIN, END = "<!-- mutations -->", "<!-- end -->"
MOST = 400
"""seeds that are tried"""


class Change(NamedTuple):
    where: str
    """module:function or module:Class.function"""
    old: str
    new: str


class Mutation(NamedTuple):
    name: str
    """in words"""
    clause: str
    """of docs/users.md, or what else says that it is wrong"""
    changes: tuple[Change, ...]

    def script(self) -> Script:
        """That of the seed that finds it out."""
        return generate(msgspec.json.decode(FOUND.read_bytes(), type=dict[str, int])[self.name])


def _(name: str, clause: str, where: str, old: str, new: str, *more: Change) -> Mutation:
    return Mutation(name, clause, (Change(where, old, new), *more))


def _keeps(exec_type: str) -> tuple[str, str, str]:
    """What is held stays held at such an event."""
    at_the_end = "rest = 0 if not left"
    return (
        "engine.user:User.hear",
        at_the_end,
        at_the_end.replace("= 0", f'= amount if event.exec_type == "{exec_type}" else 0'),
    )


MUTATIONS = (
    _("a user leaves though it has done something since", "2.7",
      "engine.residency:flush_complete", "user.epoch == command.epoch", "True"),
    _("what a user does while it is written back does not raise its epoch", "2.7",
      "engine.shard:Shard.wake", "user.epoch += 1", "pass"),
    _("each stay in memory begins with the same epoch", "2.7",
      "engine.residency:_enter", "user.epoch = sequence", "user.epoch = 1"),
    _("the word about another flush is taken for that about this one", "2.7",
      "engine.residency:_flushed", "or flush.epoch != command.epoch", ""),
    _("a user leaves when it begins to be written, not when it is", "2.6",
      "engine.residency:sweep_users",
      "events.append(shard.flush(quietest, command.time, LEAVING_MEMORY))",
      "events.append(shard.flush(quietest, command.time, LEAVING_MEMORY)); "
      "shard.flushing.pop(quietest.name); events += _leave(state, command.time, quietest)"),
    _("the record's no is taken for a yes", "2.8",
      "fixgw.residents.agent:_leave", "if done:", "if True:"),
    _("whoever was written by another goes on to trade", "2.8",
      "engine.residency:flush_failed", "user.state = BLOCKED", "user.state = HERE"),
    _("a user of whom the operator has to decide is moved", "2.8",
      "engine.moving:move_if_wanted", "user.state == BLOCKED", "False"),
    _("a user is read while it is in memory", "2.1",
      "fixgw.residents.agent:Agent._read_batch", "if user in self._venue.users:", "if False:"),
    _("a user that is in memory is brought in once more", "2.1",
      "engine.user_checks:_hydrate", "if command.user in state.users:", "if False:",
      Change("fixgw.residents.agent:Agent._come", "if resident is not None:", "if False:"),
      Change("fixgw.residents.agent:Agent._read_batch", "if user in self._venue.users:", "if False:")),
    _("a user is read as often as it is asked for", "2.2",
      "fixgw.residents.agent:Agent.want", "if user not in self._reading:", "if True:"),
    _("that the record does not know a user is forgotten", "2.2",
      "fixgw.residents.agent:Agent.is_unknown", "return until > time", "return False"),
    _("orders wait for a user as long as it takes", "2.3",
      "fixgw.frontend.parking:Parking.overdue", "if oldest.since > since:", "if True:"),
    _("orders that wait for a user are not on disk", "2.1",
      "fixgw.frontend.parking:Parking.park",
      "parked.put(self._store, transaction, waiting.number, Parked(session, user, text))", "pass"),
    _("a shard takes more users than it may", "2.5",
      "engine.user_checks:no_place", "if len(shard.users) >= state.resident:", "if False:"),
    _("memory runs short, and who has just come is put out", "2.5",
      "engine.residency:_make_room", "or quietest is entered", ""),
    _("a sweep takes users who have orders", "2.4",
      "engine.shard:Shard.hold", "self.wake(user)", "pass"),
    _("who has ended its last order never leaves", "2.4",
      "engine.settling:settle", "user.shard.rested(user, event.time)", "pass"),
    _("what was to be written when the venue died is not written", "2.6",
      "fixgw.residents.agent:Agent.begin", "self.write(shard.flushing.values())", "pass"),
    _("a replace at another price holds what the one before did", "1.4",
      "engine.user:User.raise_hold", "hold.per_lot = per_lot", "pass"),
    _("a replace that needs less frees nothing", "1.4",
      *_keeps("5")),
    _("a cancel frees nothing", "1.4",
      *_keeps("4")),
    _("an expiry frees nothing", "1.4",
      *_keeps("C")),
    _("a decrement of two orders of one owner frees nothing", "1.4",
      *_keeps("D")),
    _("a better price than the limit frees nothing", "1.3",
      "engine.user:User.hear", "rest = 0 if not left else hold.per_lot * left",
      "rest = 0 if not left else amount - paid if paid else hold.per_lot * left"),
    _("an event settles once more when it comes again", "1.5",
      "engine.user:User.hear", "or event.step <= hold.step", "",
      Change("engine.user:User.hear", "assert event.step == hold.step + 1", "assert True"),
      Change("engine.settling:settle", "elif user.hear(event):",
             "elif user.hear(event) or user.hear(event):")),
    _("what is sold is delivered, but not taken", "1.4",
      "engine.user:User.hear", "self.balances[hold.currency].total -= paid",
      "self.balances[hold.currency].total -= paid if hold.buys else 0"),
    _("an order that has ended is counted as open", "1.7",
      "engine.user:User.hear", "self.shard.open_orders -= 1", "pass"),
    _("an order that was answered is counted as in flight", "7.5",
      "engine.user:User.hear", "self.shard.in_flight -= 1", "pass"),
    _("the ids of deposits are not remembered", "3.1",
      "engine.transfers:_transfer",
      "user.references = (*user.references, command.reference)[-REMEMBERED:]", "pass"),
    _("a withdrawal may take what is reserved", "3.2",
      "engine.user_checks:_transfer", "return user.spared(command.currency, command.amount)", "return None"),
    _("who leaves takes its money along, and the sum in memory stays", "design 3.6",
      "engine.residency:_leave", "state.supply[currency] -= balance.total", "pass"),
    _("the routing changes before all who are to move have left", "5.1",
      "engine.moving:flip_when_ready", "or any(name in state.users for name in state.moving)", ""),
    _("who is in memory when shards change is not held where it is", "5.3",
      "engine.routing:_held", "pins[user] = Pin(user, shard, HELD)", "pass"),
    _("a user takes orders while it moves", "5.1",
      "engine.user_checks:away", "if user.state == MOVING:", "if False:"),
    _("a user comes in while it is on its way to another shard", "5.1",
      "engine.user_checks:_hydrate", "if command.user in state.moving:", "if False:"),
    _("a shard that is leaving is gone while users belong to it", "5.4",
      "engine.moving:_set", "and all(pin.shard != name for pin in routing.pins)", ""),
    _("a reconciliation finds fault with what is right", "6.2",
      "engine.reconciling:_compare", "if hold.amount != rest:", "if hold.amount == rest:"),
    _("a snapshot lacks what is being written", "2.6",
      "engine.snapshot:_places", "list(each.flushing.values())", "[]"),
    _("a snapshot lacks mass cancels in progress", "feature 50",
      "engine.snapshot:_counters", "list(state.canceling.items())", "[]"),
    _("a snapshot lacks who is to move", "5.2",
      "engine.snapshot:_places", "list(state.to_move.values())", "[]"),
    _("a snapshot lacks who is moving", "5.1",
      "engine.snapshot:_places", "list(state.moving.values())", "[]"),
    _("a snapshot lacks the epochs of users", "2.7",
      "engine.snapshot:_resident", "user.epoch", "1"),
    _("a snapshot lacks when users did something last", "2.4",
      "engine.snapshot:_resident", "user.last_active", "0"),
    _("a snapshot lacks the ids of deposits", "3.1",
      "engine.snapshot:_resident", "user.row", "Row(user.client, user.row.balances)"),
    _("a start from a snapshot shows all of an iceberg", "feature 50",
      "engine.restoring:_put", "order.shown = shown", "pass"),
    _("a start from a snapshot does not count orders in flight", "feature 50",
      "engine.restoring:_enter", "shard.in_flight += not step", "shard.in_flight += 1"),
    _("a ClOrdID can be used twice", "design 3.3",
      "fixgw.store.days:Days.spend", "overwrite=False", "overwrite=True"),
    _("a client is told before it is on disk", "design 3.4",
      "fixgw.cycle.cycle:Cycle._serve_one",
      "self._absences.note(mailbox, time)", "mailbox.outflow.pump(); self._absences.note(mailbox, time)"),
    _("a shard that has all who were to come does not become active", "5.3",
      "fixgw.residents.keeper:Keeper.advance", "self._activate(time)", "pass"),
    _("one request in seven to write a user is overlooked", "2.6",
      "fixgw.cycle.cycle:Cycle._carry_out", "self._agent.write((request,))",
      "self._agent.write((request,)) if request.epoch % 7 else None"),
)  # fmt: skip


@contextmanager
def mutated(mutation: Mutation) -> Iterator[None]:
    """While it lasts, the venue does it wrong."""
    kept: dict[Any, Any] = {}
    try:
        sources: dict[Any, str] = {}
        for change in mutation.changes:
            function = _function(change.where)
            source = sources.get(function) or textwrap.dedent(inspect.getsource(function))
            assert source.count(change.old) == 1, f"{change.where} has not one {change.old!r}"
            sources[function] = source.replace(change.old, change.new)
        for function, source in sources.items():
            names: dict[str, Any] = {}
            exec(compile("from __future__ import annotations\n" + source, "mutated", "exec"), names)
            kept[function] = function.__code__
            function.__code__ = names[function.__name__].__code__
        yield
    finally:
        for function, code in kept.items():
            function.__code__ = code


def _function(where: str) -> Any:
    module, _, path = where.partition(":")
    found: Any = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found


def find(mutation: Mutation, most: int = MOST) -> tuple[int, str] | None:
    """The first seed that finds it out, and what it says."""
    with mutated(mutation):
        for seed in range(1, most + 1):
            found = failure_of(generate(seed))
            if found is not None:
                return seed, _said(*found)
    return None


def _said(place: str, problem: BaseException) -> str:
    frame = traceback.extract_tb(problem.__traceback__)[-1]
    if "/simulation/" in frame.filename and str(problem):
        return str(problem)
    if isinstance(problem, StoreError):
        return "a start is refused: " + str(problem).rpartition("/")[2]
    return f"{place}, the engine's own" if "/engine/" in frame.filename else f"{place}: {problem}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.mutations", description=__doc__)
    parser.add_argument("--write", action="store_true", help="writes mutations.json and docs/simulation.md")
    parser.add_argument("--only", default="", help="those whose words have this in them")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    rows, seeds, missed = [], {}, 0
    for mutation in MUTATIONS:
        if arguments.only not in mutation.name:
            continue
        found = find(mutation)
        missed += found is None
        seed, said = found or ("none", "")
        print(f"{seed:>5}  {mutation.name}: {said[:90]}", flush=True)
        seeds[mutation.name] = seed
        rows.append(f"| {mutation.name} | {mutation.clause} | {seed} | {_in_a_row(said)} |")
    if arguments.write and not missed and not arguments.only:
        FOUND.write_bytes(msgspec.json.format(msgspec.json.encode(seeds), indent=1) + b"\n")
        page = PAGE.read_text()
        head, tail = page[: page.index(BEGIN)], page[page.index(END) :]
        table = ["| mistake | against | seed | what finds it |", "|---|---|---|---|", *rows]
        PAGE.write_text(head + "\n".join((BEGIN, *table)) + "\n" + tail)
    return 1 if missed else 0


def _in_a_row(said: str) -> str:
    """Without numbers of the moment that make a row long."""
    said = said.replace("|", "/").replace("\n", " ")
    return said if len(said) <= 80 else said[:77] + "..."


if __name__ == "__main__":
    sys.exit(main())
