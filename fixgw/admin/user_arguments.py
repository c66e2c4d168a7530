"""The words of `fixgw admin …` that are about accounts and shards."""

import argparse
from uuid import uuid4

import msgspec

from fixgw.admin.kinds import Add
from fixgw.admin.words import (
    Accounts,
    ChangeShard,
    Known,
    Limit,
    OpenAccount,
    PinUser,
    Resolve,
    Shards,
    Transfer,
)


def name(word: str) -> str:
    try:
        return msgspec.convert(word, Known)
    except msgspec.ValidationError:
        raise argparse.ArgumentTypeError(
            "must be 1 to 64 printable ASCII characters without blanks"
        ) from None


def limit(word: str) -> int:
    try:
        return msgspec.convert(word, Limit, strict=False)
    except msgspec.ValidationError:
        raise argparse.ArgumentTypeError("must be a whole number from 1 to 1000") from None


def add_users(add: Add) -> None:
    _money(add)
    _places(add)


def _money(add: Add) -> None:
    accounts = add("accounts", "what accounts have, in memory or not")
    accounts.add_argument(
        "names", nargs="*", type=name, metavar="ACCOUNT", help="else the first of all by name"
    )
    accounts.add_argument("--client", type=name, metavar="CLIENT", help="only its")
    accounts.add_argument("--after", type=name, metavar="ACCOUNT", help="go on after this one")
    accounts.add_argument(
        "--limit", type=limit, default=100, metavar="NUMBER", help="so many at most, 1 to 1000 (default 100)"
    )
    accounts.set_defaults(
        request=lambda args: Accounts(args.names, args.client or "", args.after or "", args.limit)
    )
    opens = add("open-account", "open an account without money")
    opens.add_argument("account", type=name, metavar="ACCOUNT")
    opens.add_argument("client", type=name, metavar="CLIENT", help="who owns it")
    opens.set_defaults(request=lambda args: OpenAccount(args.account, args.client))
    deposit = add("deposit", "put money or goods into an account")
    withdraw = add("withdraw", "take money or goods out of an account; never more than is available")
    for parser, withdraws in (deposit, False), (withdraw, True):
        parser.add_argument("account", type=name, metavar="ACCOUNT")
        parser.add_argument("amount", metavar="AMOUNT")
        parser.add_argument("currency", type=name, metavar="CURRENCY")
        parser.add_argument(
            "--id", type=name, metavar="ID", help="your own name for it: the same again changes nothing"
        )
        parser.set_defaults(request=_transfer, withdraws=withdraws)
    resolve = add("resolve", "say what counts of an account that someone else has written in the record")
    resolve.add_argument("account", type=name, metavar="ACCOUNT")
    resolve.add_argument("which", choices=("memory", "record"), help="what the venue has, or the record")
    resolve.set_defaults(request=lambda args: Resolve(args.account, args.which == "memory"))


def _transfer(args: argparse.Namespace) -> Transfer:
    reference = args.id or uuid4().hex
    return Transfer(args.account, args.amount, args.currency, reference, args.withdraws)


def _places(add: Add) -> None:
    shards = add("shards", "the shards, and how many accounts each has in memory")
    shards.set_defaults(request=lambda args: Shards())
    shard = add("shard", "a shard joins or leaves; accounts move in waves, meanwhile all go on trading")
    shard.add_argument("change", choices=("add", "remove"))
    shard.add_argument("shard", metavar="SHARD")
    shard.set_defaults(request=lambda args: ChangeShard(args.shard, args.change == "add"))
    pin = add("pin", "have an account on one shard; it moves when it has no open order")
    pin.add_argument("account", type=name, metavar="ACCOUNT")
    pin.add_argument("shard", metavar="SHARD")
    pin.add_argument("--alone", action="store_true", help="no other account that is to be alone goes there")
    pin.add_argument("--now", action="store_true", help="cancel its orders, so that it moves now")
    pin.set_defaults(request=lambda args: PinUser(args.account, args.shard, args.alone, args.now))
    unpin = add("unpin", "let the hash say where an account is")
    unpin.add_argument("account", type=name, metavar="ACCOUNT")
    unpin.set_defaults(request=lambda args: PinUser(args.account, ""))
