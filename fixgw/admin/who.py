"""Who is at the other end of the operator's socket: the system says so, not the operator."""

import asyncio
import pwd
import socket
import struct

_CREDENTIALS = struct.Struct("3i")
"""process, user, group: SO_PEERCRED"""


def who(writer: asyncio.StreamWriter) -> str:
    """Name of the user, or `uid N` for one without a name."""
    line = writer.get_extra_info("socket")
    data = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    user = _CREDENTIALS.unpack(data)[1]
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"uid {user}"
