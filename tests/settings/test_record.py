"""What the settings say of the record, and which of them cannot be meant."""

from pathlib import Path

import pytest

from fixgw.settings import Record, SettingsError, Users, load

DEMO = Path("config/venue.yaml").read_text()


def loaded(tmp_path: Path, more: str) -> tuple[Record, Users]:
    path = tmp_path / "venue.yaml"
    path.write_text(f"{DEMO}\n{more}\n")
    settings = load(path)
    return settings.record, settings.users


def test_both_sections_may_be_left_out(tmp_path: Path) -> None:
    assert loaded(tmp_path, "") == (Record(), Users())


def test_a_server_is_named_without_a_password(tmp_path: Path) -> None:
    url = "postgresql://fixgw@one,two:5433/venue?target_session_attrs=read-write"
    more = f"record: {{kind: postgresql, url: '{url}', password_file: secret}}\nusers: {{resident: 7}}"
    record, users = loaded(tmp_path, more)
    assert (record.url, record.password_file, users.resident) == (url, "secret", 7)


@pytest.mark.parametrize(
    ("more", "text"),
    [("record: {kind: postgresql}",
      "record.url: is missing: with `kind: postgresql` it says where the server is"),
     ("record: {kind: postgres}", "record.kind: must be lmdb or postgresql, not 'postgres'"),
     ("record: {kind: postgresql, url: 'http://host/x'}", "record.url: must begin with postgresql://"),
     ("record: {kind: postgresql, url: 'host=x password=hidden'}", "record.url: must begin with postgresql://"),
     ("record: {kind: postgresql, url: 'postgresql://[hidden/x'}",
      "record.url: is not a URL: postgresql://USER@HOST:PORT/DATABASE"),
     ("record: {url: 'postgresql://me:hidden@host/x'}",
      "record.url: must not hold a password; put it into a file and name that as password_file"),
     ("record: {url: 'postgresql://host/x?password=hidden'}",
      "record.url: must not hold a password; put it into a file and name that as password_file"),
     ("record: {url: [hidden]}",
      "record.url: must be empty or postgresql://USER@HOST:PORT/DATABASE, not another text"),
     ("record: {schema: Fixgw}",
      "record.schema: must be 1 to 63 lower case letters, digits or '_', a letter first, not 'Fixgw'"),
     ("record: {timeout_seconds: 0}",
      "record.timeout_seconds: must be a whole number from 1 to 300, not '0'"),
     ("users: {residents: 5}", "users.residents: is not a setting; did you mean resident?")],
)  # fmt: skip
def test_mistakes_are_named_and_no_password_is_shown(tmp_path: Path, more: str, text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, more)
    assert str(caught.value) == f"{tmp_path}/venue.yaml: {text}"
