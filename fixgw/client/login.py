"""What a client must know to log on, taken from the venue's own settings."""

from dataclasses import dataclass
from pathlib import Path

from fixgw.client.credentials import Credentials, NoLogin, credentials
from fixgw.settings import Settings


@dataclass(frozen=True)
class Login:
    host: str
    port: int
    begin_string: str
    venue_comp_id: str
    comp_id: str
    account: str
    """Account(1) of its orders"""
    credentials: Credentials


def login(
    settings: Settings,
    session: str,
    host: str = "",
    port: int = 0,
    account: str = "",
    password_file: Path | None = None,
    key_file: Path | None = None,
) -> Login:
    """The login of `session`; empty and 0 mean the venue's address and port and the first account of the
    session's client. Raises NoLogin."""
    if session not in settings.sessions:
        raise NoLogin(f"no session {session!r}; the sessions are {', '.join(settings.sessions)}")
    if not (port or settings.venue.port):
        raise NoLogin("the venue takes any free port; say which one with --port (its `ready` line names it)")
    own = settings.sessions[session]
    first = next(iter(settings.clients[own.client].accounts))
    return Login(
        host=host or settings.venue.address,
        port=port or settings.venue.port,
        begin_string=own.begin_string,
        venue_comp_id=settings.venue.comp_id,
        comp_id=own.comp_id or session,
        account=account or first,
        credentials=credentials(session, own, password_file, key_file),
    )
