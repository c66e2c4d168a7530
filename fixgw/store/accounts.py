"""Whose the accounts are that this venue has had in memory, whether or not they are there now."""

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
