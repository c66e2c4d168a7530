"""A FIX order-entry venue: everything that touches the world (sockets, FIX, the store, people)."""

__version__ = "0.1.0"
