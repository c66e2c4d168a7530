"""The settings of a node among others (docs/nodes.md)."""

from typing import Annotated

from msgspec import Meta, Struct, field

from fixgw.settings.kinds import FilePath, NodeNumber
from fixgw.settings.reading import Mistake

LONGEST = 107
"""bytes of the path of a Unix socket"""


class Peer(Struct, frozen=True, forbid_unknown_fields=True):
    socket: Annotated[
        FilePath, Meta(description="its node.socket, where it is called; empty: it calls this node")
    ] = ""


class Node(Struct, frozen=True, forbid_unknown_fields=True):
    number: Annotated[int, Meta(description="of this node; 0: it is the only one", ge=0, le=999)] = 0
    socket: Annotated[
        FilePath, Meta(description="Unix socket on which other nodes call; empty: none does")
    ] = ""
    peers: Annotated[
        dict[NodeNumber, Peer], Meta(description="the other nodes that this one speaks with, by number")
    ] = field(default_factory=dict)


def check_node(node: Node) -> None:
    """Raises Mistake."""
    if node.peers and not node.number:
        raise Mistake("node.number", "is missing: a node among others has a number, which no other one has")
    _check_path("node.socket", node.socket)
    for number, peer in node.peers.items():
        path = f"node.peers.{number}"
        if int(number) == node.number:
            raise Mistake(path, "is the number of this node")
        if not peer.socket and not node.socket:
            raise Mistake(f"{path}.socket", "is missing: without node.socket the other node cannot call")
        _check_path(f"{path}.socket", peer.socket)


def _check_path(path: str, socket: str) -> None:
    if len(socket.encode()) > LONGEST:
        raise Mistake(path, f"is longer than the {LONGEST} bytes that the path of a socket may have")
