"""One contract for both kinds of links (feature 48): what is sent comes whole, in order, until it breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixgw.bridge.frames import (
    LENGTH,
    MOST,
    VERSION,
    BadFrame,
    Bye,
    Carry,
    Frame,
    Hello,
    Taken,
    decode,
    encode,
)
from fixgw.bridge.link import Link, LinkBroken, LocalLink, SocketLink

FRAMES: list[Frame] = [Hello(VERSION, 1, "name", 2, 3), Carry(1, b"\x00\xff" * 500), Taken(9), Bye("why")]
Pair = tuple[Link, Link]


@asynccontextmanager
async def local(_: Path) -> AsyncIterator[Pair]:
    yield LocalLink.pair()


@asynccontextmanager
async def through_a_socket(directory: Path) -> AsyncIterator[Pair]:
    came: asyncio.Queue[Link] = asyncio.Queue()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await came.put(SocketLink(reader, writer))

    server = await asyncio.start_unix_server(answer, directory / "link.sock")
    calling = SocketLink(*await asyncio.open_unix_connection(directory / "link.sock"))
    called = await came.get()
    try:
        yield calling, called
    finally:
        for link in calling, called:
            link.close()
        server.close()


KINDS = pytest.mark.parametrize("kind", [local, through_a_socket])


def play(
    kind: Callable[..., object], directory: Path, story: Callable[[Link, Link], Awaitable[None]]
) -> None:
    async def run() -> None:
        async with kind(directory) as (one, other):  # type: ignore[attr-defined]
            async with asyncio.timeout(20):
                await story(one, other)

    asyncio.run(run())


@KINDS
def test_what_is_sent_comes_in_order_both_ways(kind: Callable[..., object], tmp_path: Path) -> None:
    async def story(one: Link, other: Link) -> None:
        for sender, receiver in (one, other), (other, one):
            for frame in FRAMES:
                await sender.send(frame)
            assert [await receiver.receive() for _ in FRAMES] == FRAMES

    play(kind, tmp_path, story)


@KINDS
def test_who_does_not_read_is_waited_for(kind: Callable[..., object], tmp_path: Path) -> None:
    """It costs no memory without a bound."""
    frame, most = Carry(1, bytes(10_000)), 2_000

    async def story(one: Link, other: Link) -> None:
        sent = 0

        async def send() -> None:
            nonlocal sent
            while sent < most:
                await one.send(frame)
                sent += 1

        sending = asyncio.ensure_future(send())
        before = -1
        while sent != before:  # until nothing moves any more
            before = sent
            for _ in range(100):
                await asyncio.sleep(0)
        assert sent < most
        for _ in range(most):
            assert await other.receive() == frame
        await sending

    play(kind, tmp_path, story)


@KINDS
def test_both_ends_notice_when_it_breaks(kind: Callable[..., object], tmp_path: Path) -> None:
    async def story(one: Link, other: Link) -> None:
        await one.send(FRAMES[0])
        waiting = asyncio.ensure_future(one.receive())
        await asyncio.sleep(0)
        assert await other.receive() == FRAMES[0]
        other.close()
        with pytest.raises(LinkBroken):
            await waiting
        with pytest.raises(LinkBroken):
            while True:
                await one.send(FRAMES[1])
        with pytest.raises(LinkBroken):
            await one.receive()

    play(kind, tmp_path, story)


def test_a_frame_that_is_too_long_or_none_breaks_the_link(tmp_path: Path) -> None:
    async def story(length: bytes) -> None:
        async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(length)
            await writer.drain()

        server = await asyncio.start_unix_server(answer, tmp_path / "bad.sock")
        link = SocketLink(*await asyncio.open_unix_connection(tmp_path / "bad.sock"))
        with pytest.raises(BadFrame):
            await link.receive()
        link.close()
        server.close()

    asyncio.run(story((MOST + 1).to_bytes(LENGTH)))
    asyncio.run(story((3).to_bytes(LENGTH) + b"FIX"))


@given(st.binary(max_size=200))
def test_bytes_that_are_no_frame_are_told_as_such(body: bytes) -> None:
    try:
        frame = decode(body)
    except BadFrame:
        return
    assert decode(encode(frame)[LENGTH:]) == frame
