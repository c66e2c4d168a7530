"""FIX sessions that get copies of the reports of others (docs/drop-copy.md)."""
