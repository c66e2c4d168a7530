"""No password and no key in anything that leaves the tool: report, page, terminal, errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.masking import masked
from acceptance.report import case_lines
from acceptance.report.document import sign
from acceptance.report.key import load_or_make
from acceptance.report.page import page
from acceptance.results import CaseResult, Report
from acceptance.wire import encode
from tests.acceptance.fake_venue import FakeVenue, Reply, case_of, framed

SECRET = "S3CRET"
PROFILE = {"sessions": {"X": {"password": f"{SECRET}-p", "username": "u"}}, "symbols": ["S"]}
ONE = "title: t\nversions: [FIX.4.4]\nsteps:\n"


def everywhere(folder: Path, case: CaseResult) -> str:
    """All that is shown of a case."""
    report = Report("t", "fixgw", "here", "me", "now", 1.0, [case])
    document = sign(report, load_or_make(folder / "key.pem"))
    return "\n".join([*case_lines(case), document.to_bytes().decode(), page(document).decode()])


ECHO = framed(f"35=A|34=1|49=FIXGW|56=X|554={SECRET}-p|")
STEPS: list[tuple[str, Reply]] = [
    (f"{{logon: A, fields: {{Username: u, Password: {SECRET}, RawDataLength: 6, RawData: {SECRET}}}}}", "A "),
    (f"{{logon: A, fields: {{'925': {SECRET}}}}}", "A "),
    (f"connect: A\n  - send raw: 8=FIX.4.4|9=?|35=A|34=2|554={SECRET}|10=?|\n  - expect: Logon", "A "),
    (f'{{logon: A, fields: {{RawDataLength: 9, RawData: "ab\\x01{SECRET}\\x01x"}}}}', "A "),
    (f"{{logon: A, fields: {{Password: {{text: {SECRET}}}}}}}", "A "),
    (f"connect: A\n  - send: Logon\n  - {{expect: Logon, fields: {{Password: {{text: {SECRET}}}}}}}", "A "),
    (
        f"connect: A\n  - send: Logon\n  - {{expect: Logon, fields: {{Password: {{pattern: {SECRET}}}}}}}",
        "A ",
    ),
    (f"connect: A\n  - send: Logon\n  - {{expect: Logon, fields: {{Password: {{not: {SECRET}}}}}}}", "A "),
    # what the venue says of the profile's password
    ("logon: A", f"A 554={SECRET}-p|"),
    ("logon: A", f"5 58=the password {SECRET}-p is wrong|"),
    ("logon: A", ECHO[:-4] + b"999\x01"),
    ("logon: A", framed(f"35=A|34=1|554={SECRET}-p|x=1|")),
    ("logon: A", f"HTTP/1.1 400 Bad Request\r\n\x01554={SECRET}-p\x01 is no request of this server".encode()),
]


@pytest.mark.parametrize(("steps", "answer"), STEPS)
def test_no_secret_is_shown(tmp_path: Path, steps: str, answer: Reply) -> None:
    case = case_of(tmp_path, f"  - {steps}\n", FakeVenue(logon=answer), head=ONE, profile=PROFILE)
    assert SECRET not in everywhere(tmp_path, case)
    assert "***" in everywhere(tmp_path, case)


@given(st.binary(min_size=1, max_size=20), st.booleans())
def test_data_is_masked_whatever_is_in_it(data: bytes, right: bool) -> None:
    """Also if its length is wrong, as long as no field seems to begin in it."""
    if not right and b"\x01" in data:
        data = data.replace(b"\x01", b"")
    said = [(35, "A"), (95, len(data) if right else 0), (96, data), (58, "seen")]
    assert masked(encode(said)) == f"35=A|95={len(data) if right else 0}|96=***|58=seen|"
