"""What must fit together for databases on servers. No value of `url` is shown: a password may be in it."""

from urllib.parse import parse_qsl, urlsplit

from fixgw.settings.outputs import History
from fixgw.settings.reading import Mistake
from fixgw.settings.users import Record


def check_record(record: Record) -> None:
    """Raises Mistake."""
    if record.kind == "postgresql" and not record.url:
        raise Mistake("record.url", "is missing: with `kind: postgresql` it says where the server is")
    if record.url:
        check_server("record.url", record.url)


def check_history(history: History) -> None:
    """Raises Mistake."""
    if history.url and not history.url.startswith("sqlite:///"):
        check_server("history.url", history.url)


def check_server(path: str, url: str) -> None:
    """Of PostgreSQL. Raises Mistake."""
    try:
        parts = urlsplit(url)
        options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        secret = parts.password is not None or {"password", "sslpassword"} & options
    except ValueError:  # brackets or a percent sign that do not fit
        raise Mistake(path, "is not a URL: postgresql://USER@HOST:PORT/DATABASE") from None
    if parts.scheme not in ("postgresql", "postgres"):
        raise Mistake(path, "must begin with postgresql://")
    if secret:
        raise Mistake(path, "must not hold a password; put it into a file and name that as password_file")
