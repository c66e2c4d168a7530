"""What a venue that was killed has left in the tail, for those who only read."""

from collections.abc import Iterator
from contextlib import closing

from fixgw.store.failures import StoreError
from fixgw.store.keys import number_key, number_of
from fixgw.store.store import COMMITS, OWNER, Store, decode_redo
from fixgw.store.tail import Tail


def leftover(store: Store) -> Iterator[tuple[bytes, bytes]]:
    """(name of the table, key) of each value that the database does not have yet. Of a venue that runs it
    will have them in a moment, of one that does not with the next start."""
    with store.read() as transaction:
        commits = number_of(transaction.get(COMMITS, db=store.meta) or number_key(0))
        owner = transaction.get(OWNER, db=store.meta) or b""
    try:
        with closing(Tail(store.directory / "tail", owner, readonly=True)) as tail:
            for payload in tail.records(commits):
                for table, key, value in decode_redo(payload):
                    if value is not None:
                        yield table, key
    except StoreError:
        return  # a tail that is lost or damaged: the next start says what that means
