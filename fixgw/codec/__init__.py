"""FIX text to engine commands, engine events to FIX text. No other part of the venue knows tags."""
