"""Every mistake in the YAML is one clear line; what loads is exact."""

from pathlib import Path

import pytest

from engine.commands import LimitAccount, SetRules
from fixgw.settings import (
    SettingsError,
    limit_accounts,
    list_instruments,
    load,
    open_accounts,
    set_rules,
)

DEMO = Path("config/venue.yaml").read_text()
HASH = "scrypt:16384:8:1:MfrWWxJW3Ogu8kog8s673A==:uzksHKHT+lqIh6rQTmGzBnTC0JSChMYFIGpS2kFCvHA="
KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """The demo venue with `old` replaced."""
    assert old in DEMO
    path = tmp_path / "venue.yaml"
    path.write_text(DEMO.replace(old, new, 1))
    return path


def test_the_demo_venue_says_what_the_engine_needs() -> None:
    settings = load("config/venue.yaml")
    bitcoin, ether = list_instruments(settings, time=7)
    assert (bitcoin.time, bitcoin.symbol, bitcoin.base, bitcoin.quote) == (7, "BTC-USD", "BTC", "USD")
    assert (bitcoin.tick, bitcoin.lot) == ("0.01", "0.0001")
    assert (bitcoin.base_per_lot, bitcoin.quote_per_tick_lot) == (10_000, 100)
    assert (bitcoin.max_quantity, bitcoin.max_price) == (10_000_000, 1_000_000_000)
    assert ether.symbol == "ETH-USD"
    alpha, *others = open_accounts(settings, time=7)
    assert (alpha.account, alpha.client) == ("ALPHA-1", "ALPHA")
    assert dict(alpha.balances)["USD"] == 10_000_000_000 * 10**8
    assert [other.account for other in others] == ["BRAVO-1", "CHARLIE-1"]
    assert settings.sessions["CHARLIE"].begin_string == "FIXT.1.1"
    assert settings.sessions["ALPHA"].comp_id == "ALPHA"


def test_numbers_never_pass_through_a_binary_fraction(tmp_path: Path) -> None:
    settings = load(changed(tmp_path, "ALPHA-1: {USD: 10000000000", "ALPHA-1: {USD: 9007199254.74099301"))
    assert dict(open_accounts(settings, 0)[0].balances)["USD"] == 900719925474099301


def test_a_file_without_limits_has_none() -> None:
    """Feature V4; older files stay as they were."""
    settings = load("config/venue.yaml")
    assert set_rules(settings, 7) == [SetRules(7, "BTC-USD"), SetRules(7, "ETH-USD")]
    assert limit_accounts(settings, 7)[0] == LimitAccount(7, "ALPHA-1")


def test_limits_are_exact(tmp_path: Path) -> None:
    """Feature V4"""
    rules = "min_price: 0.5, max_notional: 1000.00000001, band: 5, collar: 0.25, dynamic_band: 999.99"
    rules += ", maker_fee: 0.0001, taker_fee: 10"
    limits = "limits: {ALPHA-1: {max_open_orders: 500, max_notional: {USD: 0.00000001}}}"
    path = changed(tmp_path, "max_price: 10000000", f"max_price: 10000000, {rules}, reference_price: 50000")
    path.write_text(path.read_text().replace("ETH: 10000000}}}", f"ETH: 10000000}}}}, {limits}}}", 1))
    settings = load(path)
    assert set_rules(settings, 7) == [
        SetRules(7, "BTC-USD", 50, 100_000_000_001, 500, 25, 99_999, 5_000_000, 1, 100_000),
        SetRules(7, "ETH-USD"),
    ]
    assert limit_accounts(settings, 7) == [
        LimitAccount(7, "ALPHA-1", 500, (("USD", 1),)),
        LimitAccount(7, "BRAVO-1"),
        LimitAccount(7, "CHARLIE-1"),
    ]


