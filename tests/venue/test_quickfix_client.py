"""A client on QuickFIX with the dictionaries of the standard, which rejects what these do not have: it has
nothing against any message the venue sends. Features V1, 18, 19."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
import quickfix

from fixgw.admin.words import Bust, CancelOrder, Correct, Kill, MarketState
from fixgw.codec.fields import fields
from fixgw.codec.standard import FOLDER
from tests.raw import BUY, SELL, utc_now
from tests.venue.floor import BUSTED, CORRECTED, NEW, TRADE, Floor, Member, logged_on, running
from tests.venue.operating import done

VERSIONS = {"ALPHA": "FIX.4.4", "CHARLIE": "FIXT.1.1"}
DICTIONARIES = {
    "FIX.4.4": {"DataDictionary": "FIX44"},
    "FIXT.1.1": {"TransportDataDictionary": "FIXT11", "AppDataDictionary": "FIX50SP2"},
}
PATIENCE = 10.0
Tags = dict[int, object]
Message = dict[str, str]


class Strict(quickfix.Application):  # type: ignore[misc]
    """`heard`: the application messages of the venue; `objections`: what it has answered to any message.
    QuickFIX works only while it waits for something."""

    def __init__(self, venue: Floor, client: str) -> None:
        super().__init__()
        self.client, self.version, self.market = client, VERSIONS[client], ""
        self.heard: list[Message] = []
        self.objections: list[str] = []
        self.logged_on = False
        self._read = 0
        self._session_id = quickfix.SessionID(self.version, client, "FIXGW")
        self._settings = self._make_settings(venue)
        self._store = quickfix.MemoryStoreFactory()
        self._initiator = quickfix.SocketInitiator(self, self._store, self._settings)

    def _make_settings(self, venue: Floor) -> quickfix.SessionSettings:
        values = {
            "ConnectionType": "initiator",
            "SocketConnectHost": venue.host,
            "SocketConnectPort": str(venue.port),
            "HeartBtInt": "300",
            "ReconnectInterval": "3600",
            "NonStopSession": "Y",
            "ResetOnLogon": "Y",
            "UseDataDictionary": "Y",
            "DefaultApplVerID": "FIX.5.0SP2",
        }
        values |= {name: str(FOLDER / f"{file}.xml") for name, file in DICTIONARIES[self.version].items()}
        dictionary, settings = quickfix.Dictionary(), quickfix.SessionSettings()
        for name, value in values.items():
            dictionary.setString(name, value)
        settings.set(dictionary)
        settings.set(self._session_id, dictionary)
        return settings

    def __enter__(self) -> Strict:
        self.wait(lambda: self.logged_on)
        return self

    def __exit__(self, *_: object) -> None:
        self._initiator.stop(True)

    def wait(self, happened: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < deadline, (self.heard[-3:], self.objections)
            self._initiator.poll()

    def send(self, msg_type: str, tags: Tags) -> None:
        body = "".join(f"{tag}={value}\x01" for tag, value in tags.items())
        text = f"8={self.version}\x019=0\x0135={msg_type}\x01{body}10=000\x01"
        quickfix.Session.lookupSession(self._session_id).send(quickfix.Message(text, False))

    def order(self, name: str, side: str, **tags: object) -> Message:
        more = {int(tag[1:]): value for tag, value in tags.items()}
        self.enter(name, side, {38: "1"} | more)
        return self.hear("8", t150=NEW, t11=name)

    def enter(self, name: str, side: str, tags: Tags) -> None:
        head: Tags = {11: name, 1: f"{self.client}-1", 55: self.market, 54: side, 60: utc_now()}
        self.send("D", head | tags)

    def hear(self, msg_type: str, **tags: object) -> Message:
        """The next message of this kind with these fields; others may come before it."""
        wanted = {"35": msg_type} | {tag[1:]: str(value) for tag, value in tags.items()}

        def found() -> bool:
            while self._read < len(self.heard):
                self._read += 1
                if wanted.items() <= self.heard[self._read - 1].items():
                    return True
            return False

        self.wait(found)
        return self.heard[self._read - 1]

    # Called by QuickFIX, which ends the process at an exception

    def onCreate(self, session_id: quickfix.SessionID) -> None: ...

    def onLogon(self, session_id: quickfix.SessionID) -> None:
        self.logged_on = True

    def onLogout(self, session_id: quickfix.SessionID) -> None: ...

    def toAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        if "\x0135=3\x01" in message.toString():
            self.objections.append(message.toString())

    def toApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        if "\x0135=j\x01" in message.toString():
            self.objections.append(message.toString())

    def fromAdmin(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None: ...

    def fromApp(self, message: quickfix.Message, session_id: quickfix.SessionID) -> None:
        self.heard.append(fields(message.toString()))


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    sessions = {
        name: {"client": name, "begin_string": version, "self_trade": "decrement"}
        for name, version in VERSIONS.items()
    }
    with running(tmp_path_factory.mktemp("floor"), sessions=sessions) as venue:
        yield venue


@pytest.fixture(scope="module")
def clients(floor: Floor) -> Iterator[dict[str, Strict]]:
    with Strict(floor, "ALPHA") as alpha, Strict(floor, "CHARLIE") as charlie:
        yield {"ALPHA": alpha, "CHARLIE": charlie}


@pytest.fixture(params=VERSIONS)
def client(request: pytest.FixtureRequest, clients: dict[str, Strict], market: str) -> Iterator[Strict]:
    strict = clients[request.param]
    strict.market = market
    yield strict
    assert strict.objections == []


def told(member: Member, *steps: tuple[str, str]) -> None:
    for name, exec_type in steps:
        member.told(name, exec_type)


def test_orders_of_every_kind(floor: Floor, client: Strict) -> None:
    newer = client.version == "FIXT.1.1"
    with logged_on(floor, client.market, "BRAVO") as (bravo,):
        bravo.new("last", SELL, "1", "100")
        bravo.new("last2", BUY, "1", "100")
        told(bravo, ("last", NEW), ("last2", NEW), ("last2", TRADE), ("last", TRADE))
        client.order("stop", BUY, t40="3", t99="100", t59="1")
        client.hear("8", **({"t150": "L"} if newer else {"t150": "D", "t378": "99"}))
        client.hear("8", t150="4", t58="no liquidity")
        client.order("ice", BUY, t40="2", t44="90", **{"t1138" if newer else "t111": "0.5"})
        client.order("gtd", BUY, t40="2", t44="89", t59="6", t126="20990101-00:00:00.123456789")
        client.order("until", BUY, t40="2", t44="89", t59="6", t432="20990101")
        client.order("post", BUY, t40="2", t44="88", t18="6")
        client.order("least", BUY, t40="2", t44="87", t110="0.5")
        client.hear("8", t150="4", t11="least")
        bravo.new("s", SELL, "1", "200")
        bravo.told("s", NEW)
        client.enter("cash", BUY, {40: "1", 152: "100"})
        client.hear("8", t150=TRADE, t11="cash")
        bravo.told("s", TRADE)
        client.order("close", SELL, t40="1", t59="7")
        client.order("maker", SELL, t40="2", t44="150", t38="0.5")
        client.order("taker", BUY, t40="2", t44="150")
        client.hear("8", t150="D", t378="5", t11="taker")
        client.hear("8", t150="4", t378="99", t11="maker")
        client.enter("no", BUY, {40: "9", 38: "1"})
        client.hear("8", t150="8", t11="no")
        bravo.cancel("c", "s", SELL)
        bravo.told("c", "4")
        client.send("q", {11: "q", 530: "7", 60: utc_now()})
        client.hear("r", t531="7", t533="6")


def test_questions(floor: Floor, client: Strict) -> None:
    client.order("a", BUY, t40="2", t44="90")
    client.send("H", {11: "a", 55: client.market, 54: BUY, 790: "h"})
    client.hear("8", t150="I", t790="h", t39="0")
    client.send("H", {11: "never", 55: client.market, 54: BUY, 790: "h2"})
    client.hear("8", t150="I", t790="h2", t39="8")
    client.send("AF", {584: "all", 585: "7"})
    client.hear("8", t150="I", t584="all", t912="Y", t911="1")
    client.send("AF", {584: "none", 585: "1", 55: "M99-USD"})
    client.hear("8", t150="I", t584="none", t912="Y", t911="0")
    for kind, result in (("4", "0"), ("1", "1"), ("0", "2")):
        client.send("x", {320: f"x{kind}", 559: kind} | ({55: "NO"} if kind == "0" else {}))
        client.hear("y", t320=f"x{kind}", t560=result)
    for symbol in (client.market, "NO-SUCH"):
        client.send("e", {324: symbol, 55: symbol, 263: "1"})
        client.hear("f", t324=symbol)
    for number, session_id in enumerate(("1", "2")):
        client.send("g", {335: f"g{number}", 263: "0", 336: session_id})
        client.hear("h", t335=f"g{number}")
    filters: Tags = {55: client.market, 54: BUY, 1: f"{client.client}-1", 60: utc_now()}
    client.send("q", {11: "q1", 530: "1"} | filters)
    client.hear("r", t11="q1", t533="1")
    client.send("q", {11: "q2", 530: "1"} | filters | {55: "NO-SUCH"})
    client.hear("r", t11="q2", t531="0", t532="1")
    client.send("q", {11: "q3", 530: "3", 60: utc_now()})
    client.hear("r", t11="q3", t531="0", t532="0")


def test_what_the_operator_does(floor: Floor, client: Strict) -> None:
    with logged_on(floor, client.market, "BRAVO") as (bravo,):
        client.order("b", BUY, t40="2", t44="90")
        bravo.new("s", SELL, "0.5", "90")
        told(bravo, ("s", NEW), ("s", TRADE))
        exec_id = int(client.hear("8", t150=TRADE)["17"])
        done(floor, Correct(exec_id, price="91"))
        client.hear("8", t150=CORRECTED, t19=exec_id)
        done(floor, Bust(exec_id))
        number = client.hear("8", t150=BUSTED, t19=exec_id)["37"]
        done(floor, CancelOrder(int(number)))
        client.hear("8", t150="4", t378="99")
        told(bravo, ("s", CORRECTED), ("s", BUSTED))
    for state in ("pre-open", "opening-auction", "volatility-auction", "cancel-only", "halted", "closed"):
        done(floor, MarketState(state, client.market))
        client.hear("f", t58=state)
    done(floor, MarketState("closing-auction"))
    client.hear("h", t58="closing-auction")
    done(floor, MarketState("halted", "M99-USD"))
    client.send("g", {335: "mixed", 263: "0"})
    client.hear("h", t335="mixed")
    done(floor, MarketState("closed"))
    client.hear("h", t58="closed")
    done(floor, MarketState("continuous"))
    client.hear("h", t58="continuous")
    client.order("k", BUY, t40="2", t44="90")
    done(floor, Kill("client", client.client))
    client.hear("8", t150="4", t58="kill switch")
    client.enter("k2", BUY, {38: "1", 40: "1"})
    client.hear("8", t150="8", t103="0")
    done(floor, Kill("client", client.client, False))
