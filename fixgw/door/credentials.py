"""Whether a Logon shows who it is from: by Username(553) and Password(554), a signature, or both; and the
password its client chooses itself, NewPassword(925)."""

import hashlib
import hmac
import os

from fixgw.codec.signature import hmac_key, is_signed, public_key
from fixgw.codec.times import SECOND, nanoseconds
from fixgw.door.visit import Compute, Visit, Wrong
from fixgw.sessions.mailbox import Mailbox
from fixgw.sessions.session import Session
from fixgw.settings import Session as SessionSettings
from fixgw.settings.password import CHOSEN, CHOSEN_WORDS, LONGEST, is_hash, make_hash, matches, same


class Credentials:
    """Remembers of each password that was right a fast hash, keyed with a secret of this process: a thousand
    clients that come back at once need not wait for a thousand slow ones, and a guess at a password that is
    known costs nothing."""

    def __init__(self) -> None:
        self._secret = os.urandom(32)
        self._right: dict[str, tuple[str, bytes]] = {}
        """by session: the hash from the settings, and the fast one of its password"""

    def check(self, visit: Visit, session: Session) -> None:
        """Raises Wrong or Compute."""
        settings = session.settings
        if settings.username and not same(settings.username, visit.logon.get("553", "")):
            raise Wrong(f"session {session.name}: wrong Username")
        self._check_signature(visit, session)
        stored = password_of(settings, session.mailbox)
        if stored and not self._is_right(visit, session.name, stored):
            raise Wrong(f"session {session.name}: wrong Password")

    def new_password(self, visit: Visit, session: Session) -> tuple[str, str] | None:
        """The hash of the password the client wants from now on, and what `password_of` needs beside it; None
        if it wants none. Raises Compute."""
        if "925" not in visit.logon:
            return None
        if not visit.new_hash:

            def work() -> None:
                visit.new_hash = make_hash(visit.logon["925"])

            raise Compute(work)
        return visit.new_hash, _mark(visit.new_hash, session.settings.password)

    def _check_signature(self, visit: Visit, session: Session) -> None:
        """Fresh, and later than any before, so that a Logon that was overheard opens nothing. It counts as
        used from here on, whatever becomes of it; if it is taken, that is on disk before it is answered."""
        name, settings, last = session.name, session.settings, session.mailbox.signed
        if visit.signed or not (settings.hmac_key or settings.public_key):
            return
        key = hmac_key(settings.hmac_key) if settings.hmac_key else public_key(settings.public_key)
        if not is_signed(visit.logon, key):
            raise Wrong(f"session {name}: wrong signature, RawData(96)")
        try:
            sent = nanoseconds(visit.logon.get("52", ""))
        except ValueError:
            raise Wrong(f"session {name}: SendingTime(52) is not a UTCTimestamp") from None
        off = (sent - visit.time) / SECOND
        if abs(off) > settings.signature_seconds:
            where = "ahead of" if off > 0 else "behind"
            raise Wrong(
                f"session {name}: SendingTime(52) is {abs(off):.3f} s {where} the venue's clock; a signed "
                f"Logon may be off by {settings.signature_seconds} s"
            )
        if last and sent <= nanoseconds(last):
            raise Wrong(f"session {name}: SendingTime(52) is not later than that of the last signed Logon")
        session.mailbox.signed = visit.logon["52"]
        visit.signed = True

    def _is_right(self, visit: Visit, name: str, stored: str) -> bool:
        offered = visit.logon.get("554", "")
        if not is_hash(stored):
            return same(stored, offered)
        if not offered or len(offered) > LONGEST:
            return False
        fast = hmac.digest(self._secret, f"{stored}\x01{offered}".encode(), "sha256")
        known, right = self._right.get(name, ("", b""))
        if known == stored:
            return hmac.compare_digest(fast, right)
        checked, result = visit.checked
        if checked != stored:

            def work() -> None:
                if self._right.get(name, ("",))[0] != stored:  # perhaps it is known by now
                    visit.checked = stored, matches(offered, stored)

            raise Compute(work)
        if result:
            self._right[name] = stored, fast
        return result


def password_of(settings: SessionSettings, mailbox: Mailbox) -> str:
    """What the Password(554) of a session must be, as the settings would hold it: the one its client has
    chosen, unless the settings' own has been changed since."""
    if mailbox.password and hmac.compare_digest(
        mailbox.password_before, _mark(mailbox.password, settings.password)
    ):
        return mailbox.password
    return settings.password


def forget_replaced(settings: SessionSettings, mailbox: Mailbox) -> None:
    """The settings' password has been changed since the client chose its own: that is gone for good, also if
    the old line comes back."""
    if mailbox.password and password_of(settings, mailbox) != mailbox.password:
        mailbox.password = mailbox.password_before = ""


def objection_to_new_password(visit: Visit, session: Session) -> str:
    """Why a Logon cannot change the password like this; "" if it can or does not."""
    chosen = visit.logon.get("925")
    if chosen is None:
        return ""
    if not password_of(session.settings, session.mailbox):
        return "NewPassword(925): this session has no password"
    if not CHOSEN.match(chosen):
        return f"NewPassword(925) must be {CHOSEN_WORDS}"
    if same(visit.logon.get("554", ""), chosen):
        return "NewPassword(925) must not be the old one"
    return ""


def _mark(chosen: str, configured: str) -> str:
    """Tells whether the configured password is still the one it was, without keeping it; `chosen`, a hash
    with a salt of its own, is the key."""
    return hmac.new(chosen.encode(), configured.encode(), hashlib.sha256).hexdigest()