def test_limits_of_many_accounts_are_written_once(tmp_path: Path) -> None:
    """The number of a range stands in the names of limits as well."""
    path = changed(
        tmp_path,
        "clients:\n",
        'clients:\n  C[1-3]: {accounts: {"C*-1": {USD: 1}}, limits: {"C*-1": {max_open_orders: 7}}}\n',
    )
    limits = {each.account: each.max_open_orders for each in limit_accounts(load(path), 0)}
    assert limits == {"C1-1": 7, "C2-1": 7, "C3-1": 7, "ALPHA-1": 0, "BRAVO-1": 0, "CHARLIE-1": 0}


# fmt: off
MISTAKES = [
    ("max_price: 10000000", "max_price: 10000000, band: 0.125",
     "instruments.BTC-USD.band: must be a percentage from 0 to 999.99, with at most two decimals, "
     "not '0.125'"),
    ("max_price: 10000000", "max_price: 10000000, collar: -1",
     "instruments.BTC-USD.collar: must be a percentage from 0 to 999.99, with at most two decimals, "
     "not '-1'"),
    ("max_price: 10000000", "max_price: 10000000, maker_fee: 0.00001",
     "instruments.BTC-USD.maker_fee: must be a percentage from 0 to 10, with at most four decimals, "
     "not '0.00001'"),
    ("max_price: 10000000", "max_price: 10000000, taker_fee: 10.0001",
     "instruments.BTC-USD.taker_fee: must be a percentage from 0 to 10, with at most four decimals, "
     "not '10.0001'"),
    ("max_price: 10000000", "max_price: 10000000, taker_fee: -0.01",
     "instruments.BTC-USD.taker_fee: must be a percentage from 0 to 10, with at most four decimals, "
     "not '-0.01'"),
    ("max_price: 10000000", "max_price: 10000000, min_price: 0.015",
     "instruments.BTC-USD.min_price: 0.015 is not a multiple of the tick 0.01"),
    ("max_price: 10000000", "max_price: 10000000, min_price: 10000000.01",
     "instruments.BTC-USD.min_price: must be at most max_price, 10000000"),
    ("max_price: 10000000", "max_price: 10000000, min_price: 5, reference_price: 4",
     "instruments.BTC-USD.reference_price: must be at least min_price, 5"),
    ("max_price: 10000000", "max_price: 10000000, reference_price: 10000001",
     "instruments.BTC-USD.reference_price: must be at most max_price, 10000000"),
    ("max_price: 10000000", "max_price: 10000000, max_notional: 0.000000001",
     "instruments.BTC-USD.max_notional: 0.000000001 is not a multiple of the smallest unit 0.00000001"),
    ("max_price: 10000000", "max_price: 10000000, max_notional: 50000000000",
     "instruments.BTC-USD.max_notional: is more than 2**62 smallest units; leave it out if any value may be"),
    ("ETH: 10000000}}}", "ETH: 10000000}}, limits: {ALPHA-2: {max_open_orders: 1}}}",
     "clients.ALPHA.limits.ALPHA-2: ALPHA-2 is not an account of client ALPHA; did you mean ALPHA-1?"),
    ("ETH: 10000000}}}", "ETH: 10000000}}, limits: {ALPHA-1: {max_open_orders: 1000001}}}",
     "clients.ALPHA.limits.ALPHA-1.max_open_orders: must be a whole number from 0 to 1000000, not '1000001'"),
    ("ETH: 10000000}}}", "ETH: 10000000}}, limits: {ALPHA-1: {max_notional: {USD: 0.000000001}}}}",
     "clients.ALPHA.limits.ALPHA-1.max_notional.USD: 0.000000001 is not a multiple of the smallest unit "
     "0.00000001"),
    ("ETH: 10000000}}}", "ETH: 10000000}}, limits: {ALPHA-1: {max_notional: {BTC: 1}}}}",
     "clients.ALPHA.limits.ALPHA-1.max_notional.BTC: BTC is not a quote of this file; known: USD"),
    ("ETH: 10000000}}}", "ETH: 10000000}}, limits: {ALPHA-1: {max_notional: {USD: 50000000000}}}}",
     "clients.ALPHA.limits.ALPHA-1.max_notional.USD: is more than 2**62 smallest units; leave it out if any "
     "value may be"),
    ("ETH: 10000000}}}", "ETH: 10000000}}, limits: {ALPHA-1: {max_notional: 1000}}}",
     "clients.ALPHA.limits.ALPHA-1.max_notional: must be a mapping of currencies, such as {USD: 1000000}, "
     "not '1000'"),
    ("begin_string: FIXT.1.1", "self_trade: cancel",
     "sessions.CHARLIE.self_trade: must be none, taker, maker, both or decrement, not 'cancel'"),
    ("auction_seconds: 0", "auction_seconds: 86401",
     "restart.auction_seconds: must be a whole number from 0 to 86400, not '86401'"),
    ("port: 9876", "port: 98765", "venue.port: must be a whole number from 0 to 65535, not '98765'"),
    ("port: 9876", "port: 0.5", "venue.port: must be a whole number from 0 to 65535, not '0.5'"),
    ("port: 9876", "prot: 9876", "venue.prot: is not a setting; did you mean port?"),
    ("port: 9876", "xyz: 1",
     "venue.xyz: is not a setting; known: comp_id, address, port"),
    ("max_quantity: 1000,", "qqqqqq: 1000,",
     "instruments.BTC-USD.qqqqqq: is not a setting; known: base, quote, tick, lot, max_quantity, "
     "max_price, node, min_price, max_notional, band and 5 more"),
    ("port: 9876", "port: [9876]",
     "venue.port: must be a whole number from 0 to 65535, not a list or mapping"),
    ("comp_id: FIXGW", "comp_id: ../FIXGW",
     "venue.comp_id: must be a name: 1 to 32 letters, digits, '.', '_' or '-', a letter or digit first, "
     "not '../FIXGW'"),
    ("address: 127.0.0.1", "address: ''",
     "venue.address: must be a text of 1 to 253 characters, not ''"),
    ("  ALPHA: {client: ALPHA,", "  ALPHA: {client: ALFA,",
     "sessions.ALPHA.client: ALFA is not a client of this file; did you mean ALPHA?"),
    ("client: BRAVO, begin_string: FIX.4.4", "client: BRAVO, comp_id: ALPHA",
     "sessions.BRAVO.comp_id: FIX.4.4 with CompID ALPHA is session ALPHA already; give it another one"),
    ("begin_string: FIXT.1.1", "begin_string: FIX.5.0SP2",
     "sessions.CHARLIE.begin_string: must be FIX.4.4 or FIXT.1.1, not 'FIX.5.0SP2'"),
    ("begin_string: FIXT.1.1", "username: charlie",
     "sessions.CHARLIE.password: a session with a username needs a password or a key"),
    ("begin_string: FIXT.1.1", "password: 'open sesame'",
     "sessions.CHARLIE.password: must be at most 64 printable ASCII characters without blanks, "
     "or a line of `fixgw passwd`, not another text"),
    ("begin_string: FIXT.1.1", "password: " + "x" * 65,
     "sessions.CHARLIE.password: must be at most 64 characters, or a line of `fixgw passwd`"),
    ("begin_string: FIXT.1.1", "password: scrypt:16384:8:1:abc",
     "sessions.CHARLIE.password: must be a whole line of `fixgw passwd`: scrypt:N:R:P:SALT:HASH"),
    ("begin_string: FIXT.1.1", f"password: {HASH.replace('16384', '536870912')}",
     "sessions.CHARLIE.password: must be a whole line of `fixgw passwd`: scrypt:N:R:P:SALT:HASH"),
    ("begin_string: FIXT.1.1", f"password: {HASH.replace('16384', '1048576')}",
     "sessions.CHARLIE.password: scrypt:N:R:P must have an N that is a power of two from 1024 on and below "
     "2**(16 x R), and an N x R x P of at most 2097152"),
    ("begin_string: FIXT.1.1", "hmac_key: c2hvcnQ=",
     "sessions.CHARLIE.hmac_key: must be the base64 text of 16 to 128 bytes, not of 5"),
    ("begin_string: FIXT.1.1", "hmac_key: abc",
     "sessions.CHARLIE.hmac_key: must be the base64 text of 16 to 128 bytes"),
    ("begin_string: FIXT.1.1", "hmac_key: '#'",
     "sessions.CHARLIE.hmac_key: must be empty or base64, not another text"),
    ("begin_string: FIXT.1.1", f"public_key: {KEY[:-4]}",
     "sessions.CHARLIE.public_key: must be the base64 text of 32 bytes, not of 30"),
    ("begin_string: FIXT.1.1", f"hmac_key: {KEY}, public_key: {KEY}",
     "sessions.CHARLIE.public_key: there is an hmac_key already; a session has one key"),
    ("  CHARLIE: {client: CHARLIE, begin_string: FIXT.1.1}",
     f"  X: {{client: ALPHA, hmac_key: {KEY}}}\n"
     f"  CHARLIE: {{client: CHARLIE, comp_id: X, begin_string: FIXT.1.1, hmac_key: {KEY}}}",
     "sessions.CHARLIE.hmac_key: session X has the same CompID and key, so a Logon signed for one would open "
     "the other; give it another key"),
    ("begin_string: FIXT.1.1", "addresses: [192.0.2.1, 192.0.2.5/24]",
     "sessions.CHARLIE.addresses: '192.0.2.5/24' is not an IP address or network; 192.0.2.0/24 or 192.0.2.5 "
     "would be right"),
    ("begin_string: FIXT.1.1", "addresses: [venue.example]",
     "sessions.CHARLIE.addresses: 'venue.example' is not an IP address or network"),
    ("begin_string: FIXT.1.1", "heartbeat_min_seconds: 400",
     "sessions.CHARLIE.heartbeat_min_seconds: must be at most heartbeat_max_seconds, 300"),
    ("begin_string: FIXT.1.1", "heartbeat_max_seconds: 0",
     "sessions.CHARLIE.heartbeat_max_seconds: must be a whole number from 1 to 3600, not '0'"),
    ("  CHARLIE: {client: CHARLIE, begin_string: FIXT.1.1}", "  CHARLIE: {begin_string: FIXT.1.1}",
     "sessions.CHARLIE.client: is missing and has no default"),
    ("  CHARLIE: {client: CHARLIE, begin_string: FIXT.1.1}", "  CHARLIE:",
     "sessions.CHARLIE: must be a mapping (name: value)"),
    ("tick: 0.01", "tick: 1e-2",
     "instruments.BTC-USD.tick: must be a plain decimal number, at most 20 digits before and 18 after "
     "the point, not '1e-2'"),
    ("tick: 0.01", "tick: 0.00", "instruments.BTC-USD.tick: must be above 0"),
    ("tick: 0.01", "tick: 0.00001",
     "instruments.BTC-USD.tick: one lot at a price of one tick is not a whole number of smallest units of "
     "USD; give USD 9 decimals"),
    ("BTC: {decimals: 8}", "BTC: {decimals: 3}",
     "instruments.BTC-USD.lot: one lot is not a whole number of smallest units of BTC; give BTC 4 decimals"),
    ("max_quantity: 1000,", "max_quantity: 0.00015,",
     "instruments.BTC-USD.max_quantity: 0.00015 is not a multiple of the lot 0.0001"),
    ("max_price: 10000000", "max_price: 0.015",
     "instruments.BTC-USD.max_price: 0.015 is not a multiple of the tick 0.01"),
    ("max_price: 10000000", "max_price: 100000000",
     "instruments.BTC-USD.max_price: max_price x max_quantity is more than 2**62 of the smallest units of "
     "USD; lower one of them, or give USD fewer decimals"),
    ("max_quantity: 1000, max_price: 10000000", "max_quantity: 100000000000, max_price: 0.01",
     "instruments.BTC-USD.max_quantity: is more than 2**62 smallest units of BTC"),
    ("base: BTC", "base: XBT",
     "instruments.BTC-USD.base: XBT is not a currency of this file; did you mean BTC?"),
    ("quote: USD", "quote: BTC", "instruments.BTC-USD.quote: BTC is the base as well; they must differ"),
    ("BRAVO-1", "ALPHA-1",
     "clients.BRAVO.accounts.ALPHA-1: ALPHA-1 is an account of client ALPHA already"),
    ("{ALPHA-1: {USD: 10000000000, BTC: 1000000, ETH: 10000000}}", "{}",
     "clients.ALPHA.accounts: must hold at least one entry"),
    ("{USD: 10000000000", "{EUR: 1",
     "clients.ALPHA.accounts.ALPHA-1.EUR: EUR is not a currency of this file; known: USD, BTC, ETH"),
    ("{USD: 10000000000", "{USD: 0.000000001",
     "clients.ALPHA.accounts.ALPHA-1.USD: 0.000000001 is not a multiple of the smallest unit 0.00000001"),
    ("{USD: 10000000000", "{USD: 40000000000",
     "clients.BRAVO.accounts.BRAVO-1.USD: brings all balances of USD to more than 2**62 smallest units"),
    ("{USD: 10000000000", "{USD: -1",
     "clients.ALPHA.accounts.ALPHA-1.USD: must be a plain decimal number, at most 20 digits before and 18 "
     "after the point, not '-1'"),
    ("instruments:\n", "store: {map_size_mib: 64, reserve_mib: 40}\ninstruments:\n",
     "store.reserve_mib: must be at most half of store.map_size_mib"),
    ("sessions:\n", "sessions: {}\nsesions:\n", "sesions: is not a setting; did you mean sessions?"),
    ("port: 9876}", "port: 9876", "line 6, column 11: expected ',' or '}', but got ':'"),
    ("port: 9876", "port: 9876, port: 1", "line 4, column 57: key 'port' is there twice"),
    ("port: 9876", "[port]: 1", "line 4, column 45: a key must be plain text"),
    ("port: 9876", "port: \x01", "YAML: unacceptable character #x0001: special characters are not allowed"),
]
# fmt: on


