"""Drop copy against order entry: what the one was sent must be what the other was. Both are read from what
their sessions were sent, and from nothing else."""

import re
from collections.abc import Iterator
from heapq import merge
from typing import NamedTuple

from fixgw.codec.queries import is_status
from fixgw.dropcopy.copies import COPY
from fixgw.store import outbox
from fixgw.store.keys import outbox_key, outbox_prefix
from fixgw.store.sessions import load
from fixgw.store.store import Store

_EXEC_ID = re.compile(rb"\x0117=(\d+)\x01")
_HEAD = re.compile(rb"(?:97=Y\x01)?(?:627=1\x01628=[^\x01]+\x01629=[^\x01]+\x01630=\d+\x01)?")
_PIECE = 1000
"""records read in one transaction"""


_EVERYWHERE = frozenset(b"37 11 41 17 39 1 55 54 38 40 44 59 14 151 6 31 32 12".split())
"""tags that mean the same in both versions"""
_TIME = re.compile(rb"(\x0160=[^.\x01]+)\.\d+")


class Sent(NamedTuple):
    exec_id: int
    session: str
    version: str
    body: bytes
    """without what a copy has of its own"""


class Found(NamedTuple):
    compared: int
    alone: int
    """copies whose originals are not kept any more, as the numbers of their session were reset"""
    differences: list[str]


def compare(venue: Store, copies: Store, name: str, most: int) -> Found:
    """All that the drop copy session `name` was sent; at most so many differences."""
    compared = alone = 0
    differences: list[str] = []
    originals = merge(*(_sent(venue, each, record.begin_string) for each, record in load(venue).items()))
    original = next(originals, None)
    for copy in _sent(copies, name, load(copies)[name].begin_string):
        while original is not None and original.exec_id < copy.exec_id:
            original = next(originals, None)
        if original is None or original.exec_id != copy.exec_id:
            alone += 1
            continue
        compared += 1
        if _words(original, copy) != _words(copy, original):
            differences.append(
                f"ExecID {copy.exec_id}: session {original.session} was sent {_shown(original.body)}, "
                f"the copy says {_shown(copy.body)}"
            )
        if len(differences) == most:
            break
    return Found(compared, alone, differences)


def _words(one: Sent, other: Sent) -> bytes | list[bytes]:
    """What `one` says and must be in `other` as well: all but the precision of its time, or, where the two
    speak different versions, what means the same in both."""
    if one.version == other.version:
        return _TIME.sub(rb"\1", one.body)
    return [pair for pair in one.body.split(b"\x01") if pair.partition(b"=")[0] in _EVERYWHERE]


def _sent(store: Store, session: str, version: str) -> Iterator[Sent]:
    """The reports of one session in the order of their events, each once."""
    prefix, last = outbox_prefix(session), 0
    key = outbox_key(prefix, 0, 0)
    while True:
        with store.read() as transaction:
            piece = []
            for found in outbox.from_key(store, transaction, prefix, key):
                piece.append(found)
                if len(piece) == _PIECE:
                    break
        for _, record in piece:
            exec_id = _EXEC_ID.search(record) if record.startswith(b"8\x01") else None
            if exec_id is None or is_status(record) or int(exec_id[1]) <= last:
                continue  # no report of an event, or one that came before: a possible resend
            last = int(exec_id[1])
            yield Sent(last, session, version, _own(record))
        if len(piece) < _PIECE:
            return
        key = piece[-1][0] + b"\0"  # behind it


def _own(record: bytes) -> bytes:
    body = record.split(b"\x01", 2)[2]
    return body[_HEAD.match(body).end() :].removesuffix(COPY)  # type: ignore[union-attr]


def _shown(body: bytes) -> str:
    return body.decode("ascii", "replace").rstrip("\x01").replace("\x01", "|")
