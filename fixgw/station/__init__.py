"""FIX sessions in a process of their own, beside the venue: the same door, sessions and store, and a desk
that says what they get."""