@pytest.mark.parametrize(("old", "new", "line"), MISTAKES)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, old: str, new: str, line: str) -> None:
    path = changed(tmp_path, old, new)
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: {line}"


def test_an_account_has_a_limit_for_each_quote(tmp_path: Path) -> None:
    """Whatever their decimals; 0 is none, and their order does not matter."""
    path = changed(tmp_path, "  ETH: {decimals: 8}", "  ETH: {decimals: 8}\n  JPY: {decimals: 0}")
    market = "  BTC-JPY: {base: BTC, quote: JPY, tick: 100, lot: 0.01, max_quantity: 1000, max_price: 9900}\n"
    text = path.read_text().replace("instruments:\n", f"instruments:\n{market}")
    for given in "{USD: 1.5, JPY: 200}", "{JPY: 200, USD: 1.5}":
        limit = f"limits: {{ALPHA-1: {{max_notional: {given}}}}}"
        path.write_text(text.replace("ETH: 10000000}}}", f"ETH: 10000000}}}}, {limit}}}", 1))
        limits = LimitAccount(7, "ALPHA-1", 0, (("JPY", 200), ("USD", 150_000_000)))
        assert limit_accounts(load(path), 7)[0] == limits
    path.write_text(path.read_text().replace("USD: 1.5", "USD: 0"))
    assert limit_accounts(load(path), 7)[0] == LimitAccount(7, "ALPHA-1", 0, (("JPY", 200),))


