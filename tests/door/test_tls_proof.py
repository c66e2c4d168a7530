"""What proves over TLS that a report has arrived: an answer, but no end of a stream, be it in good order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.door.secure import Secure, TlsMember, secure
from tests.raw import BUY
from tests.venue.floor import NEW, Member


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    with secure(tmp_path_factory.mktemp("secure")) as found:
        yield found


@pytest.fixture
def alpha(place: Secure, market: str) -> TlsMember:
    return place.member(market, "ALPHA", place.context(place.authority.issue("anyone")))


def again(member: Member) -> list[str]:
    """The orders whose reports come again after a reset: marked as such."""
    member.logon(reset=True)
    reports = [message for message in member.settle() if message.msg_type == "8"]
    assert all(message[97] == "Y" for message in reports)
    member.logout()
    return [message[11] for message in reports]


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("close_notify", [True, False])
def test_a_logout_in_good_order_proves_nothing(
    alpha: TlsMember, market: str, reads: bool, close_notify: bool
) -> None:
    """Feature 56: a close_notify is sent as well by who leaves with unread bytes, and by a stunnel whose
    client died. So a reset loses none, and may bring again what was read."""
    alpha.logon(reset=True)
    alpha.settle()
    alpha.new("a", BUY, "1", "100")
    if reads:
        alpha.told("a", NEW)
    alpha.send("5")
    if reads:
        alpha.expect("5")
    alpha.leave() if close_notify else alpha.close()
    assert alpha.id("a") in again(alpha)


def test_a_heartbeat_proves(alpha: TlsMember) -> None:
    """The one that answers the venue's TestRequest."""
    again(alpha)
    alpha.logon(heartbeat=1, reset=True)
    alpha.settle()
    alpha.new("a", BUY, "1", "100")
    alpha.told("a", NEW)
    while not any((message.get(112) or "").startswith("fixgw-") for message in alpha.received):
        alpha.receive()  # answers it
    alpha.settle()
    alpha.logout()
    assert again(alpha) == []
