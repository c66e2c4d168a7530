"""The cycle: one turn of the loop is one transaction. What came in, what it changed and what goes out for it
are on disk together, with one fsync, before anything leaves."""
