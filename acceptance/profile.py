"""What is known of a target before it is certified: its sessions, what it trades, what it offers."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from acceptance.features import EVERYTHING, unknown
from fixgw.settings import SettingsError
from fixgw.settings.building import build
from fixgw.settings.kinds import Decimal as Plain
from fixgw.settings.kinds import Name
from fixgw.settings.reading import Mistake, read

Words = Annotated[list[str], Meta(extra={"words": "a list of texts"})]
Text = Annotated[str, Meta(max_length=200, extra={"words": "a text of at most 200 characters"})]
Seconds = Annotated[
    str, Meta(pattern=r"^[0-9]{1,4}\Z", extra={"words": "a whole number from 0 to 9999, seconds"})
]


class Member(Struct, frozen=True, forbid_unknown_fields=True):
    """A session the speaker may use."""

    begin_string: Literal["FIX.4.4", "FIXT.1.1"] = "FIX.4.4"
    client: Text = ""
    """sessions with one value belong to one client; default: the session's name"""
    account: Text = ""
    """Account(1) of its orders; none: the field is left out"""
    username: Text = ""
    password: Text = ""


class Profile(Struct, frozen=True, forbid_unknown_fields=True):
    sessions: dict[Name, Member]
    """by SenderCompID(49)"""
    comp_id: Name = "FIXGW"
    """the venue's, TargetCompID(56)"""
    symbols: Words = field(default_factory=lambda: ["BTC-USD"])
    """each script has one for itself while it runs"""
    price: Plain = "100"
    tick: Plain = "0.01"
    quantity: Plain = "1"
    offers: Words = field(default_factory=lambda: [EVERYTHING])
    """what scripts may need, such as `market orders`"""
    heartbeat: Seconds = "30"
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
    for name in ("sessions", "symbols"):
        if not getattr(profile, name):
            raise Mistake(name, "must name at least one")
    for name in ("price", "tick", "quantity"):
        if not Decimal(getattr(profile, name)):
            raise Mistake(name, "must be above 0")
    problem = unknown([each for each in profile.offers if each != EVERYTHING])
    if problem:
        raise Mistake("offers", problem)
    return profile
