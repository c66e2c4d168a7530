"""Orders and events in a few words."""

from __future__ import annotations

from tests.engine.reference.world import Said


def place(name: str, shown: int, left: int, price: int) -> str:
    hidden = f" of {left}" if shown != left else ""
    return f"{name} {shown}{hidden} @ {price}"


def words(event: Said) -> str:
    match event["event"]:
        case "Execution":
            return words_of_order(event)
        case "StateSet":
            reason = f" ({event['reason']})" if event["reason"] else ""
            return f"{event['symbol']} is {event['state']}{reason}"
        case "Indicative":
            return f"would trade {event['quantity']} @ {event['price']}, surplus {event['surplus']}"
        case "ManyCanceled":
            return f"{event['count']} canceled for {event['cl_ord_id']}"
        case "DayEnded":
            return f"{event['day']} begins"
        case "KillSet":
            return f"kill {event['scope']} {event['name']} {'on' if event['on'] else 'off'}"
    return str(event["event"])


def words_of_order(event: Said) -> str:
    name, end = event["cl_ord_id"], f": {event['text']}" if event["text"] else ""
    last = f"{event['last_quantity']} @ {event['last_price']}"
    filled = f"{event['cum_quantity']} filled of {event['quantity']}"
    left = f"{event['leaves_quantity']} left"
    return {
        "0": f"{name} new",
        "F": f"{name} trades {last}, {left}",
        "4": f"{name} canceled{end}",
        "5": f"{name} replaces {event['orig_cl_ord_id']}: {event['quantity']} @ {event['price']}, {left}",
        "C": f"{name} expired{end}",
        "L": f"{name} triggered",
        "D": f"{name} restated to {event['quantity']}, {left}",
        "G": f"{name} corrected to {last}, {filled}",
        "H": f"{name} busted {last}, {filled}",
    }[event["exec_type"]]
