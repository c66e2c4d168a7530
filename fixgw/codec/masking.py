"""Secrets out of a stream of FIX bytes, right or broken, before it is written anywhere."""

import re

STARS = b"***"
"""in place of a secret, whatever its length; BodyLength(9) stays as it was"""
LONGEST_FIELD = 65536
"""bytes of a field that wait for its end; the rest of a longer one is hidden, as the door does not take it"""

_MAYBE = re.compile(rb"\x01(?:[^1-9]|96\D|925\D|554\D|140[24]\D)")
"""finds that there is no secret in a third of the time _SECRET takes"""
_SECRET = re.compile(
    rb"\x01(?:[^\x01=1-9]*(?:95|1401|1403)=0*(\d{1,9})\x01)?[^\x01=1-9]*(?:96|925|554|140[24])[^\x01\d]"
)
"""RawData(96), Password(554), NewPassword(925), EncryptedPassword(1402), EncryptedNewPassword(1404) up to the
value; before those that may hold SOH their length"""
_LENGTH = re.compile(rb"[^\x01=1-9]*(?:95|1401|1403)=")
_BOUND = re.compile(rb"\x01(?:10=\d{3}\x01|8=FIX)")
"""where a message ends at the latest, whatever length it states for its data"""
_ENDS_A_MESSAGE = re.compile(rb"\x0110=\d{3}\x01\Z")
_BEGIN = re.compile(rb"(?:\A|\x01)(?=8=FIXT?\.\d\.\d\x019=)")


class Mask:
    """For one direction of one connection. Takes pieces cut anywhere and gives back whole fields."""

    def __init__(self) -> None:
        self._held = b""
        """a field whose end has not come, or a length whose data has not"""
        self._in_secret = False
        self._hidden = 0
        """bytes of the secret still to come; after them it goes on to the next SOH"""
        self._lost = False

    def take(self, data: bytes) -> bytes:
        if _ENDS_A_MESSAGE.match(data, len(data) - 8) and not (self._held or self._in_secret or self._lost):
            return self._mask(data)  # the usual case
        if self._lost:
            begin = _BEGIN.search(data)
            if begin is None:
                return b""
            data, self._lost = data[begin.end() :], False
        if self._held:
            data = self._held + data
        end = data.rfind(b"\x01") + 1
        last = data.rfind(b"\x01", 0, end - 1) + 1 if end else 0
        if _LENGTH.match(data, last, end):
            end = last
        self._held = data[end:]
        if len(self._held) > LONGEST_FIELD:
            self._held = b""
            shown = self._mask(data)
            stars = b"" if self._in_secret else STARS
            self._in_secret = True
            return shown + stars
        return self._mask(data[:end]) if end else b""

    def end(self) -> bytes:
        """What is left when the stream is over."""
        data, self._held = self._held, b""
        return self._mask(data)

    def lose(self) -> None:
        """Some bytes will never come. What is next may be the rest of a secret: the next message is taken."""
        self._held, self._in_secret, self._hidden, self._lost = b"", False, 0, True

    def _mask(self, data: bytes) -> bytes:
        text = b"\x01" + data  # as if it came after a field, which it does
        if not self._in_secret and _MAYBE.search(text) is None:
            return data
        shown: list[bytes] = []
        at, found = 1, 0
        if self._in_secret:
            at = found = self._end_of_secret(text, 0, 1 + self._hidden)
        while secret := _SECRET.search(text, found):
            start = secret.end()
            shown += [text[at:start], STARS]
            at = found = self._end_of_secret(text, start, start + int(secret[1] or 0))
        shown.append(text[at:])
        return b"".join(shown)

    def _end_of_secret(self, text: bytes, start: int, end: int) -> int:
        """Where the field ends whose value begins at `start` and should end at `end`; if that is beyond the
        text, it goes on in the next piece."""
        bound = _BOUND.search(text, start)
        found = text.find(b"\x01", end)
        stop = min(found if found >= 0 else len(text), bound.start() if bound else len(text))
        self._in_secret = stop == len(text)
        self._hidden = max(end - len(text), 0)
        return stop
