"""The message log: every byte in and out of a session, in files, written beside the cycle."""
