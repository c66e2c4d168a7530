"""Passwords as the settings hold them: only the right one matches, and a wrong line costs nothing."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixgw.settings.password import check_hash, is_hash, make_hash, matches, same

PASSWORD = "correct-horse!"


def line(password: str, n: int = 1024, r: int = 1, p: int = 1) -> str:
    """Made without the code under test."""
    salt = hashlib.sha256(password.encode()).digest()[:16]
    digest = hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, dklen=32)
    return f"scrypt:{n}:{r}:{p}:{b64encode(salt).decode()}:{b64encode(digest).decode()}"


def test_a_hash_is_salted_costs_memory_and_matches() -> None:
    one, other = make_hash(PASSWORD), make_hash(PASSWORD)
    assert one != other and is_hash(one) and len(one) <= 200
    kind, n, r, p, salt, digest = one.split(":")
    assert (kind, int(n) * int(r) * 128 >= 16 << 20, p, len(b64decode(salt))) == ("scrypt", True, "1", 16)
    raw = hashlib.scrypt(
        PASSWORD.encode(), salt=b64decode(salt), n=int(n), r=int(r), p=1, maxmem=1 << 26, dklen=32
    )
    assert b64encode(raw).decode() == digest
    assert matches(PASSWORD, one) and matches(PASSWORD, other) and not matches(PASSWORD + "x", one)


@settings(max_examples=30, deadline=None)
@given(st.text("abcAB1!~", min_size=1, max_size=4), st.text("abcAB1!~", min_size=1, max_size=4))
def test_only_the_right_password_matches(password: str, offered: str) -> None:
    assert matches(offered, line(password)) == (offered == password)
    assert same(password, offered) == (offered == password)


@pytest.mark.parametrize(("n", "r", "p"), [(2**14, 8, 16), (2**18, 8, 1), (2**15, 1, 1), (1024, 1, 100)])
def test_costs_can_be_raised_up_to_a_limit(n: int, r: int, p: int) -> None:
    raised = line("x").replace("scrypt:1024:1:1:", f"scrypt:{n}:{r}:{p}:")
    check_hash(raised)
    assert not matches("x", raised)  # and it can be computed


@pytest.mark.parametrize(
    ("n", "r", "p"),
    [
        (2**19, 8, 1),
        (2**14, 8, 17),
        (2**26, 1, 1),
        (2**16, 1, 1),
        (1000, 8, 1),
        (512, 8, 1),
        (2**14, 0, 1),
        (2**14, 8, 0),
    ],
)
def test_a_line_that_would_eat_the_machine_or_protect_nothing_is_refused(n: int, r: int, p: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        check_hash(line("x").replace("scrypt:1024:1:1:", f"scrypt:{n}:{r}:{p}:"))


@given(st.text(max_size=120), st.integers(0, 100), st.integers(0, 5))
def test_any_other_line_is_refused_in_words(text: str, position: int, cut: int) -> None:
    good = line("x")
    damaged = good[:position] + text + good[position + cut :]
    try:
        check_hash(damaged)
    except ValueError as problem:
        assert "scrypt:N:R:P" in str(problem)
        assert not text.strip() or len(text) < 8 or text not in str(problem)
