"""What a file that was read again says otherwise: what is done at once, what asks for a new logon, what waits
for a restart, and what is refused."""

from pathlib import Path

import pytest

from fixgw.settings import load
from fixgw.settings.difference import Difference, difference
from fixgw.settings.reading import Mistake

REFERENCE = Path("config/reference.yaml").read_text()


def after(tmp_path: Path, *changes: tuple[str, str]) -> Difference:
    """The reference with these changes, in the order given, against the reference."""
    text = REFERENCE
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    path = tmp_path / "venue.yaml"
    path.write_text(text)
    return difference(load("config/reference.yaml"), load(path))


def test_the_same_file_changes_nothing(tmp_path: Path) -> None:
    found = after(tmp_path)
    assert found == Difference(found.settings, [], [], [], [], {}, {})
    assert found.settings == load("config/reference.yaml")


@pytest.mark.parametrize(
    ("change", "line"),
    [(("messages_per_second: 1000", "messages_per_second: 500"), "messages_per_second 1000 -> 500"),
     (('username: ""\n    # Pass', 'username: me\n    # Pass'), 'username "" -> me, password changed'),
     (("addresses: []", "addresses: [192.0.2.1, 192.0.2.2]"), "addresses [] -> [192.0.2.1, 192.0.2.2]"),
     (("addresses: []", f"addresses: [{', '.join(['192.0.2.1'] * 9)}]"), "addresses changed"),
     (('hmac_key: ""', f"hmac_key: {'QUJD' * 8}"), "hmac_key changed"),
     (("post_only: refuse", "post_only: slide"), "post_only refuse -> slide"),
     (("self_trade: none", "self_trade: both"), "self_trade none -> both"),
     (('cancel_gtc: "no"', 'cancel_gtc: "yes"'), "cancel_gtc no -> yes")],
)  # fmt: skip
def test_limits_and_credentials_change_at_once_and_no_secret_is_shown(
    tmp_path: Path, change: tuple[str, str], line: str
) -> None:
    more = [('password: ""', "password: hidden")] if "password" in line else []
    found = after(tmp_path, change, *more)
    assert found.changed == {"ALPHA": f"~ session ALPHA: {line}"}
    assert not (found.rebuilt or found.added or found.removed or found.sections or found.not_taken)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("begin_string: FIX.4.4", "begin_string: FIXT.1.1", "begin_string FIX.4.4 -> FIXT.1.1"),
     ('comp_id: ""', "comp_id: OTHER", "comp_id ALPHA -> OTHER"),
     ("max_latency_seconds: 120", "max_latency_seconds: 5", "max_latency_seconds 120 -> 5"),
     ("timestamps: milliseconds", "timestamps: nanoseconds", "timestamps milliseconds -> nanoseconds")],
)  # fmt: skip
def test_what_a_session_was_built_with_asks_for_a_new_logon(
    tmp_path: Path, old: str, new: str, line: str
) -> None:
    found = after(tmp_path, (old, new))
    assert found.rebuilt == {"ALPHA": f"~ session ALPHA: {line}"} and not found.changed


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("comp_id: FIXGW", "comp_id: OTHER", "venue.comp_id: FIXGW -> OTHER"),
     ("address: 127.0.0.1", "address: 127.0.0.2", "venue.address: 127.0.0.1 -> 127.0.0.2"),
     ("port: 9876", "port: 9875", "venue.port: 9876 -> 9875"),
     ("port: 9877", "port: 9878", "tls.port: 9877 -> 9878"),
     ("backlog: 512", "backlog: 5", "door.backlog: 512 -> 5"),
     ("reserve_mib: 64", "reserve_mib: 65", "store.reserve_mib: 64 -> 65"),
     ("messages: 512", "messages: 5", "cycle.messages: 512 -> 5"),
     ("file_mib: 64", "file_mib: 65", "message_log.file_mib: 64 -> 65")],
)  # fmt: skip
def test_what_needs_a_restart_is_said_and_stays(tmp_path: Path, old: str, new: str, line: str) -> None:
    found = after(tmp_path, (old, new), ("connections: 2000", "connections: 3"))
    assert found.not_taken == [f"! {line} needs a restart"]
    assert found.sections == ["~ door: connections 2000 -> 3"]
    before = load("config/reference.yaml")
    section = line.partition(".")[0]
    if section != "door":
        assert getattr(found.settings, section) == getattr(before, section)
    assert (found.settings.door.connections, found.settings.door.backlog) == (3, 512)


def test_the_next_start_goes_by_other_times(tmp_path: Path) -> None:
    found = after(tmp_path, ("auction_seconds: 5", "auction_seconds: 60"))
    assert found.sections == ["~ restart: auction_seconds 5 -> 60"] and not found.not_taken


def test_schedules_come_and_go(tmp_path: Path) -> None:
    found = after(tmp_path, ("  WEEKDAYS:\n", "  NIGHT: {start: '22:00'}\n  WEEKDAYS:\n"))
    assert found.sections == ["+ schedule NIGHT"]
    found = after(tmp_path, ("  WEEKDAYS:\n", "  NIGHT:\n"))
    assert found.sections == ["- schedule WEEKDAYS", "+ schedule NIGHT"]
    found = after(tmp_path, ('end: "00:00"\n    # days', 'end: "17:00"\n    # days'))
    assert found.sections == ["~ schedule WEEKDAYS: end 00:00 -> 17:00"]


def test_first_balances_are_given_once(tmp_path: Path) -> None:
    found = after(tmp_path, ("ALPHA-1: {USD: 1000000, BTC: 100}", "ALPHA-1: {USD: 2000000, BTC: 100}"))
    assert found.not_taken == ["! account ALPHA-1: it was opened with other balances, and keeps what it has"]


def test_money_keeps_its_meaning(tmp_path: Path) -> None:
    with pytest.raises(Mistake) as caught:
        after(tmp_path, ("BTC: {decimals: 8}", "BTC: {decimals: 9}"))
    assert str(caught.value) == (
        "currencies.BTC.decimals: 8 -> 9 would change the money there is; add a currency of another name"
    )
