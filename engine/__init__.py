"""The pure part of the venue: commands in, events out. No I/O, clock, randomness, FIX text, fixgw import."""
