"""A second venue, written from docs/market.md alone, as simple as can be and as slow as it likes: one list of
live orders, sorted whenever someone asks who comes first; nothing is kept that can be counted again. It
takes the engine's commands, shares no code with the engine, and says what should come out as plain data."""

from tests.engine.reference.venue import Reference as Reference
