"""Whom scripts are played against: a venue somewhere, or one of our own, started for it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Protocol, Self

import yaml

from acceptance.certificates import Certificates
from acceptance.folders import Folder
from acceptance.grammar import OUTPUTS
from acceptance.operating import operate
from acceptance.play import Stage
from acceptance.profile import Profile, profile_of
from acceptance.server import Server
from acceptance.values import timed

REACHED_WITHIN = 5.0
"""seconds"""
CLIENTS = ("A", "B", "C", "D")
SESSIONS = 6
"""of each client in each version"""
SYMBOLS = 1000
"""more than there are scripts: orders that one leaves behind are not in the way of the next"""
OFFERS = [
    "limit orders", "market orders", "DAY", "GTC", "IOC", "FOK", "replace", "cancel on disconnect",
    "throttle", "cancel-only", "operator", "restart", "own venue", "accounts with money", "quantity limits",
    "price limits", "stale orders refused", "ClOrdID rules", "OrderID in requests",
    "cancel by another session", "replaces to the filled quantity refused", "reports after a reset",
    "limits of HeartBtInt", "drop copy", "market data", "schedules", "TLS", "NewPassword",
    "reset by the operator", "at the close", "at the opening", "auctions", "GTD", "iceberg orders",
    "kill switch", "LastLiquidityInd", "market orders by value", "market states", "mass cancel",
    "mass status", "MinQty",
    "open order limits", "order status", "orders canceled by the operator", "phases after a restart",
    "post-only orders", "price bands", "security list", "security status", "self-trade prevention",
    "stop orders", "stop-limit orders", "trade bust", "trade correct", "trading session status",
    "value limits", "volatility halts",
]  # fmt: skip
"""what our own venue has, of what scripts may need"""


DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Unreached(Exception):
    """There is no venue to play against; one line."""


class Target(Stage, Protocol):
    profile: Profile


class Elsewhere:
    """A venue that is there already: to enter is to see that it is."""

    def __init__(self, host: str, port: int, profile: Profile) -> None:
        self.address = self.tls_address = (host, port)
        self.profile = profile

    def __enter__(self) -> Self:
        """Raises Unreached."""
        try:
            socket.create_connection(self.address, REACHED_WITHIN).close()
        except OSError as problem:
            host, port = self.address
            raise Unreached(f"no venue at {host}:{port}: {problem.strerror or problem}") from None
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def tls_context(self, certificate: str) -> ssl.SSLContext:
        if certificate:
            raise OSError("no certificate of a client is known here")
        return ssl.create_default_context()

    def output_address(self, output: str) -> tuple[str, int]:
        raise OSError(f"no port for {output} is known here")

    def admin(self, words: str) -> str | None:
        return "this venue is not ours to operate"

    def restart(self, kill: bool) -> str | None:
        return "this venue is not ours to restart"


Serve = Callable[[Path, Path, int], list[str]]
"""settings, data directory and port to the words after `python -m`"""


def fixgw(settings: Path, data: Path, port: int) -> list[str]:
    return ["fixgw", "serve", "--config", str(settings), "--data", str(data), "--port", str(port)]


class OwnVenue:
    """A venue in a directory of its own, with many sessions and symbols, gone at the end."""

    def __init__(
        self, overrides: dict[str, Any] | None = None, serve: Serve = fixgw, lacks: Collection[str] = ()
    ) -> None:
        """`overrides`: sections of settings put over its own, key by key. With a section `tls` it has a TLS
        port, with certificates of its own making. `lacks`: what it does not offer."""
        self.profile = own_profile(lacks)
        self._lacks = lacks
        self._serve = serve
        self._folder = Folder()
        self._directory = self._folder.path
        settings = merged(own_settings(), timed(overrides or {}))
        self._certificates = None
        if "tls" in settings:
            self._certificates = Certificates(self._directory)
            tls = settings["tls"]
            settings["tls"] = tls | self._certificates.settings("client_certificate" in tls)
        self._outputs = [each for each in OUTPUTS if each.replace(" ", "_") in settings]
        for section in [each.replace(" ", "_") for each in self._outputs]:
            sessions = {
                name: {"begin_string": each["begin_string"]} for name, each in settings["sessions"].items()
            }
            settings[section] = merged({"port": "0", "sessions": sessions}, settings[section])
        self._config = self._directory / "venue.yaml"
        self._config.write_text(yaml.dump(_plain(settings), Dumper=DUMPER, default_flow_style=None))
        self._server = Server(self._directory)
        self.address = self.tls_address = ("127.0.0.1", 0)

    def __enter__(self) -> Self:
        """Raises Unreached."""
        try:
            problem = self._start()
        except BaseException:
            self.__exit__()
            raise
        if problem:
            self.__exit__()
            raise Unreached(problem)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.end()
        self._folder.remove()

    def another(self, overrides: dict[str, Any]) -> OwnVenue:
        """One more of its kind, with settings of its own."""
        return OwnVenue(overrides, self._serve, self._lacks)

    def admin(self, words: str) -> str | None:
        return operate(words, self._directory / "data")

    def tls_context(self, certificate: str) -> ssl.SSLContext:
        if self._certificates is None:
            raise OSError("the venue has no TLS port: its settings need a section `tls`")
        return self._certificates.context(certificate)

    def output_address(self, output: str) -> tuple[str, int]:
        if output not in self._outputs:
            raise OSError(f"the venue has no port for {output}: its settings need such a section")
        line = self._server.told(rf"{output.replace(' ', '-')}: ready .*")
        if not line:
            raise OSError(f"the venue did not say where {output} is")
        return _place(line.split()[4])

    def restart(self, kill: bool) -> str | None:
        self._server.stop(kill)
        return self._start(self.address[1])

    def _start(self, port: int = 0) -> str | None:
        line = self._server.start(self._serve(self._config, self._directory / "data", port))
        if not line.startswith("ready"):
            return f"the venue did not start: {self._server.errors or line}"
        self.address = _place(line.split()[3])
        if self._certificates is not None:
            tls = line.split()[-1]
            if not tls.startswith("tls="):
                self._server.stop(kill=True)
                return "the venue has no TLS port"
            self.tls_address = _place(tls.removeprefix("tls="))
        return None


def _place(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host, int(port)


def session_name(client: str, version: str, number: int) -> str:
    return f"{client}{'44' if version == 'FIX.4.4' else '50'}{number}"


def own_profile(lacks: Collection[str] = ()) -> Profile:
    sessions = {
        session_name(client, version, number): {
            "begin_string": version, "client": client, "account": f"{client}-1",
        }
        for client in CLIENTS
        for version in ("FIX.4.4", "FIXT.1.1")
        for number in range(1, SESSIONS + 1)
    }  # fmt: skip
    symbols = [f"T{number:03d}" for number in range(1, SYMBOLS + 1)]
    offers = [each for each in OFFERS if each not in lacks]
    return profile_of({"sessions": sessions, "symbols": symbols, "offers": offers})


def own_settings() -> dict[str, Any]:
    market = {"base": "BTC", "quote": "USD", "tick": "0.01", "lot": "0.0001"}
    market |= {"max_quantity": "1000", "max_price": "1000000"}
    rich, some = {"USD": "10000000000", "BTC": "1000000"}, {"USD": "1000000", "BTC": "1000"}
    return {
        "currencies": {name: {"decimals": "8"} for name in ("USD", "BTC")},
        "instruments": {f"T{number:03d}": market for number in range(1, SYMBOLS + 1)},
        "clients": {
            name: {
                "accounts": {
                    f"{name}-1": rich,
                    f"{name}-1-B": some,
                    f"{name}-POOR": {"USD": "0", "BTC": "0"},
                },
                "limits": {f"{name}-1": {"max_open_orders": "0"}},
            }
            for name in CLIENTS
        },
        "sessions": {
            name: {"client": member.client, "begin_string": member.begin_string}
            for name, member in own_profile().sessions.items()
        },
        "restart": {"cancel_only_seconds": "0", "auction_seconds": "0"},
        "door": {"failed_logons_per_address": "100000"},
    }


def merged(settings: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`over` put over `settings`, at every depth. `"*"` under sessions stands for each of them."""
    made = dict(settings)
    for key, value in over.items():
        if key == "*":
            made = {name: merged(each, value) for name, each in made.items()}
        elif isinstance(value, dict) and isinstance(made.get(key), dict):
            made[key] = merged(made[key], value)
        else:
            made[key] = value
    return made


def _plain(value: Any) -> Any:
    """Scripts are text; whole numbers in settings are numbers again."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value
