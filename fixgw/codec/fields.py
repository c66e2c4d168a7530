"""The text of one FIX message as a dict."""


def fields(text: str) -> dict[str, str]:
    """Tag to value of a whole message that QuickFIX has parsed; raises ValueError for a piece without "=".

    Of a tag that comes more than once (in repeating groups only: QuickFIX refuses it elsewhere) the last one
    counts; no group of D, F or G shares a tag with the order around it."""
    return dict([pair.split("=", 1) for pair in text[:-1].split("\x01")])


def seq_num(text: str) -> int:
    """A SeqNum that QuickFIX has taken: below 2**64, but with any number of zeros before it, which may be
    more digits than int() reads."""
    return int(text.lstrip("0")[:20] or 0)
