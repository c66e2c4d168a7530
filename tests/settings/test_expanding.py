"""Templates and ranges: many entries from few lines, and every mistake in them where it stands."""

from pathlib import Path

import pytest

from fixgw.settings import SettingsError, load

BASE = """
currencies: {USD: {decimals: 2}, BTC: {decimals: 8}}
instruments:
  BTC-USD: {base: BTC, quote: USD, tick: 0.01, lot: 1, max_quantity: 1000, max_price: 100000}
"""
PLAIN = (
    BASE
    + """
templates:
  retail: {messages_per_second: 50, heartbeat_min_seconds: 10, client: C*, username: u*, password: p}
  bare: {client: A}
clients:
  A: {accounts: {A-1: {USD: 1}}}
  C[08-11]: {accounts: {"C*-1": {USD: 1000}, "C*-*": {BTC: 2}}}
sessions:
  S[08-11]: {template: retail, heartbeat_min_seconds: 20, addresses: ["2001:db8::*"]}
  X: {template: bare, timestamps: microseconds}
  Y*Z: {}
"""
)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "venue.yaml"
    path.write_text(text)
    return path


def test_a_range_is_as_many_entries_each_with_its_number(tmp_path: Path) -> None:
    settings = load(written(tmp_path, PLAIN.replace("  Y*Z: {}\n", "")))
    assert list(settings.sessions) == ["S08", "S09", "S10", "S11", "X"]
    assert list(settings.clients) == ["A", "C08", "C09", "C10", "C11"]
    assert settings.clients["C09"].accounts == {"C09-1": {"USD": "1000"}, "C09-09": {"BTC": "2"}}
    session = settings.sessions["S10"]
    assert (session.client, session.comp_id, session.username) == ("C10", "S10", "u10")
    assert session.addresses == ["2001:db8::10"]


def test_a_session_goes_over_its_template_and_the_template_over_the_defaults(tmp_path: Path) -> None:
    settings = load(written(tmp_path, PLAIN.replace("  Y*Z: {}\n", "")))
    session = settings.sessions["S10"]
    assert (session.messages_per_second, session.heartbeat_min_seconds) == (50, 20)
    assert session.heartbeat_max_seconds == 300
    assert (settings.sessions["X"].timestamps, settings.sessions["X"].messages_per_second) == (
        "microseconds", 1000,
    )  # fmt: skip


def test_a_star_outside_of_a_range_is_itself(tmp_path: Path) -> None:
    """A password may hold one."""
    text = PLAIN.replace("  Y*Z: {}\n", "  Z: {client: A, password: 'a*b'}\n")
    assert load(written(tmp_path, text)).sessions["Z"].password == "a*b"


def test_a_thousand_sessions_in_one_line(tmp_path: Path) -> None:
    sessions = "clients: {A: {accounts: {A-1: {}}}}\nsessions: {'S[0001-1000]': {client: A}}\n"
    settings = load(written(tmp_path, BASE + sessions))
    assert len(settings.sessions) == 1000 and settings.sessions["S1000"].comp_id == "S1000"


MISTAKES = [
    ("template: retail", "template: retial",
     "sessions.S[08-11].template: retial is not a template of this file; did you mean retail?"),
    ("template: bare", "template: [bare]",
     "sessions.X.template: ['bare'] is not a template of this file; did you mean bare?"),
    ("messages_per_second: 50", "mesages_per_second: 50",
     "templates.retail.mesages_per_second: is not a setting of a session; did you mean messages_per_second?"),
    ("messages_per_second: 50", "template: bare",
     "templates.retail.template: is not a setting of a session; known: begin_string, comp_id, addresses, "
     "transport, certificates, username, password, hmac_key, public_key, signature_seconds and 16 more"),
    ("messages_per_second: 50", "messages_per_second: 0",
     "templates.retail.messages_per_second: must be a whole number from 1 to 1000000, not '0'"),
    ("password: p}", "password: 'p p'}",
     "templates.retail.password: must be at most 64 printable ASCII characters without blanks, or a line of "
     "`fixgw passwd`, not another text"),
    ("  bare: {client: A}", "  bare: A", "templates.bare: must be a mapping (name: value)"),
    ("  bare: {client: A}", "  bare/: {}",
     "templates.bare/: must be a name: 1 to 32 letters, digits, '.', '_' or '-', a letter or digit first, "
     "not 'bare/'"),
    ("templates:\n", "templates: none\nsesions:\n", "templates: must be a mapping (name: value)"),
    ("S[08-11]", "S[8-11]",
     "sessions.S[8-11]: [8-11] must go up, between numbers of the same width: [0001-1000]"),
    ("S[08-11]", "S[11-08]",
     "sessions.S[11-08]: [11-08] must go up, between numbers of the same width: [0001-1000]"),
    *[("S[08-11]", wrong, f"sessions.{wrong}: must hold one range such as [0001-1000] and no other bracket")
      for wrong in ("S[08..11]", "S[08-11", "S08-11]", "S[]", "S[1-2][3-4]", "S[[1-2]]")],
    ("C[08-11]", "C[8-]", "clients.C[8-]: must hold one range such as [0001-1000] and no other bracket"),
    ("  X: {template: bare, timestamps: microseconds}", "  S09: {client: A}",
     "sessions.S09: S09 is an entry of sessions.S[08-11] as well"),
    ("  X: {template: bare, timestamps: microseconds}", "  S[11-12]: {client: A}",
     "sessions.S[11-12]: S11 is an entry of sessions.S[08-11] as well"),
    ("S[08-11]", "S[00001-10001]", "sessions.S[00001-10001]: makes more than 10000 entries in all"),
    ("S[08-11]", "S[000000000-999999999]",
     "sessions.S[000000000-999999999]: makes more than 10000 entries in all"),
    ('{"C*-1": {USD: 1000}, ', '{"C*-1": {USD: 1000}, "C08-1": {USD: 1}, ',
     "clients.C08.accounts.C08-1: C08-1 is there twice, as * stands for 08"),
    ("client: C*,", "client: D*,",
     "sessions.S08.client: D08 is not a client of this file; did you mean C08?"),
    ("S[08-11]: {", "S[08-11]: {comp_id: SAME, ",
     "sessions.S09.comp_id: FIX.4.4 with CompID SAME is session S08 already; give it another one"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line"), MISTAKES)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, old: str, new: str, line: str) -> None:
    assert old in PLAIN
    path = written(tmp_path, PLAIN.replace("  Y*Z: {}\n", "").replace(old, new, 1))
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: {line}"


def test_a_star_in_a_name_without_a_range_is_no_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"sessions\.Y\*Z: must be a name: "):
        load(written(tmp_path, PLAIN))


def test_a_template_where_there_are_none(tmp_path: Path) -> None:
    text = BASE + "clients: {A: {accounts: {A-1: {}}}}\nsessions: {X: {template: retail, client: A}}\n"
    with pytest.raises(
        SettingsError, match=r"X\.template: retail is not .*: there is no section `templates`"
    ):
        load(written(tmp_path, text))
