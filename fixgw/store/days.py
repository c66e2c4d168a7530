"""What is kept by trading day: the ClOrdIDs that were spent and how orders ended. A day's tables are dropped
whole after `clordid_days` days, so nothing is searched or deleted one by one."""

from fixgw.store.keys import NUMBER, clordid_key, number_key, number_of
from fixgw.store.store import Store
from fixgw.store.transaction import Table, Transaction

CLORDIDS = "clordids/"
ENDED = "ended/"


class Days:
    """The tables of the current trading day and of those before it that are kept."""

    def __init__(self, store: Store, kept: int) -> None:
        """`kept`: trading days kept besides the current one, 0 or more."""
        self._store = store
        self._kept = kept
        self.day = ""
        self._clordids: list[Table] = []
        self._ended: list[Table] = []

    def open(self, transaction: Transaction, day: str) -> None:
        """Makes `day` (YYYY-MM-DD) the current one and drops what is too old."""
        self.day = day
        days = sorted(self._days_in(transaction) | {day}, reverse=True)
        self._clordids = [self._table(transaction, CLORDIDS + name) for name in days[: self._kept + 1]]
        self._ended = [self._table(transaction, ENDED + name) for name in days[: self._kept + 1]]
        for name in days[self._kept + 1 :]:
            for kind in (CLORDIDS, ENDED):
                transaction.drop(self._table(transaction, kind + name))

    def _table(self, transaction: Transaction, name: str) -> Table:
        return self._store.table(name.encode(), transaction)

    def spend(self, transaction: Transaction, key: bytes, sequence: int) -> bool:
        """Marks a ClOrdID as used today by the command of that journal sequence; False if it was already.
        Check and mark are one step (feature 11)."""
        return bool(transaction.put(key, number_key(sequence), overwrite=False, db=self._clordids[0]))

    def keep_id(self, transaction: Transaction, client: str, cl_ord_id: str, order_id: int) -> None:
        """The ClOrdID of an order that has outlived days counts as used on the day it ends: by it the order
        is still found when the day on which it came is not kept any more."""
        key = clordid_key(client, cl_ord_id)
        transaction.put(key, number_key(order_id), overwrite=False, db=self._clordids[0])

    def is_spent(self, transaction: Transaction, key: bytes) -> bool:
        """Today."""
        return transaction.get(key, db=self._clordids[0]) is not None

    def spent_at(self, transaction: Transaction, client: str, cl_ord_id: str) -> int | None:
        """The journal sequence of the command that used this ClOrdID, today or on a kept day."""
        key = clordid_key(client, cl_ord_id)
        for table in self._clordids:
            found = transaction.get(key, db=table)
            if found is not None:
                return number_of(found)
        return None

    def end_order(self, transaction: Transaction, order_id: int, status: str, sequence: int) -> None:
        """`sequence`: of the journal entry with the order's last event."""
        transaction.put(number_key(order_id), number_key(sequence) + status.encode(), db=self._ended[0])

    def ended(self, transaction: Transaction, order_id: int) -> tuple[int, str] | None:
        """(journal sequence, OrdStatus(39)) with which an order ended, today or on a kept day."""
        for table in self._ended:
            found = transaction.get(number_key(order_id), db=table)
            if found is not None:
                return number_of(found[:NUMBER]), found[NUMBER:].decode()
        return None

    def _days_in(self, transaction: Transaction) -> set[str]:
        names = self._store.table_names(transaction)
        return {name.removeprefix(CLORDIDS) for name in names if name.startswith(CLORDIDS)}