@pytest.mark.parametrize("section", ["currencies", "instruments"])
def test_a_section_without_default_must_be_there_and_hold_something(tmp_path: Path, section: str) -> None:
    start = DEMO.index(f"{section}:\n")
    end = DEMO.find("\n\n", start)
    block = DEMO[start : None if end < 0 else end]
    with pytest.raises(SettingsError, match=f"{section}: is missing and has no default$"):
        load(changed(tmp_path, block, ""))
    with pytest.raises(SettingsError, match=f"{section}: must hold at least one entry$"):
        load(changed(tmp_path, block, f"{section}: {{}}"))


@pytest.mark.parametrize("section", ["clients", "sessions"])
def test_only_a_node_that_is_there_for_others_has_no_clients(tmp_path: Path, section: str) -> None:
    start = DEMO.index(f"{section}:\n")
    block = DEMO[start : DEMO.index("\n\n", start)]
    for there in "", f"{section}: {{}}":
        with pytest.raises(SettingsError, match=f"{section}: must hold at least one entry, but on a node"):
            load(changed(tmp_path, block, there))
    alone = "node: {number: 2, socket: two.sock, peers: {1: {}}}"
    both = DEMO[DEMO.index("clients:\n") : DEMO.index("\n\n", DEMO.index("sessions:\n"))]
    assert not load(changed(tmp_path, both, alone)).sessions


