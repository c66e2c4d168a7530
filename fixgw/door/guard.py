"""Keeps a client's stream such that QuickFIX's parser stays bounded.

QuickFIX buffers whatever BodyLength(9) promises, searches without end for a trailer that never comes, and
loses its place on a BodyLength that is no number. So every BodyLength is looked at before it passes, and
both it and CheckSum(10) must turn up often enough."""

import re

_BODY_LENGTH = re.compile(rb"(?:^|\x01)9=([^\x01]*)(?=\x01)")
_CHECK_SUM = b"\x0110="
_MAX_FIELD = 65536


class Flood(Exception):
    """The stream is no sequence of messages within the limit; the text says why."""


class Guard:
    def __init__(self, limit: int) -> None:
        """`limit`: bytes of the largest message"""
        self._limit = limit
        self._held = b""
        self._without_length = 0
        self._without_trailer = 0

    def admit(self, data: bytes) -> bytes:
        """What may go on now: whole fields only, a field cut in two waits for its end. Raises Flood."""
        data = self._held + data
        end = data.rfind(b"\x01") + 1
        self._held = data[end:]
        data = data[:end]
        if len(self._held) > min(self._limit, _MAX_FIELD):
            raise Flood(f"a field of more than {len(self._held)} bytes")
        lengths = _BODY_LENGTH.findall(data)
        for text in lengths:
            if not text.isdigit():
                data = _BODY_LENGTH.sub(_zero_if_garbled, data)
            elif len(text) > 9 or int(text) > self._limit:
                raise Flood(f"BodyLength {text[:20].decode()} is above the limit of {self._limit}")
        self._without_length = 0 if lengths else self._without_length + len(data)
        self._without_trailer = 0 if _CHECK_SUM in data else self._without_trailer + len(data)
        if max(self._without_length, self._without_trailer) > self._limit + 1024:
            raise Flood(f"no whole message in {self._limit} bytes")
        return data


def _zero_if_garbled(match: re.Match[bytes]) -> bytes:
    """A BodyLength that is no number becomes 0: garbled in a way that QuickFIX ignores, as it must."""
    if match[1].isdigit():
        return match[0]
    return match[0][: match[0].index(b"9=")] + b"9=0"
