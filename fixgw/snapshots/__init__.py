"""Snapshots of the engine's state, made in a process of their own, so that a start replays a tail of the
journal and not all of it (docs/users.md, 7)."""
