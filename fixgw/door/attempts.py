"""Failed Logons, counted by address and by session, and forgotten after a while. Pure: times are passed in,
as seconds of a clock that never goes back."""

from collections import OrderedDict
from ipaddress import IPv4Address, ip_address, ip_network

from fixgw.settings import Door as DoorSettings

MOST_ADDRESSES = 10_000
"""counted at a time; of more, the oldest go first"""
MOST_KNOWN = 100
"""addresses remembered of one session; of more, the ones not used for longest go first"""
_HALF = 64
"""bits of an IPv6 address that name the network of one site"""


def network_of(address: str) -> str:
    """What counts as one address: an IPv4 address, or the /64 of an IPv6 one, all of which a single machine
    has."""
    found = ip_address(address)
    found = getattr(found, "ipv4_mapped", None) or found
    if isinstance(found, IPv4Address):
        return str(found)
    return str(ip_network((int(found), _HALF), strict=False))


class _Count:
    """Failures, and until when they are remembered."""

    __slots__ = ("failures", "turned_away", "until")

    def __init__(self, until: float) -> None:
        self.until = until
        self.failures = 0
        self.turned_away = 0


class Attempts:
    """An address with too many failures is closed for a time. A session with too many takes Logons only from
    addresses it knows for a time, so that who guesses its password does not lock its client out."""

    def __init__(self, settings: DoorSettings) -> None:
        self.settings = settings
        self._addresses: OrderedDict[str, _Count] = OrderedDict()
        self._sessions: dict[str, _Count] = {}
        self._known: dict[str, OrderedDict[str, None]] = {}

    # -- addresses -----------------------------------------------------------------------------------

    def fail(self, network: str, now: float) -> bool:
        """A Logon from there was refused; True if that closes the address."""
        count = self._addresses.get(network)
        if count is None or now >= count.until:
            self._addresses.pop(network, None)
            count = self._addresses[network] = _Count(now + self.settings.failed_logon_seconds)
            if len(self._addresses) > MOST_ADDRESSES:
                self._addresses.popitem(last=False)
        return self._add(count, self.settings.failed_logons_per_address, now)

    def turns_away(self, network: str, now: float) -> bool:
        """Whether the address is closed; one more who stood before it is counted."""
        count = self._addresses.get(network)
        closed = self._is_over(count, self.settings.failed_logons_per_address, now)
        if count is not None and closed:
            count.turned_away += 1
        return closed

    def reopen(self, network: str) -> int:
        """Forgets the failures; returns how many connections were turned away."""
        count = self._addresses.pop(network, None)
        return count.turned_away if count is not None else 0

    # -- sessions ------------------------------------------------------------------------------------

    def guess(self, session: str, now: float) -> bool:
        """Someone had wrong credentials for it; True if it takes known addresses only from now on."""
        count = self._sessions.get(session)
        if count is None or now >= count.until:
            count = self._sessions[session] = _Count(now + self.settings.failed_logon_seconds)
        return self._add(count, self.settings.failed_logons_per_session, now)

    def admits(self, session: str, network: str, now: float) -> bool:
        """Whether a Logon from there is looked at now."""
        count = self._sessions.get(session)
        if not self._is_over(count, self.settings.failed_logons_per_session, now):
            return True
        return network in self._known.get(session, ())

    def welcome(self, session: str, network: str) -> None:
        """The session was logged on to from there, with the right credentials."""
        known = self._known.setdefault(session, OrderedDict())
        known[network] = None
        known.move_to_end(network)
        if len(known) > MOST_KNOWN:
            known.popitem(last=False)

    def _add(self, count: _Count, limit: int, now: float) -> bool:
        count.failures += 1
        if count.failures != limit:
            return False
        count.until = now + self.settings.failed_logon_seconds
        return True

    @staticmethod
    def _is_over(count: _Count | None, limit: int, now: float) -> bool:
        return count is not None and count.failures >= limit and now < count.until
