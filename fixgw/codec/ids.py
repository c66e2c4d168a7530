"""The texts with which clients name their orders, and whom an order does not trade with."""

MAX_ID = 64
"""characters"""


def is_id(text: str) -> bool:
    """1 to 64 printable ASCII characters without blanks: an id ends in keys, logs and other people's
    systems, and no other text was ever accepted as one."""
    return len(text) <= MAX_ID and text.isascii() and text.isprintable() and text != "" and " " not in text
