"""What a transport has said, and its last word."""

import asyncio
import fcntl
import sys
import termios


def unacknowledged(transport: asyncio.Transport | None) -> int:
    """Bytes written that have not reached the client's machine, or 1 for any that have not left this one: a
    client that closes now has not waited for them."""
    assert transport is not None
    if transport.get_write_buffer_size():
        return 1
    line = transport.get_extra_info("socket")
    return int.from_bytes(fcntl.ioctl(line.fileno(), termios.TIOCOUTQ, b"\0" * 4), sys.byteorder)


def say_no_more(transport: asyncio.Transport | None) -> None:
    """Ends the stream to the client; over TLS, which has no half, the connection."""
    assert transport is not None
    if transport.can_write_eof():
        transport.write_eof()
    else:
        transport.close()
