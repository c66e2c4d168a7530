"""What must fit together for TLS, and how certificates of clients are named."""

import re

from fixgw.settings.reading import Mistake
from fixgw.settings.structs import Settings, Tls

_MARK = re.compile(r"sha256:[0-9a-f]{64}|CN:[^\x00-\x1f\x7f]{1,64}|DNS:[a-z0-9*._-]{1,253}")


def mark(text: str) -> str:
    """One of a session's `certificates` in the form in which it is compared: a fingerprint in lower case and
    without colons, a host name in lower case. Raises ValueError for what names no certificate."""
    kind, _, name = text.partition(":")
    if kind == "sha256":
        name = name.replace(":", "")
    normal = text if kind == "CN" else f"{kind}:{name.lower()}"
    if not _MARK.fullmatch(normal):
        raise ValueError(text)
    return normal


def check_tls(settings: Settings) -> None:
    """Raises Mistake."""
    _check_files(settings.tls)
    for name, session in settings.sessions.items():
        path = f"sessions.{name}"
        for each in session.certificates:
            try:
                mark(each)
            except ValueError:
                raise Mistake(
                    f"{path}.certificates",
                    f"must be a list of sha256: and 64 hexadecimal digits, CN:NAME or DNS:NAME, not {each!r}",
                ) from None
        if session.certificates and not settings.tls.client_ca:
            raise Mistake(f"{path}.certificates", "needs tls.client_ca: without it no client shows one")
        if session.transport == "tls" and not settings.tls.certificate:
            raise Mistake(f"{path}.transport", "tls needs tls.certificate: without it there is no TLS port")


def _check_files(tls: Tls) -> None:
    if not tls.certificate:
        hosts = any(host.certificate for host in tls.hosts.values())
        for name, given in (("key", tls.key), ("client_ca", tls.client_ca), ("hosts", hosts)):
            if given:
                raise Mistake("tls.certificate", f"is missing, but tls.{name} is there")
        return
    for path, each in (("tls", tls), *((f"tls.hosts.{name}", host) for name, host in tls.hosts.items())):
        for name in ("certificate", "key"):
            if not getattr(each, name):
                raise Mistake(f"{path}.{name}", "must be a file")
