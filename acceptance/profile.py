"""What is known of a target before it is certified: its sessions, what it trades, what it offers."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from msgspec import Struct, field

from fixgw.settings import SettingsError
from fixgw.settings.building import build
from fixgw.settings.kinds import Name
from fixgw.settings.reading import Mistake, read

EVERYTHING = "everything"


class Member(Struct, frozen=True, forbid_unknown_fields=True):
    """A session the speaker may use."""

    begin_string: str = "FIX.4.4"
    client: str = ""
    """sessions with one value belong to one client; default: the session's name"""
    account: str = ""
    """Account(1) of its orders; none: the field is left out"""
    username: str = ""
    password: str = ""


class Profile(Struct, frozen=True, forbid_unknown_fields=True):
    sessions: dict[Name, Member]
    """by SenderCompID(49)"""
    comp_id: Name = "FIXGW"
    """the venue's, TargetCompID(56)"""
    symbols: list[str] = field(default_factory=lambda: ["BTC-USD"])
    """each script has one for itself while it runs"""
    price: str = "100"
    tick: str = "0.01"
    quantity: str = "1"
    offers: list[str] = field(default_factory=lambda: [EVERYTHING])
    """what scripts may need, such as `market orders`"""
    heartbeat: str = "30"
    """HeartBtInt(108) of its Logons, seconds"""

    def lacks(self, needs: list[str]) -> list[str]:
        """What of it the venue does not offer."""
        return [] if EVERYTHING in self.offers else [need for need in needs if need not in self.offers]

    def tick_size(self) -> Decimal:
        return Decimal(self.tick)


def load_profile(path: Path) -> Profile:
    """Raises SettingsError, one line."""
    try:
        return profile_of(read(path))
    except Mistake as mistake:
        raise SettingsError(f"{path}: {mistake}") from None


def profile_of(content: object) -> Profile:
    """Raises Mistake."""
    profile: Profile = build(Profile, content)
    return profile
