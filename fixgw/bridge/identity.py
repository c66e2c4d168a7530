"""By what nodes know each other's data: numbers of messages mean nothing in another store."""

import uuid

from fixgw.cycle.operating import Operate
from fixgw.cycle.recorder import Recorder
from fixgw.store.store import Store

OWN = b"node"
"""in the store's `meta`: the name of this data, made by chance"""


class Identities:
    def __init__(self, store: Store, operate: Operate) -> None:
        self._operate = operate
        with store.write() as transaction:
            own = transaction.get(OWN, db=store.meta)
            if own is None:
                own = uuid.uuid4().hex.encode()
                transaction.put(OWN, own, db=store.meta)
        self.own = own.decode()
        self._store = store
        self._known: dict[int, str] = {}

    def recognize(self, peer: int, name: str) -> bool:
        """Whether the data is the one that the node had before; that of a new node is remembered."""
        known = self._known.get(peer) or self._read(peer)
        if known is None:
            self._operate(lambda recorder, _: self._keep(recorder, peer, name))
            known = name
        self._known[peer] = known
        return known == name

    def _read(self, peer: int) -> str | None:
        with self._store.read() as transaction:
            known = transaction.get(_key(peer), db=self._store.meta)
        return None if known is None else known.decode()

    def _keep(self, recorder: Recorder, peer: int, name: str) -> None:
        recorder.transaction.put(_key(peer), name.encode(), db=self._store.meta)


def _key(peer: int) -> bytes:
    return b"node/%d" % peer
