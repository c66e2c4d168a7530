"""What must fit together for the system of record. No value of `url` is shown: a password may be in it."""

from urllib.parse import parse_qsl, urlsplit

from fixgw.settings.reading import Mistake
from fixgw.settings.users import Record


def check_record(record: Record) -> None:
    """Raises Mistake."""
    if record.kind == "postgresql" and not record.url:
        raise Mistake("record.url", "is missing: with `kind: postgresql` it says where the server is")
    if record.url:
        _check_url(record.url)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        secret = parts.password is not None or {"password", "sslpassword"} & options
    except ValueError:  # brackets or a percent sign that do not fit
        raise Mistake("record.url", "is not a URL: postgresql://USER@HOST:PORT/DATABASE") from None
    if parts.scheme not in ("postgresql", "postgres"):
        raise Mistake("record.url", "must begin with postgresql://")
    if secret:
        raise Mistake(
            "record.url", "must not hold a password; put it into a file and name that as password_file"
        )
