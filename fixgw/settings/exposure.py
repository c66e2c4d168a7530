"""Who could log on from another machine: a port that can be reached from outside is only for sessions that
have to show who they are."""

from ipaddress import ip_address

from fixgw.settings.outputs import DropCopy, MarketData
from fixgw.settings.reading import Mistake
from fixgw.settings.session import Access
from fixgw.settings.structs import Settings


def check_exposure(settings: Settings) -> None:
    """Raises Mistake for a session that anyone could log on to."""
    outside = "can be reached from outside, but session"
    advice = "or listen on 127.0.0.1"
    venue, tls = settings.venue, settings.tls
    for name, session in settings.sessions.items():
        if _has_secret(session):
            continue
        # The gate lets certificates in over TLS only; that this is meant is said by `transport: tls`.
        if session.transport != "tls" and not is_loopback(venue.address):
            raise Mistake(
                "venue.address",
                f"{venue.address} {outside} {name} has neither password nor key; give every session one, "
                f"or `transport: tls`, {advice}",
            )
        if tls.certificate and not session.certificates and not is_loopback(tls.address):
            raise Mistake(
                "tls.address",
                f"{tls.address} {outside} {name} has neither password nor key nor certificates; give every "
                f"session one of them, {advice}",
            )
    _check_output("drop_copy", settings.drop_copy)
    _check_output("market_data", settings.market_data)


def _check_output(section: str, output: DropCopy | MarketData) -> None:
    for name, session in output.sessions.items():
        shown = _has_secret(session) or (output.tls == "yes" and session.certificates)
        if not shown and not is_loopback(output.address):
            raise Mistake(
                f"{section}.address",
                f"{output.address} can be reached from outside, but session {name} has neither password nor "
                "key, nor certificates over TLS; give every session one of them, or listen on 127.0.0.1",
            )


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach `address`; a host name other than localhost counts as reachable."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _has_secret(session: Access) -> bool:
    return bool(session.password or session.hmac_key or session.public_key)