@pytest.mark.parametrize(
    ("node", "mistake"),
    [
        ("{peers: {2: {socket: a}}}", "node.number: is missing"),
        ("{number: 1, peers: {1: {socket: a}}}", "node.peers.1: is the number of this node"),
        ("{number: 1, peers: {2: {}}}", r"node.peers.2.socket: is missing: without node.socket"),
        ("{number: 1, peers: {1000: {}}}", "node.peers.1000: must be the number of a node, 1 to 999"),
        (f"{{number: 1, socket: {'s' * 108}}}", "node.socket: is longer than the 107 bytes"),
    ],
)
def test_nodes_that_cannot_speak_with_each_other(tmp_path: Path, node: str, mistake: str) -> None:
    with pytest.raises(SettingsError, match=mistake):
        load(changed(tmp_path, "venue: {", f"node: {node}\nvenue: {{"))


@pytest.mark.parametrize(
    ("more", "mistake"),
    [
        (", node: 3}", "instruments.BTC-USD.node: 3 is not a node of node.peers of this file"),
        (", node: 2, band: 5}", "instruments.BTC-USD.band: is said on node 2, which has the market"),
    ],
)
def test_a_market_is_on_a_node_that_is_known(tmp_path: Path, more: str, mistake: str) -> None:
    path = changed(tmp_path, "max_price: 10000000}", f"max_price: 10000000{more}")
    path.write_text(path.read_text() + "\nnode: {number: 1, peers: {2: {socket: two.sock}}}\n")
    with pytest.raises(SettingsError, match=mistake):
        load(path)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.yaml: cannot be read: No such file or directory$"):
        load(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"venue: {}\n\xff\n")
    with pytest.raises(SettingsError, match=r"binary\.yaml: line 2: byte 0xff is not UTF-8 text$"):
        load(tmp_path / "binary.yaml")
    for deep in ("[" * 5000, "{a: " * 5000, "- " * 5000, "[" * 5000 + "]" * 5000):
        (tmp_path / "deep.yaml").write_text(f"venue: {deep}" if deep[0] != "-" else deep)
        with pytest.raises(SettingsError, match=r"deep\.yaml: YAML: nested too deeply$"):
            load(tmp_path / "deep.yaml")
    (tmp_path / "empty.yaml").write_text("")
    with pytest.raises(SettingsError, match=r"empty\.yaml: the file: must be a mapping"):
        load(tmp_path / "empty.yaml")
