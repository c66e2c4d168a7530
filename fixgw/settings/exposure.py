"""Who could log on from another machine: a port that can be reached from outside is only for sessions that
have to show who they are."""

from ipaddress import ip_address

from fixgw.settings.reading import Mistake
from fixgw.settings.session import Session
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


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach `address`; a host name other than localhost counts as reachable."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _has_secret(session: Session) -> bool:
    return bool(session.password or session.hmac_key or session.public_key)
