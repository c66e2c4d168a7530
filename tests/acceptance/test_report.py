"""The certification report: signed, verified, and shown as it is, whatever the peer has sent."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import stat
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acceptance.report import ReportError, fingerprint, verify, write
from acceptance.report.document import from_bytes, sign
from acceptance.report.page import LAYOUT, embedded, page
from acceptance.results import CaseResult, Difference, Report, Said, StepResult
from tests.acceptance.runs import failed, left_out, passed, run

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
FINGERPRINT = fingerprint(KEY)
FIRST = Path(__file__).with_name("report_1.json")
SAID = (
    f"valid: signed with key {FINGERPRINT}; run by ops@gateway on 2026-01-05T09:00:00Z against "
    "127.0.0.1:9878; 4 cases: 1 passed, 1 failed, 1 not offered, 1 not run"
)
CHANGED = "not valid: changed: the signature does not fit the report"
HOSTILE = [
    "<script>alert(1)</script>",
    '</script><script type="application/json" id="signed-report">{}</script>',
    '"><img src=x onerror=alert(1)>',
    "<!-- ]]> --> &lt; &amp; ' \" \\ \\u003c",
    "8=FIX.4.4\x019=5\x0135=0\x01\x00\x1b[31m\x7f\r\n\x85\u2028",
    "\udcff\ud800 \ud83d\ude00 \ud800\udc00",
    "\u202eright to left\u2066\ufeff\u200b",
    "long " + "x" * 200_000,
]
"""what a peer may send, and what must stay text"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write(run(), tmp_path_factory.mktemp("report"), KEY)


