"""The outputs there are: processes that read the log, each with a section of the settings."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fixgw.settings import Settings


class Output(NamedTuple):
    module: str
    """with publish(settings, source, directory, port, beside) -> exit code"""
    section: Callable[[Settings], Any]
    wanted: Callable[[Settings], bool]
    """whether `fixgw serve` runs it"""
    summary: str


OUTPUTS = {
    "drop-copy": Output(
        "fixgw.dropcopy.publisher",
        lambda settings: settings.drop_copy,
        lambda settings: bool(settings.drop_copy.sessions),
        "FIX sessions that get copies of the reports of others",
    ),
    "market-data": Output(
        "fixgw.marketdata.publisher",
        lambda settings: settings.market_data,
        lambda settings: bool(settings.market_data.sessions),
        "FIX sessions that subscribe to books and trades",
    ),
    "history": Output(
        "fixgw.history.publisher",
        lambda settings: settings.history,
        lambda settings: settings.history.on == "yes",
        "orders, executions and accounts in a database to be asked",
    ),
    "metrics": Output(
        "fixgw.metrics.publisher",
        lambda settings: settings.metrics,
        lambda settings: settings.metrics.on == "yes",
        "an endpoint for Prometheus",
    ),
}
