"""Who speaks through the operator's socket: the system knows."""

import asyncio
import pwd
import socket
import struct

_CREDENTIALS = struct.Struct("3i")
"""process, user, group"""


def who(writer: asyncio.StreamWriter) -> str:
    """The name of the user whose process is at the other end of a Unix socket."""
    line: socket.socket = writer.get_extra_info("socket")
    credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(credentials)
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
