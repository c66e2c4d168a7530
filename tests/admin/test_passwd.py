"""`fixgw passwd`: as a user runs it, with and without a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys

import pytest

from fixgw.settings.password import matches
from tests.process import ROOT

COMMAND = [sys.executable, "-m", "fixgw", "passwd"]
PASSWORD = "correct-horse!"


def piped(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        COMMAND, cwd=ROOT, input=text, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("text", [PASSWORD, f"{PASSWORD}\n", f"{PASSWORD}\r\n", f"{PASSWORD}\nmore\n"])
def test_a_line_of_its_input_becomes_a_line_for_the_settings(text: str) -> None:
    done = piped(text)
    assert (done.returncode, done.stderr) == (0, "")
    [line] = done.stdout.splitlines()
    assert matches(PASSWORD, line)


@pytest.mark.parametrize("text", ["", "\n", "short77\n", "with a blank\n", "x" * 65, "pässword-of-it"])
def test_one_that_no_logon_can_have_is_refused_in_words(text: str) -> None:
    done = piped(text)
    assert (done.returncode, done.stdout) == (2, "")
    said = "fixgw passwd: a password must be 8 to 64 printable ASCII characters without blanks\n"
    assert done.stderr == said


class Terminal:
    """The command at a terminal of its own."""

    def __init__(self) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            COMMAND,
            cwd=ROOT,
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # its controlling terminal
        )
        os.close(slave)
        self.shown = b""

    def wait_for(self, prompt: bytes) -> None:
        while prompt not in self.shown:
            self.shown += os.read(self._master, 1024)

    def answer(self, prompt: bytes, text: str) -> None:
        self.wait_for(prompt)
        os.write(self._master, text.encode() + b"\n")

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        os.close(self._master)
        return self.process.returncode, out, err


def test_at_a_terminal_it_asks_twice_and_shows_nothing() -> None:
    terminal = Terminal()
    terminal.answer(b"Password: ", PASSWORD)
    terminal.answer(b"The same again: ", PASSWORD)
    code, out, err = terminal.end()
    assert (code, err) == (0, "") and matches(PASSWORD, out.strip())
    assert PASSWORD.encode() not in terminal.shown


def test_two_that_differ_are_refused() -> None:
    terminal = Terminal()
    terminal.answer(b"Password: ", PASSWORD)
    terminal.answer(b"The same again: ", PASSWORD + "x")
    assert terminal.end() == (2, "", "fixgw passwd: that was not the same\n")


def test_ctrl_c_ends_it() -> None:
    terminal = Terminal()
    terminal.wait_for(b"Password: ")
    terminal.process.send_signal(signal.SIGINT)
    code, out, err = terminal.end()
    assert (code, out) == (130, "") and "Traceback" not in err
