"""The words of `fixgw admin …` that are about markets, orders and trades."""

import argparse

from engine.words import STATES
from fixgw.admin.kinds import Add, identifier, text
from fixgw.admin.words import Bust, CancelOnly, CancelOrder, Correct, Kill, MarketState

ALL = "ALL"


def add_trading(add: Add) -> None:
    market = add("market", "set the state of a market, or of ALL (docs/market.md, 7); kept over restarts")
    market.add_argument("symbol", metavar="SYMBOL", help=f"its Symbol, or {ALL}")
    market.add_argument("state", choices=STATES)
    market.set_defaults(request=_market)
    cancel_only = add("cancel-only", "refuse new orders and replaces, let cancels pass; kept over restarts")
    cancel_only.add_argument("switch", choices=("on", "off"))
    cancel_only.add_argument("symbol", nargs="?", metavar="SYMBOL", help="one market; else all")
    cancel_only.set_defaults(request=_cancel_only)
    kill = add("kill", "cancel all orders of an account, a client or the venue, and refuse new ones")
    kill.add_argument("scope", choices=("account", "client", "venue"))
    kill.add_argument("name", nargs="?", default="", metavar="NAME", help="of the account or client")
    kill.add_argument("--off", action="store_true", help="take orders again")
    kill.set_defaults(request=_kill)
    cancel = add("cancel", "cancel one order")
    cancel.add_argument("order_id", type=identifier, metavar="ORDERID", help="its OrderID(37)")
    _with_text(cancel, CancelOrder(1).text)
    cancel.set_defaults(request=lambda args: CancelOrder(args.order_id, args.text))
    bust = add("bust", "take a trade back; the quantity does not come back to the book")
    correct = add("correct", "give a trade another price, or a lower quantity")
    for parser in bust, correct:
        parser.add_argument("exec_id", type=identifier, metavar="EXECID", help="ExecID(17) of either side")
    _with_text(bust, Bust(1).text)
    bust.set_defaults(request=lambda args: Bust(args.exec_id, args.text))
    correct.add_argument("--price", default="", metavar="PRICE")
    correct.add_argument("--quantity", default="", metavar="QUANTITY")
    _with_text(correct, Correct(1).text)
    correct.set_defaults(request=_correct)


def _with_text(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument("--text", type=text, default=default, metavar="TEXT", help="what clients read")


def _market(args: argparse.Namespace) -> MarketState:
    if not args.symbol:
        raise ValueError(f"an empty SYMBOL; say {ALL} to mean all markets")
    return MarketState(args.state, "" if args.symbol == ALL else args.symbol)


def _cancel_only(args: argparse.Namespace) -> CancelOnly:
    if args.symbol == "":
        raise ValueError("an empty SYMBOL; leave it out to mean all markets")
    return CancelOnly(args.switch == "on", args.symbol or "")


def _kill(args: argparse.Namespace) -> Kill:
    if (args.scope == "venue") == bool(args.name):
        needs = "stands alone" if args.scope == "venue" else "needs its NAME"
        raise ValueError(f"kill {args.scope} {needs}")
    return Kill(args.scope, args.name, not args.off)


def _correct(args: argparse.Namespace) -> Correct:
    if not (args.price or args.quantity):
        raise ValueError("correct needs --price PRICE, --quantity QUANTITY or both")
    return Correct(args.exec_id, args.quantity, args.price, args.text)
