"""The HTTP server: GET /metrics and nothing else."""

import socket
import threading
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app

PATH = "/metrics"
SECONDS = 10.0
"""that a client may take to say what it wants, and to take what it gets"""
AT_ONCE = 8
"""scrapes; whoever comes meanwhile waits for as long at most"""

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 32

    def server_bind(self) -> None:
        """Without asking a name server who we are, as http.server does."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()


class _V6Server(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = SECONDS

    def log_message(self, format: str, *args: Any) -> None:
        """A scrape is nothing to tell of."""

    def address_string(self) -> str:
        return str(self.client_address[0])


def application(registry: CollectorRegistry) -> App:
    metrics: App = make_wsgi_app(registry)
    places = threading.BoundedSemaphore(AT_ONCE)

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != PATH:
            return _refuse(start, "404 Not Found", f"there is only {PATH}")
        if environ["REQUEST_METHOD"] != "GET":
            return _refuse(start, "405 Method Not Allowed", "there is only GET", ("Allow", "GET"))
        if not places.acquire(timeout=SECONDS):
            return _refuse(start, "503 Service Unavailable", "too many scrapes at once")
        try:
            return metrics(environ, start)
        finally:
            places.release()

    return answer


def _refuse(start: Callable[..., Any], status: str, why: str, *headers: tuple[str, str]) -> Iterable[bytes]:
    start(status, [("Content-Type", "text/plain; charset=utf-8"), *headers])
    return [f"{why}\n".encode()]


def serve(address: str, port: int, registry: CollectorRegistry) -> WSGIServer:
    """Listens, and answers in threads of its own until it is shut down. Raises OSError."""
    family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
    kind = _V6Server if family == socket.AF_INET6 else _Server
    server = make_server(address, port, application(registry), kind, _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
