"""The record that the settings name."""

from pathlib import Path

from fixgw.record.lmdb import LmdbRecord
from fixgw.record.record import Record, RecordError
from fixgw.settings.users import Record as Settings


def make_record(settings: Settings, data: Path, source: Path) -> Record:
    """Not opened yet. `data` is the venue's data directory, `source` the file of the settings. Raises
    RecordError."""
    if settings.kind == "lmdb":
        return LmdbRecord(data, settings.map_size_mib << 20)
    try:
        from fixgw.record.postgresql import PostgresqlRecord
    except ImportError as problem:
        raise RecordError(
            f"record.kind: postgresql needs more packages: pip install 'fixgw[postgresql]' ({problem})",
            passing=False,
        ) from None
    password_file = source.parent / settings.password_file if settings.password_file else None
    return PostgresqlRecord(
        settings.url, password_file, settings.schema, settings.connections, settings.timeout_seconds
    )
