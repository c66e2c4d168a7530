"""Users come from the record and go back to it, outside of the cycle (docs/users.md, 2)."""
