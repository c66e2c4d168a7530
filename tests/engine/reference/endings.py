"""Clauses 7.7, 10.1 to 10.4: ends that come from the venue, or to many at once."""

from __future__ import annotations

from engine.commands import CancelMany, CancelSession, EndDay, ExpireOrders, WithdrawOrder
from tests.engine.reference.world import Open, World


def oldest_first(world: World) -> list[Open]:
    return sorted(world.live, key=lambda order: order.id)


def end_day(world: World, command: EndDay) -> None:
    for order in oldest_first(world):
        dated = order.expire_day != "" and order.expire_day < command.day
        if order.command.time_in_force == "0" or dated:
            world.end(order, "C", "end of the day")
    world.day = command.day
    world.tell("DayEnded", day=command.day)


def expire(world: World, command: ExpireOrders) -> None:
    due = [order for order in oldest_first(world) if 0 < order.expire_time <= command.time]
    due.sort(key=lambda order: order.expire_time)
    for order in due[: command.most]:
        world.end(order, "C", "expired")


def cancel_session(world: World, command: CancelSession) -> None:
    kept = "" if command.good_till_cancel else "1"
    own = [order for order in oldest_first(world) if order.command.session == command.session]
    gone = [order for order in own if order.command.time_in_force != kept]
    word = {"12": "connection lost", "13": "logged out"}[command.restatement]
    for order in gone[: command.most]:
        world.end(order, "4", f"cancel on disconnect: {word}", command.restatement)


def cancel_many(world: World, command: CancelMany) -> None:
    fitting = [order for order in oldest_first(world) if fits(world, order, command)]
    for order in fitting[: command.most]:
        if command.session:
            requester = "" if command.session == order.command.session else command.session
            world.end(order, "4", "", requester=requester)
        else:
            world.end(order, "4", command.text, "99")
    if command.session and len(fitting) <= command.most:
        names = ("client", "session", "cl_ord_id", "account", "symbol", "side")
        fields = {name: getattr(command, name) for name in names}
        count = command.so_far + len(fitting)
        world.tell("ManyCanceled", **fields, order_id=world.sequence, count=count)


def fits(world: World, order: Open, command: CancelMany) -> bool:
    names = ("client", "account", "symbol", "side")
    asked = [(getattr(command, name), getattr(order.command, name)) for name in names]
    closed = command.session != "" and world.states[order.command.symbol] == "halted"
    return order.id < command.before and not closed and all(sent in ("", had) for sent, had in asked)


def withdraw(world: World, command: WithdrawOrder) -> None:
    (order,) = [order for order in world.live if order.id == command.order_id]
    world.end(order, "4", command.text, "99")
