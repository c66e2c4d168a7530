"""The system of record: the database of all users behind the shards, in two kinds (docs/record.md)."""
