"""`fixgw order`: sends one request to a running venue and prints what comes back."""

import argparse
import signal
import sys
from pathlib import Path

from fixgw.client.connection import PATIENCE, Connection, Entry, NotReached
from fixgw.client.credentials import PASSWORD_VARIABLE, NoLogin
from fixgw.client.login import login
from fixgw.client.requests import (
    GRAMMAR,
    TIMES_IN_FORCE,
    Conditions,
    Misspelled,
    Request,
    check_name,
    conditions,
    new_cl_ord_id,
    parse,
)
from fixgw.codec.readable import readable
from fixgw.settings import SettingsError, load, port_number

ACCEPTED, REFUSED, MISUSED, UNREACHED, INTERRUPTED = 0, 1, 2, 3, 130
"""exit codes"""

_SESSION_LEVEL = "A01245"
"""MsgTypes not worth showing: Logon, Heartbeat, TestRequest, ResendRequest, SequenceReset, Logout"""

_PENDING = ("6", "A", "E")
"""ExecTypes of requests that the market has still to answer: Pending Cancel, New, Replace"""
_LABEL = "fixgw-order"
"""TestReqID(112): its Heartbeat comes after every report that was due"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = f"Send one order to a running venue and print its reports:\n{GRAMMAR}"
    parser.epilog = (
        "exit code: 0 accepted, 1 refused by the venue, 2 not understood here, 3 no venue or no answer"
    )
    parser.add_argument("words", nargs="+", metavar="WORD", help="the order, as above")
    parser.add_argument("--tif", choices=TIMES_IN_FORCE, default="", help="TimeInForce (default DAY)")
    parser.add_argument("--stop", default="", metavar="PRICE", help="StopPx: wait for a trade at this price")
    parser.add_argument(
        "--show",
        default="",
        metavar="QUANTITY",
        help="an iceberg: show so much at once; a REPLACE without it shows all",
    )
    parser.add_argument(
        "--least", default="", metavar="QUANTITY", help="MinQty: trade so much at once, or end"
    )
    parser.add_argument("--post-only", action="store_true", help="take nothing from the book")
    parser.add_argument(
        "--until", default="", metavar="TIME", help="GTD: YYYYMMDD, or YYYYMMDD-HH:MM:SS in UTC"
    )
    parser.add_argument("--session", default="ALPHA", help="session to log on as (default ALPHA)")
    parser.add_argument(
        "--account",
        default="",
        help="Account of a new order (default: the first of the session)",
    )
    parser.add_argument("--id", default="", metavar="CLORDID", help="ClOrdID (default: the time)")
    parser.add_argument("--config", type=Path, default=Path("config/venue.yaml"), help="the venue's settings")
    parser.add_argument("--host", default="", help="the venue's address (default: from the settings)")
    parser.add_argument(
        "--port", type=port_number, default=0, help="the venue's port (default: from the settings)"
    )
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help=f"the session's password, in its first line (default: ${PASSWORD_VARIABLE}, or the settings)",
    )
    parser.add_argument(
        "--key-file", type=Path, metavar="FILE", help="its Ed25519 private key (PEM), if it signs its Logon"
    )


def order_command(args: argparse.Namespace) -> int:
    """Returns the exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # importing quickfix took it away
    try:
        request = parse(args.words)
        told = conditions(args.tif, args.stop, args.show, args.least, args.until, args.post_only)
        cl_ord_id = check_name(args.id or new_cl_ord_id())
        account = check_name(args.account) if args.account else ""
        ours = login(
            load(args.config), args.session, args.host, args.port, account, args.password_file, args.key_file
        )
    except (Misspelled, NoLogin, SettingsError) as error:
        print(f"fixgw order: {error}", file=sys.stderr)
        return MISUSED
    connection = Connection(ours)
    exchange = _Exchange(connection, request, cl_ord_id, account)
    try:
        connection.logon()
        return exchange.run(told)
    except NotReached as error:
        print(f"fixgw order: {error}; {exchange.state}", file=sys.stderr)
        return exchange.verdict if exchange.answers else UNREACHED
    except KeyboardInterrupt:
        print(f"fixgw order: interrupted; {exchange.state}", file=sys.stderr)
        return INTERRUPTED
    finally:
        connection.logout()


class _Exchange:
    """One request, and what is known of it at any moment."""

    def __init__(self, connection: Connection, request: Request, cl_ord_id: str, account: str) -> None:
        self.answers: list[Entry] = []
        self._connection = connection
        self._request = request
        self._cl_ord_id = cl_ord_id
        self._account = connection.login.account if request.msg_type == "D" else account
        self._sent = self._pending = False

    def run(self, conditions: Conditions) -> int:
        """Prints the request and every report that follows at once; returns the exit code. Raises
        NotReached."""
        connection, request = self._connection, self._request
        body = request.body(self._cl_ord_id, self._account, conditions)
        self._sent = True
        connection.send(request.msg_type, body)
        for entry in connection.conversation(PATIENCE):
            if entry.fields["35"] not in _SESSION_LEVEL:
                print(readable(entry.text), flush=True)
            if not entry.sent and entry.fields.get("112") == _LABEL:
                return self.verdict
            if _answers(entry, self._request.is_about(self._cl_ord_id)):
                if entry.fields.get("150", "") in _PENDING:
                    self._pending = True
                    continue
                self.answers.append(entry)
                if len(self.answers) == 1:
                    connection.send("1", f"112={_LABEL}\x01")
        nothing = "nothing more" if self.answers else "no answer"
        raise NotReached(connection.why_ended if connection.ended else f"{nothing} within {PATIENCE:.0f} s")

    @property
    def verdict(self) -> int:
        """The exit code that the answers so far give."""
        return REFUSED if any(map(_refuses, self.answers)) else ACCEPTED

    @property
    def state(self) -> str:
        """What who gets no further must know: above all that an order may be live."""
        if not self._sent:
            return "nothing was sent"
        if self.answers:
            return "there may be more reports than these"
        if self._pending:
            return f"{self._cl_ord_id} is pending: its market has not answered, and it MAY BE LIVE"
        if self._request.msg_type == "D":
            return f"the order {self._cl_ord_id} was sent and MAY BE LIVE: cancel it to be sure"
        return f"the request {self._cl_ord_id} was sent and may have been carried out"


def _answers(entry: Entry, cl_ord_id: str) -> bool:
    """Reports on other orders may come too: those this session has missed."""
    return not entry.sent and (entry.fields["35"] in "3j" or entry.fields.get("11") == cl_ord_id)


def _refuses(answer: Entry) -> bool:
    """That no order is known to a status request is a refusal as well."""
    found = answer.fields
    unknown = found.get("150") == "I" and found.get("39") == "8"
    return found["35"] in "39j" or found.get("150") == "8" or found.get("531") == "0" or unknown
