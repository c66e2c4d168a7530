"""What clients say to the reference venue to see each of its behaviours, in the session and with orders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from acceptance.reference.day import end_of_day
from acceptance.reference.faults import Faults
from acceptance.wire import encode, frame
from tests.acceptance.world import FLOOD, RATE, Peer, World

Conversation = Callable[[World, Peer], None]
LONG_AGO, FAR_AHEAD = "20200101-00:00:00.000", "20991231-00:00:00.000"


def _logged_on(then: Callable[[Peer], object]) -> Conversation:
    """Each right after a Logon, and followed by a question that shows which number is expected."""

    def conversation(world: World, peer: Peer) -> None:
        peer.logon()
        then(peer)
        if not peer.session.closed:
            peer.send("1", [(112, "what now?")])

    return conversation


def _wrong(
    change: tuple[int, object] = (0, ""), without: int = 0, plus: tuple[int, object] = (0, "")
) -> Callable[[Peer], object]:
    def then(peer: Peer) -> None:
        fields = peer.terms("id", "1", 1, 100)
        fields = [change if change[0] == tag else (tag, value) for tag, value in fields]
        fields = [each for each in fields if each[0] != without]
        peer.send("D", [*fields, plus] if plus[0] else fields)

    return then


def first_messages(world: World, peer: Peer) -> None:
    for msg_type, fields in (("0", []), ("D", peer.terms("x", "1", 1, 100))):
        peer.connect().send(msg_type, fields, sequence=1)
    for fields in ([(108, 301)], [(108, 30), (1137, 7)], [(108, 30), (8013, "Y")]):
        version = [(1137, 9)] if peer.version == "FIXT.1.1" and 1137 not in dict(fields) else []
        peer.connect().send("A", [(98, 0), *fields, *version], sequence=peer.number)
    world.wait(1)
    peer.drop()
    peer.logon(time=LONG_AGO)


def logons(world: World, peer: Peer) -> None:
    peer.logon()
    peer.order()
    peer.drop()
    for sequence, extra in (
        (1, []),
        (3, [(789, 9)]),
        (3, [(789, 2)]),
        (9, [(789, 9)]),
        (9, [(789, 3)]),
        (9, []),
    ):
        peer.number = sequence
        peer.logon(*extra)
        peer.send("1", [(112, "after")])
        world.wait(0.2)
        peer.drop()
    peer.number = 1
    peer.logon((141, "Y"))
    peer.order()
    peer.send("A", [(98, 0), (108, 30)])


def gaps(world: World, peer: Peer) -> None:
    peer.logon()
    lost = peer.message("D", peer.terms("lost", "1", 1, 100), duplicate=True, original=LONG_AGO)
    peer.order()
    peer.send("1", [(112, "early")])
    peer.raw(lost)
    peer.send("1", [(112, "late")])
    peer.send("4", [(123, "Y"), (36, peer.number + 5)], sequence=peer.number + 2)
    peer.send("1", [(112, "later")])


def low_numbers(world: World, peer: Peer) -> None:
    peer.logon()
    original = {"duplicate": True, "original": LONG_AGO}
    peer.send("1", [(112, "twice")])
    peer.send("1", [(112, "twice")], sequence=2, **original)
    peer.send("1", [(112, "no time")], sequence=2, duplicate=True)
    peer.send("1", [(112, "no time")], duplicate=True)
    peer.send("1", [(112, "future")], duplicate=True, original=FAR_AHEAD)
    peer.send("1", [(112, "now?")])
    peer.send("1", [(112, "low")], sequence=2)
    world.wait(3)


def resets(world: World, peer: Peer) -> None:
    peer.logon()
    peer.send("4", [(123, "Y"), (36, 10)])
    for own, new in ((1, 20), (1, 21)):
        peer.number = new - 10 if new == 20 else new - 1
        peer.send("1", [(112, "now?")])
        peer.send("4", [(36, new)], sequence=own)
    peer.number = 21
    peer.send("1", [(112, "now?")])


def _backwards(fields: list[tuple[int, object]]) -> Conversation:
    def then(peer: Peer) -> None:
        peer.send("4", fields, sequence=peer.number)

    return _logged_on(then)


def garbled(world: World, peer: Peer) -> None:
    peer.logon()
    right = peer.message("1", [(112, "right")])
    peer.raw(right[:-4] + b"%03d\x01" % ((int(right[-4:-1]) + 1) % 256))
    head, _, rest = right.partition(b"\x019=")
    content = head + b"\x019=20\x01" + rest.partition(b"\x01")[2][:-7]
    peer.raw(content + encode([(10, f"{sum(content) % 256:03d}")]))
    fields = right[:-7].split(b"\x01")
    fields.insert(2, b"11=x")
    body = b"\x01".join(fields[2:])
    head = fields[0] + b"\x01" + b"9=%d\x01" % len(body)
    peer.raw(head + body + encode([(10, f"{sum(head + body) % 256:03d}")]))
    peer.raw(right)


def headers(world: World, peer: Peer, **how: object) -> None:
    peer.logon()
    peer.send("1", [(112, "wrong")], **how)
    world.wait(3)


def types(world: World, peer: Peer) -> None:
    peer.logon()
    peer.send("V", [(262, "x")])
    peer.send("ZZ", [(58, "x")])
    peer.send("0")
    peer.send("3", [(45, 1)])
    peer.send("1", [(112, "id")])


def heartbeats(world: World, peer: Peer) -> None:
    peer.logon(heartbeat=1)
    for _ in range(8):
        world.wait(0.5)
        peer.send("0")
    world.wait(1.5)
    peer.send("0")
    world.wait(1.5)
    peer.send("0")
    world.wait(5)


def replays(world: World, peer: Peer) -> None:
    peer.logon()
    for _ in range(2):
        peer.order()
        peer.send("1", [(112, "x")])
        peer.send("1", [(112, "y")])
    for first, last in ((1, 0), (2, 4), (4, 5), (2, 2)):
        peer.send("2", [(7, first), (16, last)])
    peer.drop()
    peer.logon()


def logout(world: World, peer: Peer) -> None:
    peer.logon()
    peer.send("5")
    world.wait(3)


def venue_logs_out(world: World, peer: Peer) -> None:
    peer.logon()
    peer.session.log_out("closing", world.now)
    world.wait(3)
    world.said.append(f"closed: {peer.session.closed}")


def while_away(world: World, peer: Peer) -> None:
    other = Peer(world, "BRAVO")
    other.logon()
    peer.logon()
    peer.order()
    peer.drop()
    other.order("2")
    peer.logon()
    peer.drop()
    peer.number = 1
    peer.logon((141, "Y"))


def possible_resends(world: World, peer: Peer) -> None:
    peer.logon()
    peer.order(cl_ord_id="a", resend=True)
    peer.order(cl_ord_id="a", resend=True)
    peer.order(cl_ord_id="a")
    peer.order(cl_ord_id="b", price="100.001")
    peer.order(cl_ord_id="b")


def too_many(world: World, peer: Peer) -> None:
    peer.logon()
    order = peer.order()
    for _ in range(2 * RATE):
        peer.order(price="100.001")
    peer.cancel(order)
    for _ in range(int((FLOOD + 1) / 0.1)):
        for _ in range(3):
            peer.order(price="100.001")
        world.wait(0.1)


def cancel_only(world: World, peer: Peer) -> None:
    peer.logon()
    order = peer.order()
    world.desk.cancel_only.add("BTC-USD")
    peer.order()
    replaced = peer.replace(order, 2, 100)
    peer.cancel(order)
    peer.cancel(replaced)


def gone(world: World, peer: Peer, mode: str, leave: bool, setting: str = "N") -> None:
    peer.session.settings.cancel_on_disconnect = setting
    peer.logon(*([(8013, mode)] if mode else []))
    peer.order()
    peer.order(force="1")
    if leave:
        peer.send("5")
    peer.drop()
    peer.logon()
    peer.send("2", [(7, 1), (16, 0)])


def days(world: World, peer: Peer) -> None:
    peer.logon()
    day, good_till_cancel = peer.order(), peer.order(force="1")
    end_of_day(world.desk)
    world.collect()
    peer.order(cl_ord_id=day)
    peer.order(cl_ord_id=good_till_cancel)
    peer.cancel(good_till_cancel)


def refused_orders(world: World, peer: Peer) -> None:
    peer.logon()
    peer.order(account="NOBODY-1")
    peer.order("5")
    peer.order(quantity="0.00005")
    peer.order(price="100.001")
    peer.order(quantity=100000)
    peer.order(price=None, extra=[(44, 100)])
    peer.order(entered=LONG_AGO)
    peer.order(extra=[(110, 1)])
    peer.order(extra=[(21, 3)])
    peer.order(price=20_000_000)
    peer.order(force="2")
    peer.order(cl_ord_id="with a blank")


def refused_requests(world: World, peer: Peer) -> None:
    other = Peer(world, "BRAVO")
    other.logon()
    foreign = other.order()
    peer.logon()
    peer.cancel("never")
    peer.cancel(foreign)
    peer.replace("never", 2, 100)
    first = peer.order(price=90)
    second = peer.replace(first, 2, 90)
    peer.cancel(first)
    peer.cancel(second, "2")
    peer.replace(second, 2, 90, account="ALPHA-9")
    peer.cancel(second, order_id="99")
    other.cancel(foreign)
    other.cancel(foreign)


def priorities(world: World, peer: Peer) -> None:
    other = Peer(world, "BRAVO")
    other.logon()
    peer.logon()
    for price in (101, 100, 100):
        peer.order("2", 1, price)
    world.wait(1)
    other.order("1", "2.5", 102)


def forces(world: World, peer: Peer) -> None:
    other = Peer(world, "BRAVO")
    other.logon()
    peer.logon()
    peer.order("2", 1, 100)
    other.order("1", 2, 100, force="4")
    other.order("1", 2, 100, force="3")
    peer.order("2", 1, 90)
    other.order("1", 2, None)
    peer.order("2", 1, 100, force="3")


def replaces(world: World, peer: Peer, quantity: object, price: object) -> None:
    other = Peer(world, "BRAVO")
    other.logon()
    peer.logon()
    first = peer.order("1", 3, 100)
    peer.order("1", 3, 100 if price == 100 else 101)
    other.order("2", 1, 100 if price == 100 else 101)
    world.wait(1)
    peer.replace(first, quantity, price)
    other.order("2", "0.5", 100)
    other.order("2", "10", 90)


def a_replace_trades(world: World, peer: Peer) -> None:
    other = Peer(world, "BRAVO")
    other.logon()
    other.order("2", 1, 105)
    peer.logon()
    first = peer.replace(peer.order("1", 1, 100), 2, 105)
    peer.replace(first, 1, 105)
    peer.cancel(first)


def fills(world: World, peer: Peer) -> None:
    other, second = Peer(world, "BRAVO"), Peer(world, peer.name + "2")
    for each in (other, second, peer):
        each.logon()
    order = peer.order("1", 5, 100, force="1")
    for price in (99, 100):
        other.order("2", 1, price)
    other.order("2", 1, 102)
    peer.order("1", 2, 103)
    order = second.replace(order, 4, 100)
    gone_order = second.cancel(order)
    other.order("2", 1, 90)
    peer.cancel(gone_order)
    small = peer.order("1", 1, 80)
    peer.cancel(small)


def third_parties(world: World, peer: Peer) -> None:
    peer.logon()
    order = peer.message("D", peer.terms("third", "1", 1, 100))
    body = order.partition(b"\x01")[2].partition(b"\x01")[2].rpartition(b"10=")[0]
    peer.raw(frame(peer.version, body.replace(b"\x0111=", b"\x01115=X\x0111=", 1)))


CONVERSATIONS: dict[str, Conversation] = {
    "first messages": first_messages,
    "logons": logons,
    "gaps": gaps,
    "low numbers": low_numbers,
    "resets": resets,
    "a gap fill backwards": _backwards([(123, "Y"), (36, 1)]),
    "a reset backwards": _backwards([(36, 1)]),
    "garbled": garbled,
    "another BeginString": partial(headers, version="FIX.4.2"),
    "another SenderCompID": partial(headers, sender="NOBODY"),
    "another SendingTime": partial(headers, time=LONG_AGO),
    "third parties": third_parties,
    "types": types,
    "heartbeats": heartbeats,
    "replays": replays,
    "logout": logout,
    "the venue logs out": venue_logs_out,
    "while away": while_away,
    "possible resends": possible_resends,
    "cancel-only": cancel_only,
    "days": days,
    "refused orders": refused_orders,
    "refused requests": refused_requests,
    "priorities": priorities,
    "forces": forces,
    "less": partial(replaces, quantity=2, price=100),
    "more": partial(replaces, quantity=4, price=100),
    "another price": partial(replaces, quantity=3, price=101),
    "less than filled": partial(replaces, quantity=1, price=100),
    "a replace trades": a_replace_trades,
    "fills": fills,
    "an unknown tag": _logged_on(_wrong(plus=(4999, "x"))),
    "a missing tag": _logged_on(_wrong(without=40)),
    "a foreign tag": _logged_on(_wrong(plus=(112, "x"))),
    "no value": _logged_on(_wrong(plus=(58, ""))),
    "a value not in the list": _logged_on(_wrong((54, "Z"))),
    "a wrong format": _logged_on(_wrong((38, "many"))),
    "header in the body": _logged_on(_wrong(plus=(50, "x"))),
    "a tag twice": _logged_on(_wrong(plus=(11, "again"))),
    "a group too short": _logged_on(_wrong(plus=(453, 2))),
    "gone, lost, N": partial(gone, mode="N", leave=False),
    "gone, lost, by the setting": partial(gone, mode="", leave=False, setting="L"),
    "gone, lost, L": partial(gone, mode="L", leave=False),
    "gone, logout, L": partial(gone, mode="L", leave=True),
    "gone, logout, Y": partial(gone, mode="Y", leave=True),
    "too many": too_many,
}


def transcript(name: str, session: str, faults: Faults) -> list[str]:
    """All that the venue said in one conversation."""
    world = World(faults)
    CONVERSATIONS[name](world, Peer(world, session))
    return world.said
