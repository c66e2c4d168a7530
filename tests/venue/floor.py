"""A trading floor for tests: three clients with several sessions each, and a market of its own for each test,
so that tests share a running venue and never each other's orders or ids."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from fixgw.admin.command import ask
from fixgw.admin.words import Status
from tests.process import VenueProcess
from tests.raw import BUY, RawClient, Received, cancel, new_order, replace

MARKETS = 100
FAMILIES = {"ALPHA": "FIX.4.4", "BRAVO": "FIX.4.4", "CHARLIE": "FIXT.1.1"}
"""clients, and the version their sessions speak"""
SESSIONS = 4
FREE = {"messages_per_second": 1_000_000, "transact_time_seconds": 31_536_000}
"""of every session: tests send as fast as they can, and some move the venue's clock"""
RICH = {"USD": 10**9, "BTC": 10**6}
POOR = {"USD": 100, "BTC": 1}

NEW, TRADE, CANCELED, REPLACED, EXPIRED = "0", "F", "4", "5", "C"
CORRECTED, BUSTED, STATUS = "G", "H", "I"
"""ExecType(150)"""
DAY, GTC, IOC, FOK = "0", "1", "3", "4"
"""TimeInForce(59)"""
DUPLICATE = "Duplicate ClOrdID"

_FRAME = {8, 9, 10, 34, 35, 49, 52, 56}
_GIVEN = {17, 37, 60, 880}


def write_config(directory: Path, **sections: dict[str, Any]) -> Path:
    """A file of settings; `sections` are put over those of the floor. Client X has the sessions X, X2, X3
    and X4 and the accounts X-1 (rich) and X-POOR."""
    market = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
    market |= {"max_quantity": "1000", "max_price": "1000000"}
    settings: dict[str, dict[str, Any]] = {
        "currencies": {name: {"decimals": 8} for name in ("USD", "BTC")},
        "instruments": {f"M{number}-USD": market for number in range(MARKETS)},
        "clients": {name: {"accounts": {f"{name}-1": RICH, f"{name}-POOR": POOR}} for name in FAMILIES},
        "sessions": {
            name + (str(number) if number > 1 else ""): {"client": name, "begin_string": version} | FREE
            for name, version in FAMILIES.items()
            for number in range(1, SESSIONS + 1)
        },
        "users": {"idle_seconds": 31_536_000, "reconcile_seconds": 86_400},  # tests count entries
        "restart": {"cancel_only_seconds": 0, "auction_seconds": 0},
        "door": {"failed_logons_per_address": 100_000},  # good and bad come from one address here
    }
    for name, values in sections.items():
        settings[name] = settings.get(name, {}) | values
    path = directory / "venue.yaml"
    path.write_text(yaml.safe_dump(settings, default_flow_style=None))
    return path


class Floor(VenueProcess):
    """The venue with all it needs in one directory."""

    def __init__(self, directory: Path, **sections: dict[str, Any]) -> None:
        self.data = directory / "data"
        self.config = write_config(directory, **sections)
        super().__init__(self.data, config=self.config)

    def journaled(self) -> int:
        """How many journal entries there are."""
        return int(self.status()["journal"].split()[0])

    def wait_for_entries(self, count: int) -> None:
        """Returns once the journal has so many."""
        deadline = time.monotonic() + 20
        while self.journaled() < count:
            assert time.monotonic() < deadline, f"{self.journaled()} entries, not {count}"

    def lines(self) -> list[str]:
        """Of `fixgw admin status`."""
        return ask(self.data, Status(digest=True)).lines

    def status(self) -> dict[str, str]:
        """`fixgw admin status`: what it says of `journal`, `state`, `venue`, `market X`, `session X`."""
        found = {}
        for line in self.lines():
            head, *rest = line.split()
            if head in ("market", "session"):
                head = f"{head} {rest.pop(0)}"
            found[head] = " ".join(rest)
        return found


@contextmanager
def running(directory: Path, **sections: dict[str, Any]) -> Iterator[Floor]:
    """A floor that must be alive at the end, and stop in good order."""
    with Floor(directory, **sections) as venue:
        try:
            yield venue
        except BaseException as failure:
            failure.add_note(f"the venue wrote:\n{venue.errors[-3000:]}")
            raise
        assert venue.terminate() == 0, venue.errors
        assert "Traceback" not in venue.errors, venue.errors


