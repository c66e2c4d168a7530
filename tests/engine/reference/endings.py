"""Clauses 7.7, 10.1 to 10.4: ends that come from the venue, or to many at once."""

from __future__ import annotations

from engine.commands import CancelMany, CancelSession, ContinueMany, EndDay, ExpireOrders, WithdrawOrder
from tests.engine.reference.world import Canceling, Open, World


def oldest_first(world: World) -> list[Open]:
    return sorted(world.live, key=lambda order: order.id)


def end_day(world: World, command: EndDay) -> None:
    for order in oldest_first(world):
        dated = order.expire_day != "" and order.expire_day < command.day
        if order.command.time_in_force in ("0", "2", "7") or dated:
            if command.most and len(world.said) == command.most:
                return
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
    text = f"cancel on disconnect: {word}"
    world.canceling.append(Canceling(world.sequence, command, gone, text, command.restatement))
    go_on(world, world.canceling[-1], command.most)


def cancel_many(world: World, command: CancelMany) -> None:
    fitting = [order for order in oldest_first(world) if fits(world, order, command)]
    world.canceling.append(Canceling(world.sequence, command, fitting, command.text, "99", command.session))
    go_on(world, world.canceling[-1], command.most)


def continue_many(world: World, command: ContinueMany) -> None:
    if world.canceling:
        go_on(world, world.canceling[0], command.most)


def go_on(world: World, request: Canceling, most: int) -> None:
    command = request.command
    fitting = [order for order in request.orders if order in world.live]
    for order in fitting[:most]:
        request.count += 1
        if request.asked_by:
            requester = "" if request.asked_by == order.command.session else request.asked_by
            world.end(order, "4", "", requester=requester)
        else:
            world.end(order, "4", request.text, request.restatement)
    if len(fitting) > most:
        return
    world.canceling.remove(request)
    if request.asked_by:
        names = ("client", "session", "cl_ord_id", "account", "symbol", "side")
        fields = {name: getattr(command, name) for name in names}
        world.tell("ManyCanceled", **fields, order_id=request.sequence, count=request.count)


def fits(world: World, order: Open, command: CancelMany) -> bool:
    names = ("client", "account", "symbol", "side")
    asked = [(getattr(command, name), getattr(order.command, name)) for name in names]
    out_of_reach = command.session != "" and world.states[order.command.symbol] == "halted"
    return not out_of_reach and all(sent in ("", had) for sent, had in asked)


def withdraw(world: World, command: WithdrawOrder) -> None:
    (order,) = [order for order in world.live if order.id == command.order_id]
    world.end(order, "4", command.text, "99")
