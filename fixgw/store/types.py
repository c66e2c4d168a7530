"""What the binding's types are called here."""

from typing import TYPE_CHECKING, TypeAlias

import lmdb

if TYPE_CHECKING:
    Transaction: TypeAlias = lmdb.Transaction[bytes]
    Table: TypeAlias = lmdb._Database
else:
    Transaction = lmdb.Transaction
    Table = object
