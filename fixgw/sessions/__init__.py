"""Sessions: QuickFIX holds the numbers, heartbeats, validation and gap detection of every session;
what a session was sent, and will be sent again, comes from the outbox."""
