"""The pure part of the venue: commands in, events out; no I/O, clock, randomness, FIX text or fixgw import."""
