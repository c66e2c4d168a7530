"""Hostile clients over real sockets, several at a time, in a process of their own so that they do not hold up
whoever measures."""

from __future__ import annotations

import multiprocessing
import os
import re
import socket
import struct
import threading
import time
from contextlib import suppress
from multiprocessing.sharedctypes import SynchronizedArray
from multiprocessing.synchronize import Event
from random import Random

from tests.fuzz.conversation import conversation
from tests.fuzz.draft import NOW, Identity, Step, at, draft
from tests.raw import RawClient

PATIENCE = 2.0
"""seconds until a hostile client gives up on an answer"""
CLEANING = 10
"""conversations after which a session takes what it was sent: else it is sent again with every reset"""
_RESEND = re.compile(rb"\x0135=2\x01.*?\x017=(\d+)\x01")

Address = tuple[str, int]


class Line:
    """One hostile connection."""

    def __init__(self, address: Address, who: Identity) -> None:
        self._who = who
        self._socket = socket.create_connection(address, timeout=PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.open = True
        self.answers = 0
        """messages heard"""

    def say(self, steps: list[Step]) -> int:
        """Sends them, and fills the gaps it is asked about; returns how many it could send."""
        for sent, step in enumerate(steps):
            self._send(step)
            if not self.open:
                return sent
            heard = self.hear(PATIENCE if sent == 0 and b"\x0135=A\x01" in step.data[:32] else 0)
            for asked in _RESEND.findall(heard)[-1:]:
                self._fill(int(asked), step.next_number)
        return len(steps)

    def hear(self, seconds: float) -> bytes:
        """What has come; waits for the first of it."""
        heard = b""
        self._socket.settimeout(seconds)
        try:
            while data := self._socket.recv(1 << 18):
                heard += data
                self._socket.settimeout(0)
            self.open = False
        except (BlockingIOError, TimeoutError):
            pass
        except OSError:
            self.open = False
        self.answers += heard.count(b"\x0135=")
        return heard

    def end(self, chance: Random) -> None:
        """Most ends are orderly, so that all that was sent is read first."""
        if chance.random() < 0.1:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif self.open:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)
            while self.open and self.hear(PATIENCE):
                pass
        self._socket.close()

    def _send(self, step: Step) -> None:
        data = at(step.data)
        size = -(-len(data) // step.pieces) or 1
        self._socket.settimeout(PATIENCE)
        try:
            for start in range(0, len(data), size):
                self._socket.sendall(data[start : start + size])
        except OSError:
            self.open = False

    def _fill(self, first: int, following: int) -> None:
        again: list[tuple[object, object]] = [(43, "Y"), (122, NOW), (123, "Y"), (36, following)]
        self._send(Step(draft(self._who, first, "4", again).framed(), following))


def talk(address: Address, who: Identity, steps: list[Step], chance: Random) -> tuple[int, int]:
    """One connection from Logon to its end; returns how many steps were sent, and how many messages heard.
    Raises ConnectionRefusedError if there is no venue any more."""
    for _ in range(100):
        line = Line(address, who)
        try:
            sent = line.say(steps)
        finally:
            line.end(chance)
        if sent:
            return sent, line.answers
        time.sleep(0.005)  # the connection before has not ended yet
    return 0, 0


class Attackers:
    """`numbers[n]` is the conversation that attacker n is in; `sent[n]` and `heard[n]` count messages."""

    def __init__(self, address: Address, seed: int, identities: list[Identity], messages: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.identities = identities
        self.numbers = context.Array("q", len(identities))
        self.sent = context.Array("q", len(identities))
        self.heard = context.Array("q", len(identities))
        self.ready, self.go, self.stop = context.Event(), context.Event(), context.Event()
        shared = (self.numbers, self.sent, self.heard, self.ready, self.go, self.stop)
        self._process = context.Process(
            target=_run, args=(address, seed, identities, messages, *shared), daemon=True
        )

    def start(self) -> None:
        """Returns once they have made up what to send."""
        self._process.start()
        assert self.ready.wait(600), "the attackers are not ready"

    @property
    def busy(self) -> bool:
        return self._process.is_alive()

    def end(self) -> None:
        self.stop.set()
        self.go.set()
        self._process.join(60)
        if self._process.is_alive():
            self._process.kill()


def _run(
    address: Address,
    seed: int,
    identities: list[Identity],
    messages: int,
    numbers: SynchronizedArray[int],
    sent: SynchronizedArray[int],
    heard: SynchronizedArray[int],
    ready: Event,
    go: Event,
    stop: Event,
) -> None:
    os.nice(10)  # attackers have machines of their own, and must not take this one's from who is measured
    share = -(-messages // len(identities))
    prepared = [_prepare(seed, who, share) for who in identities]
    ready.set()
    go.wait()

    def attack(index: int, who: Identity) -> None:
        while sent[index] < share and not stop.is_set():
            number = numbers[index]
            known = prepared[index]
            steps = known[number] if number < len(known) else conversation(seed, who, number)[1]
            try:
                said, answers = talk(address, who, steps, Random(f"{seed} {number}"))
                sent[index] += said
                heard[index] += answers
                if number % CLEANING == CLEANING - 1:
                    clean(address, who)
            except ConnectionRefusedError:
                stop.set()
            numbers[index] += 1

    threads = [threading.Thread(target=attack, args=each) for each in enumerate(identities)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _prepare(seed: int, who: Identity, share: int) -> list[list[Step]]:
    prepared: list[list[Step]] = []
    count = 0
    while count < share:
        steps = conversation(seed, who, len(prepared))[1]
        prepared.append(steps)
        count += len(steps)
    return prepared


def clean(address: Address, who: Identity) -> None:
    """Logs on as a good client, takes everything and leaves in good order."""
    for _ in range(100):
        client = RawClient(*address, who.comp_id, begin_string=who.begin_string)
        try:
            client.logon(reset=True)
            client.settle()
            client.logout()
            return
        except (AssertionError, ConnectionResetError, BrokenPipeError):
            client.close()
            time.sleep(0.01)
