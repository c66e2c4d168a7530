"""`fixgw publish OUTPUT`: one output alone. `fixgw serve` starts those that are in its settings by itself."""

import argparse
import logging
import os
import sys
from importlib import import_module
from pathlib import Path

from fixgw.publish.outputs import OUTPUTS
from fixgw.settings import SettingsError, check_addresses, load, port_number
from fixgw.store.directory import check_kinds, data_path
from fixgw.store.failures import StoreError, in_words

UNUSABLE = 2
"""exit code"""
NICE = 19
"""by which it gives way to the venue"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run one output of a venue, which may run or not, in the foreground. Prints one line starting with "
        "`ready`; SIGTERM or Ctrl-C ends it. `fixgw serve` runs those that its settings ask for."
    )
    kinds = parser.add_subparsers(dest="output", required=True, metavar="OUTPUT")
    for name, output in OUTPUTS.items():
        each = kinds.add_parser(name, help=output.summary)
        each.add_argument(
            "--config", type=Path, default=Path("config/venue.yaml"), help="the venue's settings"
        )
        each.add_argument("--data", type=data_path, default=Path("data"), help="the venue's data directory")
        each.add_argument(
            "--port", type=port_number, help="TCP port instead of the configured one; 0 takes a free one"
        )
        each.add_argument("--beside", type=int, help=argparse.SUPPRESS)


def publish_command(args: argparse.Namespace) -> int:
    """Exit code: 0 after a clean stop, 2 for settings or data that cannot be used, 70 after a failure."""
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    if args.beside is not None:
        os.setpgrp()  # Ctrl-C on a terminal is for the venue
    os.nice(NICE)
    try:
        settings = load(args.config)
        check_addresses(settings, args.config)
        with in_words(args.data):
            check_kinds(args.data)
            module = import_module(OUTPUTS[args.output].module)
            return int(module.publish(settings, args.config, args.data, args.port, args.beside))
    except (SettingsError, StoreError) as problem:
        print(f"fixgw publish {args.output}: {problem}", file=sys.stderr)
        return UNUSABLE
