"""The other end of a connection, as the transport knows it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    address: str
    """IP address"""
    port: int
    tls: bool = False
    fingerprint: str = ""
    """SHA-256 of the client certificate, hexadecimal; "" if it showed none"""
    names: frozenset[str] = frozenset()
    """`CN:NAME` and `DNS:NAME` of that certificate"""

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"
