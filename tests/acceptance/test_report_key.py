"""The key that signs reports: made once, its owner's alone, and never guessed at."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from acceptance.report import ReportError, fingerprint, load_or_make


def pem(key: object, lock: KeySerializationEncryption | None = None) -> bytes:
    return key.private_bytes(  # type: ignore[attr-defined,no-any-return]
        Encoding.PEM, PrivateFormat.PKCS8, lock or NoEncryption()
    )


MADE = Ed25519PrivateKey.generate()
UNREADABLE = "holds no private key that can be read (PEM); it is damaged, or another file"


def test_it_is_made_at_first_use_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "report.pem"
    first = load_or_make(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith("-----BEGIN PRIVATE KEY-----\n")
    assert list(path.parent.iterdir()) == [path]
    assert fingerprint(load_or_make(path)) == fingerprint(first)


def test_processes_that_start_together_share_one_key(tmp_path: Path) -> None:
    path = tmp_path / "report.pem"
    with ThreadPoolExecutor(8) as pool:
        found = {fingerprint(key) for key in pool.map(load_or_make, [path] * 32)}
    assert len(found) == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_key_that_others_may_use_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "report.pem"
    load_or_make(path)
    path.chmod(mode)
    with pytest.raises(ReportError) as caught:
        load_or_make(path)
    assert str(caught.value) == (
        f"{path}: others may use this key (its mode is {mode:04o}); `chmod 600` makes it yours alone"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", UNREADABLE),
        (b"hello\n", UNREADABLE),
        (pem(MADE)[:60], UNREADABLE),
        (pem(MADE).replace(b"MC4C", b"MC5C"), UNREADABLE),
        (MADE.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), UNREADABLE),
        (pem(MADE, BestAvailableEncryption(b"x")), "the key is locked with a password; store it without one"),
        (
            pem(generate_private_key(SECP256R1())),
            "holds a key of another kind; reports are signed with Ed25519",
        ),
    ],
    ids=["empty", "words", "half", "damaged", "public", "locked", "another kind"],
)
def test_a_file_without_the_right_key_is_left_alone(tmp_path: Path, text: bytes, words: str) -> None:
    path = tmp_path / "report.pem"
    path.touch(0o600)
    path.write_bytes(text)
    with pytest.raises(ReportError) as caught:
        load_or_make(path)
    assert str(caught.value) == f"{path}: {words}"
    assert path.read_bytes() == text


def test_what_is_no_file_holds_no_key(tmp_path: Path) -> None:
    with pytest.raises(ReportError) as caught:
        load_or_make(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is not a file, so it holds no key"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ReportError) as caught:
        load_or_make(link)
    assert str(caught.value) == f"{link}: the key cannot be read: No such file or directory"
    (tmp_path / "file").touch()
    with pytest.raises(ReportError) as caught:
        load_or_make(tmp_path / "file" / "report.pem")
    assert str(caught.value) == f"{tmp_path}/file/report.pem: the key cannot be made here: File exists"
