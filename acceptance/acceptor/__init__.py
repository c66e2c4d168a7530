"""The other direction: a venue that certifies clients."""
