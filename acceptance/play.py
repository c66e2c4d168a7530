"""Plays one script: its steps in order, up to the first that goes wrong."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Protocol

from acceptance.definitions import as_sent
from acceptance.expecting import Expecting, Wrong, in_any_order
from acceptance.grammar import BY_HAND, OUTPUTS
from acceptance.leaving import Orders, leave
from acceptance.masking import Secrets, said_in_secret
from acceptance.message import Drafting
from acceptance.profile import Member, Profile
from acceptance.results import CaseResult, StepResult
from acceptance.script import Script, Step, Values
from acceptance.speaker import Gone, Place, Speaker, Unconnected
from acceptance.standard import standard
from acceptance.telling import Telling
from acceptance.values import Unknown, variables
from acceptance.wire import Malformed, completed, whole

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
        members = {role: profile.sessions.get(name, Member()) for role, name in cast.items()}
        self._telling = Telling(standard(version), _secrets(script, members.values()))
        self._variables = variables(profile, version, symbol, cast)
        self._speakers: dict[str, Speaker] = {}
        self._drafting: dict[str, Drafting] = {}
        self._orders = {role: Orders() for role in cast}
        for role, name in cast.items():
            by_hand = BY_HAND if script.plain else script.by_hand
            told = self._telling.of(role, self._orders[role])
            speaker = Speaker(stage, version, name, profile.comp_id, told, by_hand)
            self._speakers[role] = speaker
            self._drafting[role] = Drafting(speaker.names, self._variables, profile, members[role], symbol)
        self._fresh = set(cast)
        """roles that have not logged on yet: their first Logon starts both numbers at 1"""
        self._left_behind: set[str] = set()
        """roles whose connection was to a venue that has been restarted since"""

    def run(self) -> CaseResult:
        steps: list[StepResult] = []
        outcome, why = "passed", ""
        for number, step in enumerate(self.script.steps, 1):
            if why:
                steps.append(StepResult(step.line, step.text, "not reached"))
                continue
            try:
                self._step(step)
                steps.append(StepResult(step.line, step.text, "passed", self._telling.now()))
            except Wrong as wrong:
                outcome, why = "failed", f"step {number}, line {step.line}: {step.text}: {wrong.problem}"
                steps.append(
                    StepResult(
                        step.line, step.text, "failed", self._telling.now(), wrong.problem, wrong.differences
                    )
                )
        self._leave()
        script = self.script
        case = CaseResult(
            file=str(script.file),
            title=script.title,
            version=self.version,
            proves=script.proves,
            outcome=outcome,  # type: ignore[arg-type]
            why=why,
            seconds=self._telling.now(),
            steps=steps,
            conversation=self._telling.said,
        )
        return self._telling.hide(case)

    def _step(self, step: Step) -> None:
        try:
            getattr(self, "_" + step.verb.replace(" ", "_"))(step)
        except Gone:
            raise Wrong("the venue has closed the connection") from None
        except (Unknown, Unconnected, Malformed) as problem:
            raise Wrong(str(problem)) from None
        except OSError as problem:
            raise Wrong(f"no connection: {problem.strerror or problem}") from None

    # -- the verbs -----------------------------------------------------------------------------------

    def _connect(self, step: Step) -> None:
        tls = self._stage.tls_context(step.certificate) if step.over == "tls" else None
        self._left_behind.discard(step.on)
        self._speakers[step.on].connect(tls, step.over if step.over in OUTPUTS else "")

    def _disconnect(self, step: Step) -> None:
        self._speakers[step.on].hang_up(CLOSES_WITHIN)

    def _logon(self, step: Step) -> None:
        """The fields are those of the Logon that is sent; the answer must be a Logon."""
        speaker = self._speakers[step.on]
        if speaker.connected and step.on in self._left_behind:
            Expecting(speaker, self._variables, CLOSES_WITHIN, ["Logout"]).disconnect(None, 0.0)
        self._left_behind.discard(step.on)
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
            speaker.heartbeat = float(whole(dict(fields).get(108)) or 0)

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
        self._expecting(step).exactly(step.what, self.script.patterns)

    def _numbers(self, step: Step) -> None:
        speaker = self._speakers[step.on]
        for name in ("next out", "next in"):
            if name in step.fields:
                number = whole(value := self._variables.fill(str(step.fields[name]), speaker.numbers))
                if number is None:
                    raise Wrong(f"{name}: {value!r} is no MsgSeqNum")
                setattr(speaker, name.replace(" ", "_"), number)

    def _expect(self, step: Step) -> None:
        expecting = self._expecting(step)
        if step.what == "nothing":
            expecting.nothing(step.within)
        elif step.what == "disconnect":
            expecting.disconnect(step.within, step.after)
        else:
            expecting.message(step.what, step.fields, step.within, step.after)

    def _any_order(self, step: Step) -> None:
        in_any_order(step.steps, self._speakers, self._variables, self._patience)

    def _admin(self, step: Step) -> None:
        try:
            problem = self._stage.admin(self._variables.fill(step.what))
        except ValueError as unclosed:  # of quotes, that came in with a variable
            problem = f"{unclosed}"
        if step.refused:
            expected = f"fixgw admin {step.what}: must be refused with {step.refused!r}"
            if problem is None:
                raise Wrong(f"{expected}, and was carried out")
            if step.refused not in problem:
                raise Wrong(f"{expected}; {problem}")
        elif problem:
            raise Wrong(problem)

    def _restart(self, step: Step) -> None:
        self._left_behind = set(self._speakers)
        problem = self._stage.restart(step.what == "kill")
        if problem:
            raise Wrong(problem)

    def _note(self, step: Step) -> None:
        self._telling.note(step.what)

    # -- and what they need --------------------------------------------------------------------------

    def _expecting(self, step: Step) -> Expecting:
        return Expecting(self._speakers[step.on], self._variables, self._patience, step.skip)

    def _leave(self) -> None:
        """The next script must find the sessions free and the book empty. No step, no verdict."""
        for role, speaker in self._speakers.items():

            def draft(msg_type: str, fields: Values, role: str = role) -> list[tuple[int, str]]:
                return self._drafting[role].fields(msg_type, fields, {})

            if self.script.plain:
                speaker.close()
            else:
                leave(speaker, self._orders[role], draft)


def _secrets(script: Script, members: Iterable[Member]) -> Secrets:
    """What is known beforehand: passwords of the profile, and what steps say in secret fields."""
    said = said_in_secret([step.fields for each in script.steps for step in (each, *each.steps)])
    return Secrets([*said, *(member.password for member in members)])