class Page(HTMLParser):
    """Reads a page as a browser would: its elements, their attributes, and the text people see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.text += data


def test_both_files_are_valid_and_say_so(written: tuple[Path, Path]) -> None:
    for path in written:
        assert verify(path, FINGERPRINT).valid
        assert verify(path, FINGERPRINT).text == f"{path}: {SAID}"
        assert verify(path).valid
        asks = f"{path}: {SAID}; compare the key with the fingerprint the venue gave you"
        assert verify(path).text == asks


def test_the_json_can_be_checked_without_this_code(written: tuple[Path, Path]) -> None:
    found = json.loads(written[0].read_bytes())
    report = json.dumps(found["report"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(found["key"]))
    key.verify(base64.b64decode(found["signature"]), report.encode())
    assert set(found) == {"report", "signature", "key"}
    assert f"sha256:{hashlib.sha256(base64.b64decode(found['key'])).hexdigest()}" == FINGERPRINT


def test_a_report_comes_back_as_it_was() -> None:
    document = sign(run(), KEY)
    assert document.report() == run()
    assert from_bytes(document.to_bytes()) == document
    assert embedded(page(document)) == document


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255), which=st.sampled_from([0, 1]))
def test_a_changed_byte_anywhere_is_noticed(
    written: tuple[Path, Path], tmp_path: Path, place: float, change: int, which: int
) -> None:
    data = bytearray(written[which].read_bytes())
    data[int(place * len(data))] ^= change
    path = tmp_path / "changed"
    path.write_bytes(data)
    found = verify(path)
    assert not found.valid
    assert found.text.startswith(f"{path}: not valid: ")
    assert "\n" not in found.text


def test_every_byte_around_the_report_counts(written: tuple[Path, Path], tmp_path: Path) -> None:
    """The last bit of each, which makes other letters and base64 of them."""
    data, path = written[0].read_bytes(), tmp_path / "report.json"
    for at in (*range(data.index(b'"report"') + 10), *range(data.rindex(b',"signature"'), len(data))):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert not verify(path).valid, at


def _instead(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new, 1)

    return change


def _without(name: str) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        found = json.loads(data)
        del found[name]
        return json.dumps(found).encode()

    return change


NO_REPORT = "not valid: there is no report in it"
AROUND = "not valid: changed: the report in it is as signed, but the file is not as it was written"
PAGE = "not valid: changed: the report in it is as signed, but the page does not show what it says"
OTHER_LAYOUT = (
    f"not valid: the report in it is as signed, but its page is of layout 99 and only {LAYOUT} can be "
    "checked here; verify the JSON file, or use the version of fixgw that wrote it"
)
GENERATOR = b'content="fixgw report layout %d"'


@pytest.mark.parametrize(
    ("which", "change", "words"),
    [
        (0, _instead(b'"outcome":"failed"', b'"outcome":"passed"'), CHANGED),
        (0, _instead(b'"seconds":1.5', b'"seconds":1.50'), AROUND),
        (0, _instead(b'{"key"', b' {"key"'), AROUND),
        (0, _instead(b'"signature":"', b'"signature":"!'), CHANGED),
        (0, _instead(b'"key":"', b'"key":"AAAA'), CHANGED),
        (0, _without("signature"), "not valid: there is no signature in it"),
        (0, _without("key"), "not valid: there is no signature in it"),
        (0, _without("report"), NO_REPORT),
        (0, lambda data: data[:-2], NO_REPORT),
        (0, lambda data: b"", NO_REPORT),
        (0, lambda data: b"[" * 100_000, NO_REPORT),
        (0, lambda data: b"\xff\xfe", NO_REPORT),
        (0, _instead(b'"seconds":1.5', b'"seconds":NaN'), NO_REPORT),
        (0, _instead(b'"seconds":1.5', b'"seconds":1e999'), NO_REPORT),
        (0, _instead(b'"seconds":1.5', b'"seconds":' + b"1" * 10_000), NO_REPORT),
        (0, _instead(b"ops@gateway", b"\\ud800"), CHANGED),
        (1, _instead(b'"outcome":"failed"', b'"outcome":"passed"'), CHANGED),
        (1, _instead(b'class="verdict failed">Failed', b'class="verdict passed">Passed'), PAGE),
        (1, _instead(b"</body>", b"<p>Certified.</p></body>"), PAGE),
        (1, _instead(GENERATOR % LAYOUT, GENERATOR % 99), OTHER_LAYOUT),
        (1, _instead(b'id="signed-report"', b'id="report"'), NO_REPORT),
        (1, lambda data: b"<!DOCTYPE html><p>Passed", NO_REPORT),
    ],
)
def test_what_is_wrong_is_said(
    written: tuple[Path, Path], tmp_path: Path, which: int, change: Callable[[bytes], bytes], words: str
) -> None:
    path = tmp_path / "report"
    path.write_bytes(change(written[which].read_bytes()))
    found = verify(path)
    assert (found.valid, found.text) == (False, f"{path}: {words}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert verify(path).text == f"{path}: cannot be read: No such file or directory"
    assert verify(tmp_path).text == f"{tmp_path}: cannot be read: Is a directory"


def test_who_signs_with_a_key_of_his_own_is_found_out(tmp_path: Path) -> None:
    own = Ed25519PrivateKey.generate()
    for path in write(run(passed()), tmp_path, own):
        found = verify(path, FINGERPRINT)
        words = f"signed with another key: {fingerprint(own)}, expected {FINGERPRINT}"
        assert (found.valid, found.text) == (False, f"{path}: not valid: {words}")


def test_a_key_put_in_place_of_another_does_not_fit(written: tuple[Path, Path], tmp_path: Path) -> None:
    other = base64.b64encode(Ed25519PrivateKey.generate().public_key().public_bytes_raw())
    mine = base64.b64encode(KEY.public_key().public_bytes_raw())
    path = tmp_path / "report.json"
    path.write_bytes(_instead(mine, other)(written[0].read_bytes()))
    assert verify(path).text == f"{path}: {CHANGED}"


def test_a_report_of_a_later_version_is_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    report = json.dumps({"format": 2}, separators=(",", ":")).encode()
    key, signature = (base64.b64encode(x) for x in (KEY.public_key().public_bytes_raw(), KEY.sign(report)))
    path.write_bytes(b'{"key":"%s","report":%s,"signature":"%s"}\n' % (key, report, signature))
    assert verify(path).text == (
        f"{path}: not valid: its format 2 is of a later version of fixgw, which can read it"
    )


def test_a_report_with_fewer_fields_stays_valid(tmp_path: Path) -> None:
    """Fields with a default may have been added since; what was signed is what stands in the file."""
    found = json.loads(sign(run(), KEY).signed)
    del found["settings"]
    report = json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    path = tmp_path / "report.json"
    key, signature = (base64.b64encode(x) for x in (KEY.public_key().public_bytes_raw(), KEY.sign(report)))
    path.write_bytes(b'{"key":"%s","report":%s,"signature":"%s"}\n' % (key, report, signature))
    assert verify(path, FINGERPRINT).text == f"{path}: {SAID}"


def _hostile(text: str) -> Report:
    """A run with `text` wherever a text may stand."""
    step = StepResult(1, text, "failed", 0.1, text, [Difference(text, text, text, False)])
    said = [Said(0.1, text, "in", text, text), Said(0.2, text, "note", text)]
    case = CaseResult(text, text, text, [text], "failed", text, 0.1, [step], said)
    return Report(text, text, text, text, text, 1, [case], settings={text: text})


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(tmp_path: Path, text: str) -> None:
    plain = Page(write(_hostile("plain"), tmp_path / "plain", KEY)[1].read_text())
    paths = write(_hostile(text), tmp_path, KEY)
    for path in paths:
        found = verify(path, FINGERPRINT)
        assert found.valid
        assert found.text.isprintable()
    content = paths[1].read_text()
    seen = Page(content)
    assert seen.elements == plain.elements
    assert re.fullmatch(r"[^\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066\ufeff]*", seen.text)
    if text.isprintable():
        assert seen.text.count(text) == plain.text.count("plain")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec=None), max_size=40))
def test_any_text_is_written_and_verified(tmp_path: Path, text: str) -> None:
    for path in write(_hostile(text), tmp_path, KEY):
        assert verify(path, FINGERPRINT).valid


def test_the_page_needs_nothing_from_outside_and_no_script() -> None:
    seen = Page(page(sign(run(), KEY)).decode())
    for tag, attributes in seen.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert not {"src", "srcset", "action", "onclick", "onload"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")  # type: ignore[union-attr]
    scripts = [attributes for tag, attributes in seen.elements if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "signed-report"}]
    style = page(sign(run(), KEY)).decode()
    assert "url(" not in style and "@import" not in style


def test_the_page_shows_all_of_it() -> None:
    text = Page(page(sign(run(), KEY)).decode()).text
    report = run()
    for case in report.cases:
        for part in (case.title, case.why, case.file, case.version, *case.proves):
            assert part in text
        for step in case.steps:
            assert step.text in text and step.problem in text
            for field in step.differences:
                assert field.name in text and field.expected in text
        for said in case.conversation:
            assert said.text in text and said.words in text
    for part in (
        report.target,
        report.by,
        report.started,
        report.tool,
        FINGERPRINT,
        "ALPHA, BETA",
        "not there",
    ):
        assert part in text


def test_conversations_are_open_where_a_case_failed() -> None:
    seen = Page(page(sign(run(passed(), failed()), KEY)).decode())
    assert [attributes for tag, attributes in seen.elements if tag == "details"] == [{}, {"open": None}]


def test_links_lead_to_their_cases() -> None:
    seen = Page(page(sign(run(), KEY)).decode())
    targets = [attributes["id"] for tag, attributes in seen.elements if tag == "article"]
    links = [attributes["href"] for tag, attributes in seen.elements if tag == "a"]
    assert targets == ["case-1", "case-2", "case-3", "case-4"]
    assert links == ["#case-2", *(f"#{each}" for each in targets)]


def test_what_the_first_version_wrote_is_valid_still() -> None:
    assert verify(FIRST, FINGERPRINT).text == f"{FIRST}: {SAID}"


def test_another_look_is_another_layout() -> None:
    """Pages are compared byte by byte with what this version draws. Whoever changes how a page looks raises
    LAYOUT, and puts its new digest here: pages written before are then told from forged ones."""
    digest = hashlib.sha256(page(from_bytes(FIRST.read_bytes()))).hexdigest()
    assert (LAYOUT, digest) == (1, "c5b8476bac6492506045dc026be9fac1c6ed042b3ea062d2e6d909c3e1612942")


@pytest.mark.parametrize(
    ("cases", "verdict"),
    [
        ([passed()], "passed"),
        ([passed(), left_out()[0]], "passed"),
        ([passed(), left_out()[1]], "incomplete"),
        ([left_out()[0]], "incomplete"),
        ([], "incomplete"),
        ([passed(), failed(), left_out()[1]], "failed"),
    ],
)
def test_the_verdict(cases: list[CaseResult], verdict: str) -> None:
    report = run()
    report.cases = cases
    assert report.verdict == verdict
    assert f'class="verdict {verdict}"'.encode() in page(sign(report, KEY))


def test_files_are_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    directory = tmp_path / "some" / "where"
    write(run(), directory, KEY)
    paths = write(run(passed()), directory, KEY)
    assert [path.name for path in paths] == ["report.json", "report.html"]
    assert sorted(directory.iterdir()) == sorted(paths)
    assert "1 case: 1 passed" in verify(paths[1]).text
    assert stat.S_IMODE(paths[0].stat().st_mode) == 0o644


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    directory = tmp_path / "file"
    directory.write_text("")
    with pytest.raises(ReportError) as caught:
        write(run(), directory, KEY)
    assert str(caught.value) == f"{directory}: the report cannot be written: File exists"
