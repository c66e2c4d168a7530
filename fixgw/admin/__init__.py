"""The operator's hand: a Unix socket in the data directory, for its owner only."""
