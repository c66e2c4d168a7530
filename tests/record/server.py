"""A PostgreSQL server of the tests' own, in a directory of its own, reached over a Unix socket there."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
from glob import glob
from pathlib import Path
from typing import Self
from urllib.parse import quote

import psycopg

OWNER = "owner"
"""the role of the databases, and of who sets up the server"""
PASSWORD = "correct-horse"


def binaries() -> Path | None:
    """Where the newest server is that is installed."""
    found = [Path(path) for path in glob("/usr/lib/postgresql/*/bin")]
    if found:
        return max(found, key=lambda path: float(path.parent.name))
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


class PostgresqlServer:
    """Without fsync unless `durable`, as what it holds is thrown away."""

    def __init__(self, durable: bool = False, directory: Path | None = None) -> None:
        where = binaries()
        assert where is not None
        self._binaries = where
        self._durable = durable
        self.directory = Path(tempfile.mkdtemp(prefix="fixgw-postgresql-", dir=directory))
        self._user: dict[str, object] = {}
        if os.geteuid() == 0:  # under which it refuses to run
            other = pwd.getpwnam("nobody")
            os.chown(self.directory, other.pw_uid, other.pw_gid)
            self._user = {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}
        self._data = self.directory / "data"
        self._process: subprocess.Popen[str] | None = None
        self._make()

    def _make(self) -> None:
        initdb = [self._binaries / "initdb", "--no-sync", "-U", OWNER, "-E", "UTF8", "--locale=C.UTF-8"]
        self._run(*initdb, "-A", "trust", "-D", self._data)
        (self._data / "pg_hba.conf").write_text("local all careful scram-sha-256\nlocal all all trust\n")

    def _run(self, *command: object) -> None:
        done = subprocess.run(
            [str(each) for each in command],
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
            **self._user,
        )  # type: ignore[call-overload]
        assert done.returncode == 0, done.stderr

    def __enter__(self) -> Self:
        self.start()
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE fixgw")
            connection.execute(f"CREATE ROLE careful LOGIN PASSWORD '{PASSWORD}'")
            connection.execute("GRANT CREATE ON DATABASE fixgw TO careful")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.directory)

    def url(self, database: str = "fixgw", user: str = OWNER) -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.directory), safe='')}"

    def start(self) -> None:
        sync = "on" if self._durable else "off"
        options = {"unix_socket_directories": self.directory, "listen_addresses": "", "fsync": sync}
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        self._process = subprocess.Popen(
            [str(self._binaries / "postgres"), "-D", str(self._data), *settings],
            stderr=subprocess.PIPE,
            text=True,
            cwd="/",
            **self._user,
        )  # type: ignore[call-overload]
        said = self._process.stderr
        lines = []
        for line in said:
            lines.append(line)
            if "ready to accept connections" in line:
                break
        else:
            raise AssertionError("".join(lines))
        threading.Thread(target=said.read, daemon=True).start()  # so that it never waits for a reader

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT is its fast shutdown, SIGQUIT as good as a crash."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.send_signal(how)
        self._process.wait(30)

    def freeze(self) -> None:
        """It and all its processes: connections stay and nothing is answered."""
        for each in self._processes():
            os.kill(each, signal.SIGSTOP)

    def thaw(self) -> None:
        for each in self._processes():
            os.kill(each, signal.SIGCONT)

    def _processes(self) -> list[int]:
        assert self._process is not None
        first = self._process.pid
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return [first, *map(int, children)]
