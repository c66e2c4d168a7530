"""Words, profiles and fingerprints that cannot be used: one line each, exit code 2, and nothing is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.report import load_or_make, write
from fixgw.cli import main
from tests.acceptance.runs import passed, run
from tests.acceptance.test_certify import ORDER, written

PROFILE = "sessions:\n  ALPHA: {account: ALPHA-1}\n"
THERE = ("--target", "127.0.0.1:1")
SESSION = (*THERE, "--session", "ALPHA")


def certify(*words: object) -> int:
    """The exit code, also where the words are no command at all."""
    try:
        return main(["certify", *map(str, words)])
    except SystemExit as end:
        return int(end.code or 0)


MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("--jobs", "0"), "--jobs: must be a whole number from 1 to 1000, not '0'"),
    (("--jobs", "many"), "--jobs: must be a whole number from 1 to 1000, not 'many'"),
    (("--patience", "nan"), "--patience: must be seconds, above 0 and at most a day, not 'nan'"),
    (("--patience", "inf"), "--patience: must be seconds, above 0 and at most a day, not 'inf'"),
    (("--acceptor", "--wait", "0"), "--wait: must be seconds, above 0 and at most a day, not '0'"),
    (("--acceptor", "--port", "99999"), "--port: must be a port from 0 to 65535, not '99999'"),
    (("--acceptor", "--client-id", "A:FIX.4.9"), "--client-id: 'FIX.4.9' is none of FIX.4.4, FIXT.1.1"),
    (("--acceptor", "orders"), "PATH: goes with a venue, not with --acceptor; use --scenario NAME"),
    (("--acceptor", "--target", "x:1"), "--target: does not go with --acceptor"),
    (("--acceptor", "--jobs", "2"), "--jobs: does not go with --acceptor"),
    (("--scenario", "gap"), "--scenario: goes with --acceptor"),
    (("--unattended",), "--unattended: goes with --acceptor"),
    (("--port", "9880"), "--port: goes with --acceptor"),
    (("--fingerprint", "sha256:" + "0" * 64), "--fingerprint: goes with --verify"),
    (("--key", "k.pem"), "--key: goes with --report"),
    (("--session", "ALPHA"), "--session: goes with --target"),
    (("--profile", "p.yaml"), "--profile: goes with --target"),
    ((*THERE, "--profile", "p.yaml", "--session", "A"), "--session: does not go with --profile"),
    ((*THERE, "--session", "A:FIX.4.9"), "--session: 'FIX.4.9' is none of FIX.4.4, FIXT.1.1"),
    (("--target", "a..b:80", "--session", "A"), "--target: must be HOST:PORT, not 'a..b:80'"),
    (("--target", "h:70000", "--session", "A"), "--target: must be HOST:PORT, not 'h:70000'"),
    (("--target", "::1:80", "--session", "A"), "must be [ADDRESS]:PORT for IPv6, not '::1:80'"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=[" ".join(words) for words, _ in MISTAKES])
def test_words_that_cannot_be_meant(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert certify(*words) == 2
    shown = capsys.readouterr()
    assert said in shown.err.splitlines()[-1] and not shown.out


PROFILES = [
    ("tick: abc\n", "tick: must be a plain decimal number"),
    ('tick: "0"\n', "tick: must be above 0"),
    ("price: cheap\n", "price: must be a plain decimal number"),
    ("quantity: -1\n", "quantity: must be a plain decimal number"),
    ("heartbeat: soon\n", "heartbeat: must be a whole number from 0 to "),
    ("symbols: BTC\n", "symbols: must be a list of texts, not 'BTC'"),
    ("symbols: []\n", "symbols: must name at least one"),
    ("offers: limit orders\n", "offers: must be a list of texts, not 'limit orders'"),
    ("offers: [markt orders]\n", "offers: 'markt orders' is no feature; did you mean market orders?"),
]


@pytest.mark.parametrize(("more", "said"), PROFILES)
def test_a_profile_that_cannot_be_used(
    tmp_path: Path, more: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = written(tmp_path, more, "p.yml", PROFILE)
    assert certify(written(tmp_path), *THERE, "--profile", profile) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"fixgw certify: {profile}: ") and said in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sessions: {}\n", "sessions: must name at least one"),
        ("sessions:\n  A: {account: [x]}\n", "account: must be a text of at most 200 characters, not a list"),
        (
            "sessions:\n  A: {password: [x]}\n",
            "password: must be a text of at most 200 characters, not a",
        ),
        (
            "sessions:\n  A: {begin_string: FIX.4.9}\n",
            "begin_string: must be FIX.4.4 or FIXT.1.1, not 'FIX.4.9'",
        ),
    ],
)
def test_a_profile_without_a_session_that_can_be_used(
    tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = written(tmp_path, name="p.yml", text=text)
    assert certify(written(tmp_path), *THERE, "--profile", profile) == 2
    assert said in capsys.readouterr().err


NEEDS = "# markt orders\nneeds: [limit orders, markt orders]\n"


def test_a_need_that_no_script_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A typo would make the script one that is not offered, anywhere and for ever."""
    script = written(tmp_path, text=NEEDS + ORDER)
    assert certify(script, "--list") == 2
    said = f"{script}:2: needs: 'markt orders' is no feature; did you mean market orders?"
    assert capsys.readouterr().err == f"fixgw certify: {said}\n"


def test_a_folder_without_scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify(tmp_path) == 2
    assert f"{tmp_path}: holds no scripts" in capsys.readouterr().err


def test_a_target_by_its_ipv6_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify(written(tmp_path), "--target", "[::1]:1", "--session", "ALPHA") == 3
    assert "no venue at ::1:1: " in capsys.readouterr().err


def test_a_place_for_the_report_is_looked_at_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not after an hour of scripts: here there is not even a venue."""
    script, key, taken = written(tmp_path), tmp_path / "k.pem", written(tmp_path, name="file")
    assert certify(script, *SESSION, "--report", taken, "--key", key) == 2
    assert f"{taken}: the report cannot be written: " in capsys.readouterr().err
    key.write_text("nothing")
    for more in ([], ["--acceptor"]):
        words = more or [script, *SESSION]
        assert certify(*words, "--report", tmp_path / "r", "--key", key) == 2
        assert "holds no private key" in capsys.readouterr().err


def test_a_list_moves_no_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify(written(tmp_path, text=ORDER.replace("An order", '"\\e[31mAn order"')), "--list") == 0
    assert capsys.readouterr().out.rstrip("\n").isprintable()


def test_a_fingerprint_is_compared_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write(run(passed()), tmp_path / "out", load_or_make(tmp_path / "k.pem"))
    assert certify("--verify", paths[0]) == 0
    digits = capsys.readouterr().out.split("sha256:")[1].split(";")[0]
    for right in (f"sha256:{digits}", digits, digits.upper(), f"SHA256:{digits} "):
        assert certify("--verify", paths[1], "--fingerprint", right) == 0
        assert "compare the key" not in capsys.readouterr().out
    for other in ("0" * 64, "sha256:" + "f" * 64):
        assert certify("--verify", paths[0], "--fingerprint", other) == 1
        assert "signed with another key" in capsys.readouterr().out
    for none in ("", " ", "sha256:", digits[:-1], "md5:" + digits):
        assert certify("--verify", paths[0], "--fingerprint", none) == 2
        shown = capsys.readouterr()
        assert "--fingerprint: must be sha256: and 64 hexadecimal digits" in shown.err and not shown.out
    assert certify("--verify", tmp_path / "nowhere") == 1
