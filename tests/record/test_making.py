"""The record that the settings name."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from fixgw.record.making import make_record
from fixgw.record.record import Record, RecordError, Written
from fixgw.settings import Record as Settings
from tests.record.kinds import flush
from tests.record.server import PASSWORD, PostgresqlServer


async def used(record: Record) -> list[Written]:
    try:
        return await record.write([flush("A")])
    finally:
        await record.close()


def test_a_file_in_the_data_directory_unless_the_settings_say_otherwise(tmp_path: Path) -> None:
    record = make_record(Settings(), tmp_path, tmp_path / "venue.yaml")
    assert asyncio.run(used(record)) == [Written(True, 1)]
    assert (tmp_path / "accounts.mdb").exists()


def test_the_password_file_is_seen_from_the_folder_of_the_settings(
    server: PostgresqlServer, schema: str, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text(PASSWORD)
    settings = Settings("postgresql", url=server.url(user="careful"), schema=schema, password_file="secret")
    record = make_record(settings, tmp_path / "data", tmp_path / "venue.yaml")
    assert asyncio.run(used(record)) == [Written(True, 1)]


def test_what_has_to_be_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "fixgw.record.postgresql", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setitem(sys.modules, "psycopg.sql", None)
    with pytest.raises(RecordError, match=r"needs more packages: pip install 'fixgw\[postgresql\]'"):
        make_record(Settings("postgresql", url="postgresql:///x"), tmp_path, tmp_path / "venue.yaml")
