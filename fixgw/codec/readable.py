"""FIX messages as lines for people, in the standard's names."""

from fixgw.codec.standard import LATEST, LAYERS, names

SECRETS = {"96", "554", "925", "1400", "1401", "1402", "1403", "1404"}
"""RawData, passwords and what belongs to them: never shown"""
_FRAME = {"8", "9", "35", "49", "52", "56", "10"}
"""left out: the same in every message, or said elsewhere"""


def readable(text: str) -> str:
    """A FIX message: `NewOrderSingle(D) 34=2 ClOrdID=A1 Side=BUY ...`. Takes any text, also a broken one."""
    pairs = [pair.partition("=") for pair in text.rstrip("\x01").split("\x01")]
    found = {tag: value for tag, _, value in pairs}
    known = names(found["8"] if found.get("8") in LAYERS else LATEST)
    msg_type = found.get("35", "?")
    words = [f"{known.messages.get(msg_type, 'Unknown')}({shown(msg_type)})"]
    for tag, _, value in pairs:
        if tag == "34":
            words.append(f"34={shown(value)}")
        elif tag not in _FRAME:
            meaning = "***" if tag in SECRETS else known.values.get((tag, value), value)
            words.append(f"{known.fields.get(tag, shown(tag))}={shown(meaning)}")
    return " ".join(words)


def printable(text: str) -> str:
    """Nothing in it moves the cursor or colours the terminal."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def shown(value: str) -> str:
    """Printable, and in quotes where blanks would make it look like two."""
    value = printable(value)
    return f'"{value}"' if " " in value else value