class Member(RawClient):
    """A session on one market. ClOrdIDs are short names here; on the wire the market comes before them."""

    def __init__(self, venue: Floor, market: str, session: str, timeout: float = 10.0) -> None:
        self.client = session.rstrip("234")
        super().__init__(venue.host, venue.port, session, begin_string=FAMILIES[self.client], timeout=timeout)
        self.market = market

    def receive(self, timeout: float | None = None) -> Received:
        """The next message but for TestRequests, which it answers."""
        while (message := super().receive(timeout)).msg_type == "1":
            self.send("0", [(112, message[112])])
        return message

    def id(self, name: str) -> str:
        return f"{self.market}.{name}"

    def new(
        self, name: str, side: str, quantity: object, price: object = None, account: str = "1", **more: Any
    ) -> None:
        """`more`: time_in_force, extra, possresend."""
        possresend = more.pop("possresend", False)
        account = f"{self.client}-{account}"
        order = new_order(self.id(name), side, quantity, price, symbol=self.market, account=account, **more)
        self.send(*order, possresend=possresend)

    def cancel(
        self, name: str, original: str, side: str = BUY, extra: Iterable[tuple[int, object]] = (), **how: Any
    ) -> None:
        request = cancel(self.id(name), self.id(original), side, symbol=self.market, extra=extra)
        self.send(*request, **how)

    def replace(
        self, name: str, original: str, side: str, quantity: object, price: object = None, **more: Any
    ) -> None:
        possresend = more.pop("possresend", False)
        more = {"symbol": self.market, "account": f"{self.client}-1"} | more
        self.send(
            *replace(self.id(name), self.id(original), side, quantity, price, **more), possresend=possresend
        )

    def told(self, name: str, exec_type: str, **tags: Any) -> Received:
        """The next message must be the ExecutionReport of this step of the order `name`."""
        return self.expect("8", t11=self.id(name), t150=exec_type, t55=self.market, **tags)

    def refused(self, name: str, reason: int, **tags: Any) -> Received:
        """... must refuse the new order `name` with this OrdRejReason(103)."""
        return self.told(name, "8", t39="8", t103=reason, **tags)

    def request_refused(self, name: str, original: str, reason: int, **tags: Any) -> Received:
        """... must refuse the request `name` with this CxlRejReason(102)."""
        return self.expect("9", t11=self.id(name), t41=self.id(original), t102=reason, **tags)


@contextmanager
def logged_on(venue: Floor, market: str, *sessions: str) -> Iterator[list[Member]]:
    """Members with fresh numbers and nothing left to read. What they receive inside is checked at the end."""
    members = [Member(venue, market, session) for session in sessions]
    try:
        for member in members:
            member.logon(reset=True)
            member.settle()
            member.received.clear()
        yield members
    finally:
        for member in members:
            if member.connected:
                member.logout()
    for member in members:
        check_reports(member.received)


def content(report: Received) -> dict[int, str]:
    """All that a report says, with ids as names, but for what the venue gives: 37, 17, 60, 880."""
    assert report[60] and report[37]
    said = {tag: value for tag, value in report.fields if tag not in _FRAME | _GIVEN}
    assert len(said) == len([tag for tag, _ in report.fields if tag not in _FRAME | _GIVEN]), "a tag twice"
    return {tag: value.rpartition(".")[2] if tag in (11, 41) else value for tag, value in said.items()}


def check_reports(received: list[Received]) -> None:
    """What holds for all ExecutionReports of one session: 17 is unique, 37 constant; while an order lives
    38 = 14 + 151, at its end 151 = 0 and nothing follows but busts and corrections; 14 and 6 are sum and
    average of the fills."""
    reports = [each for each in received if each.msg_type == "8"]
    assert len({each[17] for each in reports}) == len(reports), "an ExecID came twice"
    lives: dict[str, list[Received]] = {}
    order_ids: dict[str, str] = {}
    for each in reports:
        if each[150] not in ("8", STATUS):
            lives.setdefault(each[37], []).append(each)
            assert order_ids.setdefault(each.get(41) or each[11], each[37]) == each[37], each
            order_ids[each[11]] = each[37]
            if each[39] not in ("0", "1"):  # the next day may use its ids again
                order_ids = {name: order_id for name, order_id in order_ids.items() if order_id != each[37]}
    for life in lives.values():
        # A life that begins with the answer to a request, or to one for many, is another session's order's.
        if life[0][150] != NEW:
            assert 41 in life[0] or life[0][150] == CANCELED, life[0]
        else:
            _check_life(life)


def _check_life(life: list[Received]) -> None:
    fills: dict[str, tuple[Decimal, Decimal]] = {}
    """quantity and price by ExecID"""
    ended = False
    for each in life:
        changed = each[150] in (CORRECTED, BUSTED)
        assert (31 in each) == (32 in each) == (each[150] == TRADE or changed), each
        assert (19 in each) == changed, each
        assert changed or not ended, f"more after the end: {life}"
        if each[150] == TRADE:
            fills[each[17]] = Decimal(each[32]), Decimal(each[31])
        elif each[150] == CORRECTED:
            assert each[19] in fills, each
            fills[each[19]] = Decimal(each[32]), Decimal(each[31])
        elif each[150] == BUSTED:
            del fills[each[19]]
        filled = sum((quantity for quantity, _ in fills.values()), Decimal(0))
        money = sum((quantity * price for quantity, price in fills.values()), Decimal(0))
        assert Decimal(each[14]) == filled, each
        assert abs(Decimal(each[6]) - (money / filled if filled else 0)) < Decimal("0.000001"), each
        if each[39] in ("0", "1"):
            assert not ended and Decimal(each[38]) == Decimal(each[14]) + Decimal(each[151]), each
            assert (each[39] == "1") == (filled > 0), each
        else:
            assert each[39] in ("2", "4", "C") and Decimal(each[151]) == 0, each
            ended = True
