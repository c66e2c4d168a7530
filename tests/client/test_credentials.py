"""`fixgw order` and the example of docs/logon.md on sessions that ask who it is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.process import ROOT
from tests.raw import RawClient, utc_now
from tests.venue.floor import Floor, running
from tests.venue.logons import hashed

PASSWORD = "correct-horse!"
HMAC_KEY = b64encode(os.urandom(32)).decode()
PRIVATE = Ed25519PrivateKey.generate()
SESSIONS = {
    "ALPHA": {"client": "ALPHA", "username": "someone", "password": hashed(PASSWORD)},
    "BRAVO": {"client": "BRAVO", "hmac_key": HMAC_KEY},
    "CHARLIE": {
        "client": "CHARLIE",
        "begin_string": "FIXT.1.1",
        "public_key": b64encode(PRIVATE.public_key().public_bytes_raw()).decode(),
        "password": hashed(PASSWORD),
    },
}


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("floor"), sessions=SESSIONS) as floor:
        yield floor


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def order(venue: Floor) -> Run:
    def run(session: str, *options: object, password: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "fixgw", "order", "BUY", "1", "M0-USD", "@", "100"]
        command += ["--session", session, "--config", str(venue.config), "--port", str(venue.port)]
        environment = {**os.environ, "FIXGW_PASSWORD": password}
        done = subprocess.run(
            [*command, *map(str, options)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert PASSWORD not in done.stdout + done.stderr and "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.write_text(f"{PASSWORD}\n")
    return path


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key.pem"
    path.write_bytes(PRIVATE.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return path


def test_a_password_the_settings_do_not_show(order: Run, password_file: Path) -> None:
    missing = order("ALPHA")
    assert missing.returncode == 2
    assert "--password-file, or in the environment as FIXGW_PASSWORD" in missing.stderr
    assert order("ALPHA", "--password-file", password_file).returncode == 0
    assert order("ALPHA", password=PASSWORD).returncode == 0
    assert order("ALPHA", "--password-file", password_file, password="another").returncode == 0
    wrong = order("ALPHA", password="another")
    assert wrong.returncode == 3 and "password or signature are wrong" in wrong.stderr


def test_it_signs_with_the_key_of_the_settings(order: Run) -> None:
    for _ in range(2):
        assert order("BRAVO").returncode == 0


def test_it_signs_with_a_key_of_its_own(order: Run, password_file: Path, key_file: Path) -> None:
    missing = order("CHARLIE", password=PASSWORD)
    assert missing.returncode == 2 and "--key-file (PEM)" in missing.stderr
    for options in ([password_file], ["nowhere"]):
        bad = order("CHARLIE", "--key-file", *options, password=PASSWORD)
        assert bad.returncode == 2 and str(options[0]) in bad.stderr
    assert order("CHARLIE", "--key-file", key_file, "--password-file", password_file).returncode == 0


def test_the_example_of_the_documentation(venue: Floor) -> None:
    [example] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "logon.md").read_text(), re.DOTALL)
    found: dict[str, Callable[..., str]] = {}
    exec(example, found)  # type: ignore[arg-type]
    with RawClient(venue.host, venue.port, "BRAVO") as client:
        now = utc_now()
        data = found["raw_data"](HMAC_KEY, now, 1, "BRAVO", "FIXGW")
        client.send("A", [(98, 0), (108, 30), (141, "Y"), (96, data)], sending_time=now)
        client.expect("A")
        client.logout()
