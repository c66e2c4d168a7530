"""The words of `fixgw admin …`, and the request each makes: `args.request(args)`, which raises ValueError, in
words, for arguments that do not fit together."""

import argparse
from pathlib import Path

from fixgw.admin.kinds import Add, number, text
from fixgw.admin.trading_arguments import add_trading
from fixgw.admin.user_arguments import add_users
from fixgw.admin.words import (
    Block,
    Disconnect,
    EndOfDay,
    LogOut,
    Reload,
    Reset,
    Sessions,
    SetNumbers,
    Status,
)
from fixgw.store.directory import data_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Speak to the venue that runs on a data directory, through the socket in it."
    parser.add_argument("--data", type=data_path, default=Path("data"), help="the venue's data directory")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--data", type=data_path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def add(action: str, help: str, /) -> argparse.ArgumentParser:
        return actions.add_parser(action, parents=[common], help=help)

    _for_the_venue(add)
    add_trading(add)
    add_users(add)
    _for_a_session(add)


def _for_the_venue(add: Add) -> None:
    status = add("status", "sessions, markets, journal")
    status.add_argument(
        "--digest", action="store_true", help="with the digest of the state; the venue waits while it counts"
    )
    status.set_defaults(request=lambda args: Status(args.digest))
    sessions = add("sessions", "each session's state, address, numbers and counters")
    sessions.add_argument("--json", action="store_true", help="one object per line, times in UTC")
    sessions.set_defaults(request=lambda args: Sessions())
    reload = add("reload", "read the settings again and do what differs; a bad file changes nothing")
    reload.set_defaults(request=lambda args: Reload())
    end_of_day = add("end-of-day", "end the trading day now: DAY orders expire, ClOrdIDs are free")
    end_of_day.add_argument(
        "--again", action="store_true", help="end also a day that has not begun by the calendar"
    )
    end_of_day.set_defaults(request=lambda args: EndOfDay(args.again))


def _for_a_session(add: Add) -> None:
    logout = add("logout", "send a Logout; the client may log on again")
    disconnect = add("disconnect", "close the connection at once")
    block = add("block", "let no one log on, and log out who is; kept over restarts")
    unblock = add("unblock", "let its client log on again")
    numbers = add("set-seqnum", "set the next numbers of a session that is not connected")
    reset = add("reset", "both numbers begin again at 1; a client that is connected is logged out first")
    for parser in logout, disconnect, block, unblock, numbers, reset:
        parser.add_argument("session", metavar="SESSION", help="its name")
    logout.add_argument(
        "text", nargs="?", type=text, default=LogOut("").text, metavar="TEXT", help="what its client reads"
    )
    logout.set_defaults(request=lambda args: LogOut(args.session, args.text))
    disconnect.set_defaults(request=lambda args: Disconnect(args.session))
    block.set_defaults(request=lambda args: Block(args.session, on=True))
    unblock.set_defaults(request=lambda args: Block(args.session, on=False))
    numbers.add_argument("--in", dest="next_in", type=number, metavar="N", help="what its client sends next")
    numbers.add_argument(
        "--out",
        dest="next_out",
        type=number,
        metavar="N",
        help="what it is sent next; never lower than it is",
    )
    numbers.set_defaults(request=_set_numbers)
    reset.set_defaults(request=lambda args: Reset(args.session))


def _set_numbers(args: argparse.Namespace) -> SetNumbers:
    if args.next_in is None and args.next_out is None:
        raise ValueError("set-seqnum needs --in N, --out N or both")
    return SetNumbers(args.session, args.next_in, args.next_out)
