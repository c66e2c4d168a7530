"""Whose the accounts are that this venue has had in memory, whether or not they are there now, and which ids
of deposits and withdrawals each of them has had."""

from fixgw.store.store import Store
from fixgw.store.transaction import Transaction


def note_account(store: Store, transaction: Transaction, account: str, client: str) -> None:
    transaction.put(account.encode("ascii"), client.encode("ascii"), db=store.accounts)


def client_of(store: Store, transaction: Transaction, account: str) -> str | None:
    """None if it never was in memory."""
    if not (account and account.isascii()):
        return None
    client = transaction.get(account.encode("ascii"), db=store.accounts)
    return None if client is None else client.decode()


def accounts_after(store: Store, after: str, most: int) -> list[tuple[str, str]]:
    """(account, client) of the first `most` whose name comes after `after`, in order of bytes."""
    found: list[tuple[str, str]] = []
    with store.read() as transaction, transaction.cursor(db=store.accounts) as cursor:
        more = cursor.set_range(after.encode("ascii") + b"\0")
        while more and len(found) < most:
            found.append((cursor.key().decode(), cursor.value().decode()))
            more = cursor.next()
    return found


def is_spent(store: Store, transaction: Transaction, account: str, reference: str) -> bool:
    """Whether this venue was given that id before, however long ago. The engine itself knows the last few,
    wherever they were given."""
    return transaction.get(_reference(account, reference), db=store.references) is not None


def spend_reference(store: Store, transaction: Transaction, account: str, reference: str) -> None:
    transaction.put(_reference(account, reference), b"", db=store.references)


def _reference(account: str, reference: str) -> bytes:
    return f"{account}\x01{reference}".encode("ascii")
