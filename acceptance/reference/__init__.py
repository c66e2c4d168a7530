"""A small FIX acceptor that can be broken on purpose, one behaviour at a time: it proves that each
certification script fails when its point is broken. It shares no code with the venue."""
