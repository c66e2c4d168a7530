"""TLS files `fixgw serve` will not start on: one line with the place and the file, exit code 2."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from tests.door.authority import Authority
from tests.door.secure import secure
from tests.venue.floor import Floor
from tests.venue.test_starting import refused

DAY = timedelta(days=1)


def expired(authority: Authority) -> None:
    authority.issue("venue", last=-DAY / 2)


def not_yet_valid(authority: Authority) -> None:
    authority.issue("venue", first=DAY / 2)


def weak(authority: Authority) -> None:
    authority.issue("venue", weak=True)


def another_key(authority: Authority) -> None:
    (authority.directory / "venue.key").write_bytes(authority.issue("other").key.read_bytes())


def missing(name: str) -> Callable[[Authority], None]:
    return lambda authority: (authority.directory / name).unlink()


def nothing_in(name: str) -> Callable[[Authority], object]:
    return lambda authority: (authority.directory / name).write_text("nothing\n")


def broken(authority: Authority) -> None:
    path = authority.directory / "venue.pem"
    path.write_text("\n".join([*path.read_text().splitlines()[:3], "-----END CERTIFICATE-----", ""]))


def with_passphrase(authority: Authority) -> None:
    path = authority.directory / "venue.key"
    key = load_pem_private_key(path.read_bytes(), None)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))


FILES: list[tuple[Callable[[Authority], object], str]] = [
    (expired, "tls.certificate: CN=venue in {folder}/venue.pem expired on "),
    (not_yet_valid, "tls.certificate: CN=venue in {folder}/venue.pem is not valid before "),
    (weak, "tls.certificate: {folder}/venue.pem: ee key too small"),
    (another_key, "tls.key: {folder}/venue.key is not the key of {folder}/venue.pem"),
    (missing("venue.pem"),
     "tls.certificate: {folder}/venue.pem cannot be read: No such file or directory"),
    (missing("venue.key"), "tls.key: {folder}/venue.key cannot be read: No such file or directory"),
    (missing("ca.pem"), "tls.client_ca: {folder}/ca.pem cannot be read: No such file or directory"),
    (nothing_in("venue.pem"),
     "tls.certificate: {folder}/venue.pem holds no certificate that can be read (PEM)"),
    (nothing_in("venue.key"),
     "tls.key: {folder}/venue.key holds no private key without a passphrase (PEM)"),
    (nothing_in("ca.pem"), "tls.client_ca: {folder}/ca.pem holds no certificate that can be read (PEM)"),
    (broken, "tls.certificate: {folder}/venue.pem holds no certificate that can be read (PEM)"),
    (with_passphrase, "tls.key: {folder}/venue.key holds no private key without a passphrase (PEM)"),
]  # fmt: skip


def tls(directory: Path, **more: Any) -> Floor:
    authority = Authority(directory)
    authority.issue("venue", "fix.example.com")
    settings = {"certificate": "venue.pem", "key": "venue.key", "client_ca": "ca.pem", "port": 0}
    return Floor(directory, tls=settings | more)


@pytest.mark.parametrize(("spoil", "text"), FILES)
def test_a_file_that_cannot_be_used(tmp_path: Path, spoil: Callable[[Authority], object], text: str) -> None:
    venue = tls(tmp_path)
    spoil(Authority(tmp_path))
    said = refused(venue)
    assert said.startswith(f"{venue.config}: {text.format(folder=tmp_path)}"), said
    assert not venue.data.exists()


def test_a_host_whose_file_cannot_be_used(tmp_path: Path) -> None:
    """Also where a path is a whole one."""
    host = {"certificate": f"{tmp_path}/venue.pem", "key": "/dev/null/key"}
    said = refused(tls(tmp_path, hosts={"fix.example.com": host}))
    assert said.endswith(
        "venue.yaml: tls.hosts.fix.example.com.key: /dev/null/key cannot be read: Not a directory"
    )


def test_an_authority_that_has_expired(tmp_path: Path) -> None:
    """Alone; an old one beside its successor does no harm."""
    venue = tls(tmp_path)
    old = Authority(tmp_path, "old").issue("old", last=-DAY / 2).certificate.read_bytes()
    valid = (tmp_path / "ca.pem").read_bytes()
    (tmp_path / "ca.pem").write_bytes(old)
    assert "tls.client_ca: CN=old in " in refused(venue)
    (tmp_path / "ca.pem").write_bytes(old + valid)
    with venue:
        assert venue.terminate() == 0


def test_a_key_everyone_can_read_is_named(tmp_path: Path) -> None:
    """It starts, but says so."""
    with secure(tmp_path) as place:
        assert "can read" not in place.floor.errors
    (tmp_path / "venue.key").chmod(0o644)
    with Floor(tmp_path, tls={"certificate": "venue.pem", "key": "venue.key", "port": 0}) as venue:
        assert f"tls.key: every user of this machine can read {tmp_path}/venue.key" in venue.errors


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every file")
def test_a_key_that_may_not_be_read(tmp_path: Path) -> None:
    venue = tls(tmp_path)
    (tmp_path / "venue.key").chmod(0)
    assert refused(venue).endswith(f"tls.key: {tmp_path}/venue.key cannot be read: Permission denied")


def test_a_tls_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused(tls(tmp_path, port=port))
        assert said == f"cannot listen on 127.0.0.1:{port}: Address already in use"


def test_the_world_is_refused_while_anyone_could_log_on_over_tls(tmp_path: Path) -> None:
    said = refused(tls(tmp_path, address="0.0.0.0"))
    assert said.endswith(
        "venue.yaml: tls.address: 0.0.0.0 can be reached from outside, but session ALPHA has neither "
        "password nor key nor certificates; give every session one of them, or listen on 127.0.0.1"
    )
