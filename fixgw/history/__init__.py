"""Orders, executions and accounts in a database that can be asked (docs/history.md)."""
