"""Plays one script: its steps in order, up to the first that goes wrong."""

from __future__ import annotations

import secrets
import ssl
import time
from collections.abc import Callable
from typing import Protocol

from acceptance.definitions import as_sent, patterns
from acceptance.expecting import Expecting, Wrong
from acceptance.grammar import BY_HAND
from acceptance.leaving import Orders, leave
from acceptance.message import Drafting
from acceptance.profile import Member, Profile
from acceptance.results import CaseResult, Said, StepResult
from acceptance.script import Script, Step, Values
from acceptance.speaker import Gone, Place, Speaker, masked
from acceptance.values import Unknown, Variables
from acceptance.wire import Malformed, Message, completed

CLOSES_WITHIN = 2.0
"""seconds for the venue to see that a connection has ended"""


class Stage(Place, Protocol):
    """The venue, from behind."""

    def tls_context(self, certificate: str) -> ssl.SSLContext:
        """Of a client that shows a certificate with this CommonName, or none. Raises OSError."""

    def admin(self, words: str) -> str | None:
        """Runs an operator's command; what went wrong, or None."""

    def restart(self, kill: bool) -> str | None:
        """Returns when it accepts connections again; what went wrong, or None."""


class Play:
    def __init__(
        self,
        script: Script,
        version: str,
        cast: dict[str, str],
        profile: Profile,
        symbol: str,
        stage: Stage,
        patience: float,
    ) -> None:
        """`cast`: roles to the profile's sessions. `patience`: seconds a step may wait for a message, if it
        does not say."""
        self.script = script
        self.version = version
        self._stage = stage
        self._patience = patience
        self._began = time.monotonic()
        self._conversation: list[Said] = []
        self._variables = variables(profile, version, symbol, cast)
        self._speakers: dict[str, Speaker] = {}
        self._drafting: dict[str, Drafting] = {}
        self._orders = {role: Orders() for role in cast}
        for role, name in cast.items():
            by_hand = BY_HAND if script.plain else script.by_hand
            speaker = Speaker(stage, version, name, profile.comp_id, self._tell(role), by_hand)
            member = profile.sessions.get(name, Member())
            self._speakers[role] = speaker
            self._drafting[role] = Drafting(speaker.names, self._variables, profile, member, symbol)
        self._fresh = set(cast)
        """roles that have not logged on yet: their first Logon starts both numbers at 1"""
        self._patterns = patterns(script.file) if script.plain else {}

    def _tell(self, role: str) -> Callable[[str, bytes | str], None]:
        """Writes down what a speaker says and hears."""

        def told(way: str, text: bytes | str) -> None:
            words = ""
            if isinstance(text, bytes):
                if way == "in":
                    self._orders[role].heard(Message(text))
                else:
                    self._orders[role].sent(text)
                if way == "in" or text.startswith(b"8=FIX"):
                    words = _words(self._speakers[role], text)
                text = masked(text)
            self._conversation.append(Said(self._now(), role, way, text, words))  # type: ignore[arg-type]

        return told

    def run(self) -> CaseResult:
        steps: list[StepResult] = []
        outcome, why = "passed", ""
        for number, step in enumerate(self.script.steps, 1):
            if why:
                steps.append(StepResult(step.line, step.text, "not reached"))
                continue
            try:
                self._step(step)
                steps.append(StepResult(step.line, step.text, "passed", self._now()))
            except Wrong as wrong:
                outcome, why = "failed", f"step {number}, line {step.line}: {step.text}: {wrong.problem}"
                steps.append(
                    StepResult(step.line, step.text, "failed", self._now(), wrong.problem, wrong.differences)
                )
        self._leave()
        script = self.script
        return CaseResult(
            file=str(script.file),
            title=script.title,
            version=self.version,
            proves=script.proves,
            outcome=outcome,  # type: ignore[arg-type]
            why=why,
            seconds=self._now(),
            steps=steps,
            conversation=self._conversation,
        )

    def _now(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _step(self, step: Step) -> None:
        try:
            getattr(self, "_" + step.verb.replace(" ", "_"))(step)
        except Gone:
            raise Wrong("the venue has closed the connection") from None
        except (Unknown, Malformed) as problem:
            raise Wrong(str(problem)) from None
        except OSError as problem:
            raise Wrong(f"no connection: {problem.strerror or problem}") from None

    # -- the verbs -----------------------------------------------------------------------------------

    def _connect(self, step: Step) -> None:
        tls = self._stage.tls_context(step.certificate) if step.over == "tls" else None
        self._speakers[step.on].connect(tls)

    def _disconnect(self, step: Step) -> None:
        self._speakers[step.on].hang_up(CLOSES_WITHIN)

    def _logon(self, step: Step) -> None:
        """The fields are those of the Logon that is sent; the answer must be a Logon."""
        speaker = self._speakers[step.on]
        if not speaker.connected:
            speaker.connect()
        said = step.fields
        if step.on in self._fresh and "ResetSeqNumFlag" not in said:
            said = {**said, "ResetSeqNumFlag": "Y"}
        if said.get("ResetSeqNumFlag") == "Y":
            speaker.next_out = speaker.next_in = 1
        self._fresh.discard(step.on)
        fields = self._drafting[step.on].fields("A", said, speaker.numbers)
        speaker.send("A", fields)
        self._expecting(step).message("Logon", {}, step.within)
        if "heartbeats" not in self.script.by_hand:
            speaker.heartbeat = float(dict(fields).get(108, "0"))

    def _logout(self, step: Step) -> None:
        speaker = self._speakers[step.on]
        speaker.send("5", self._drafting[step.on].fields("5", step.fields, speaker.numbers))
        self._expecting(step).message("Logout", {}, step.within)
        speaker.hang_up(CLOSES_WITHIN)  # it asked for the Logout, so it is the one to close

    def _send(self, step: Step) -> None:
        speaker = self._speakers[step.on]
        msg_type = speaker.names.msg_type(step.what)
        assert msg_type is not None, "checked when the script was read"
        self._fresh.discard(step.on)
        speaker.send(msg_type, self._drafting[step.on].fields(msg_type, step.fields, speaker.numbers))

    def _send_raw(self, step: Step) -> None:
        speaker = self._speakers[step.on]
        text = self._variables.fill(step.what, speaker.numbers)
        speaker.send_bytes(completed(text.replace("|", "\x01").encode("utf-8", "surrogateescape")))

    def _send_plain(self, step: Step) -> None:
        self._speakers[step.on].send_bytes(as_sent(step.what))

    def _expect_exactly(self, step: Step) -> None:
        self._expecting(step).exactly(step.what, self._patterns)

    def _numbers(self, step: Step) -> None:
        speaker = self._speakers[step.on]
        for name in ("next out", "next in"):
            if name in step.fields:
                value = self._variables.fill(str(step.fields[name]), speaker.numbers)
                setattr(speaker, name.replace(" ", "_"), int(value))

    def _expect(self, step: Step) -> None:
        expecting = self._expecting(step)
        began = time.monotonic()
        if step.what == "nothing":
            expecting.nothing(step.within)
        elif step.what == "disconnect":
            expecting.disconnect(step.within)
        else:
            expecting.message(step.what, step.fields, step.within)
        waited = time.monotonic() - began
        if waited < step.after:
            raise Wrong(f"it came after {waited:.2f} s, not before {step.after} s was right")

    def _any_order(self, step: Step) -> None:
        """All of one session, or of several."""
        for role in dict.fromkeys(each.on for each in step.steps):
            own = [each for each in step.steps if each.on == role]
            self._expecting(own[0]).any_of([(each.what, each.fields) for each in own], own[0].within)

    def _admin(self, step: Step) -> None:
        problem = self._stage.admin(self._variables.fill(step.what))
        if problem:
            raise Wrong(problem)

    def _restart(self, step: Step) -> None:
        problem = self._stage.restart(step.what == "kill")
        if problem:
            raise Wrong(problem)

    def _note(self, step: Step) -> None:
        self._conversation.append(Said(self._now(), "", "note", step.what))

    # -- and what they need --------------------------------------------------------------------------

    def _expecting(self, step: Step) -> Expecting:
        return Expecting(self._speakers[step.on], self._variables, step.skip, self._patience)

    def _leave(self) -> None:
        """The next script must find the sessions free and the book empty. No step, no verdict."""
        for role, speaker in self._speakers.items():

            def draft(msg_type: str, fields: Values, role: str = role) -> list[tuple[int, str]]:
                return self._drafting[role].fields(msg_type, fields, {})

            if self.script.plain:
                speaker.close()
            else:
                leave(speaker, self._orders[role], draft)


def _words(speaker: Speaker, raw: bytes) -> str:
    try:
        return speaker.names.words(Message(raw))
    except ValueError:
        return ""


def variables(profile: Profile, version: str, symbol: str, cast: dict[str, str]) -> Variables:
    """What scripts may refer to: `$price`, `$quantity`, `$symbol`, `$version` (BeginString),
    `$venue` (its CompID), and of each role `$account a` and `$session a`."""
    given = {"price": profile.price, "quantity": profile.quantity, "symbol": symbol, "tick": profile.tick}
    given |= {"version": version, "venue": profile.comp_id}
    for role, name in cast.items():
        given[f"account {role.lower()}"] = profile.sessions.get(name, Member()).account
        given[f"session {role.lower()}"] = name
    prefix = f"{secrets.token_hex(4)}-"
    return Variables(given, profile.tick_size(), lambda name: prefix + name.replace(" ", "-"))
