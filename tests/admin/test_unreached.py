"""`fixgw admin` where no venue answers: exit code 3 and one line that says what is in the way."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from fixgw.cli import main
from fixgw.store.directory import short_path


def said(directory: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["admin", "--data", str(directory), "status"]) == 3
    output, errors = capsys.readouterr()
    assert output == "" and errors.startswith("fixgw admin: ") and errors.count("\n") == 1
    return errors.removeprefix("fixgw admin: ").strip()


def bind(listener: socket.socket, directory: Path) -> None:
    with short_path(directory, "admin.sock") as path:
        listener.bind(path)


def test_no_such_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(tmp_path / "no", capsys) == f"{tmp_path}/no: there is no such directory"
    (tmp_path / "file").write_text("")
    assert said(tmp_path / "file", capsys) == f"{tmp_path}/file: is not a directory"


def test_no_socket(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(tmp_path, capsys) == f"no venue runs on {tmp_path}: there is no admin.sock in it"


def test_something_else_than_a_socket(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "admin.sock"
    path.mkdir()
    assert said(tmp_path, capsys) == f"{path}: is a directory; a socket belongs there"
    path.rmdir()
    os.mkfifo(path)
    assert said(tmp_path, capsys) == f"{path}: is a pipe; a socket belongs there"
    path.unlink()
    path.symlink_to("nowhere")
    assert said(tmp_path, capsys) == f"{path}: is a link to nowhere; a socket belongs there"


def test_the_socket_of_a_venue_that_was_killed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        bind(left, tmp_path)
    text = f"no venue runs on {tmp_path}: its admin.sock is left over from one that was killed"
    assert said(tmp_path, capsys) == text


def test_a_venue_that_does_not_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not said that there is none: what was asked may be done."""
    monkeypatch.setattr("fixgw.admin.command.PATIENCE", 0.2)
    with socket.socket(socket.AF_UNIX) as listener:
        bind(listener, tmp_path)
        listener.listen()
        late = f"the venue on {tmp_path} did not answer in time; what was asked may still be done"
        assert said(tmp_path, capsys) == late
        listener.accept()[0].close()
        monkeypatch.setattr("fixgw.admin.command.PATIENCE", 10.0)
        hanging_up = threading.Thread(target=hang_up, args=[listener])
        hanging_up.start()
        gone = f"the venue on {tmp_path} went away before it had answered; what was asked may be done"
        assert said(tmp_path, capsys) == gone
        hanging_up.join()


def hang_up(listener: socket.socket) -> None:
    line, _ = listener.accept()
    line.recv(1000)
    line.close()
