"""Time as people keep it: trading days and sessions by clocks of a place. Pure: time is passed in, always as
nanoseconds since the epoch, UTC; nothing here reads a clock."""
