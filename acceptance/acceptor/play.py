"""Plays one scenario with one client: its steps in order, up to the first that goes wrong."""

from __future__ import annotations

import secrets
from decimal import Decimal

from acceptance.acceptor.conversation import Conversation
from acceptance.acceptor.filling import Filling
from acceptance.acceptor.judging import Judging, is_request
from acceptance.acceptor.line import Line, Seen
from acceptance.acceptor.person import Nobody, Skipped
from acceptance.acceptor.scenario import Scenario, Step
from acceptance.expecting import Wrong
from acceptance.matching import decimal
from acceptance.reference.book import CANCELED, REPLACED, Order
from acceptance.results import CaseResult, Outcome, StepResult
from acceptance.values import Variables, plain
from acceptance.wire import Fields, Message

ANSWERS = (CANCELED, REPLACED, "6", "E")
"""ExecTypes(150) that answer a request, if there is one"""


class Unasked(Exception):
    """A question that no one is there to answer."""


class Play:
    def __init__(self, scenario: Scenario, line: Line, person: Nobody, patience: float, wait: float) -> None:
        """`patience`: seconds for what the client's engine does by itself; `wait`: for what a person or a
        test does, and for a new connection."""
        self.scenario = scenario
        self._line, self._orders, self._person = line, line.orders, person
        self._reaction, self._leisure = patience, wait
        self._conversation = Conversation(line, self._sent)
        self._variables = Variables({}, Decimal("0.01"), lambda name: f"{name}-{secrets.token_hex(4)}")
        self._filling = Filling(line.names, self._variables)
        self._judging = Judging(line, self._variables, person.look)
        self._judging.keep_orders = not person.there
        self._prompted = False
        """the next thing awaited is a person's"""
        self._order: Order | None = None
        self._request: Message | None = None
        """the order or the request that came last"""
        self._missing: dict[str, int] = {}
        """ExecIDs(17) that did not reach the client yet, and their numbers"""

    @property
    def later(self) -> list[Message]:
        """Orders and requests that came and had no turn in this scenario."""
        return self._judging.later

    def run(self, trigger: Message | None = None) -> CaseResult:
        """`trigger`: the order that started it. Raises Stopped."""
        line, scenario = self._line, self.scenario
        line.tell = self._conversation.tell
        self.later.extend(item for item in line.heard if is_request(item))
        line.heard.clear()
        if trigger is not None:
            self._conversation.tell("in", trigger.bytes)
            line.heard.append(trigger)
        steps: list[StepResult] = []
        outcome, why = self._steps(steps)
        if outcome == "failed":
            line.objections.clear()  # the scenario has paid for them
        self._leave(why)
        return CaseResult(
            str(scenario.file), scenario.title, line.session.settings.begin_string, scenario.proves,
            outcome, why, self._conversation.now(), steps, list(self._conversation.said),
        )  # fmt: skip

    def _steps(self, steps: list[StepResult]) -> tuple[Outcome, str]:
        outcome: Outcome = "passed"
        why = ""
        for number, step in enumerate(self.scenario.steps, 1):
            result = StepResult(step.line, step.text, "not reached")
            steps.append(result)
            if why:
                continue
            try:
                self._step(step)
                self._judging.objections()
                result.outcome = "passed"
            except Unasked:
                result.problem = "asked only where a person attends"
            except Skipped as skipped:
                outcome, why = "not run", str(skipped)
            except Wrong as wrong:
                outcome, why = "failed", f"step {number}, line {step.line}: {step.text}: {wrong.problem}"
                result.outcome, result.problem = "failed", wrong.problem
                result.differences = wrong.differences
            result.seconds = self._conversation.now()
            self._person.step(result)
        return outcome, why

    def _step(self, step: Step) -> None:
        history = self._line.history
        numbers = {"next": history.sender, "last": history.sender - 1, "expected": history.target}
        for name, number in numbers.items():
            self._variables.remember(name, str(number))
        getattr(self, "_" + step.verb.replace(" ", "_"))(step)

    # -- the verbs -----------------------------------------------------------------------------------

    def _prompt(self, step: Step) -> None:
        self._person.prompt(step.what)
        self._conversation.note(step.what)
        self._prompted = True

    def _await(self, step: Step) -> None:
        persons = self._prompted or "Logon" in step.awaited
        self._prompted = False
        seconds = self._seconds(step, self._leisure if persons else self._reaction)
        message = self._judging.message(step.awaited, step.fields, seconds, step.skip)
        if message is None or isinstance(message, Seen):
            return
        if message.msg_type in ("D", "F", "G"):
            self._request = message
            self._variables.remember("request", message[11])
        if message.msg_type == "D":
            self._order = self._orders.enter(message)
            self._variables.remember("order", message[11])
            self._variables.remember("order number", message[34])

    def _report(self, step: Step) -> None:
        """Which fields it has comes from the order; `fields` go over them."""
        order = self._order
        assert order is not None, "checked when the scenario was read"
        exec_type = self._line.names.value(150, step.what)
        request = self._request if exec_type in ANSWERS and self._answers_request() else None
        options = step.options
        price = self._filling.fill(options.get("price", ""))
        body = self._orders.report(order, exec_type, options.get("quantity", "rest"), price, request)
        exec_id = dict(body)[17]
        self._variables.remember(options.get("remember", "exec"), exec_id)
        self._variables.remember("filled", plain(order.filled))
        lost = options.get("lost") == "yes"
        number = self._line.report("8", self._filling.over(body, step.fields), lost)
        if lost:
            if not self._missing:
                self._variables.remember("lost", str(number))
            self._missing[exec_id] = number

    def _refuse(self, step: Step) -> None:
        assert self._request is not None, "checked when the scenario was read"
        msg_type, body = self._orders.refusal(self._request, step.what)
        self._line.report(msg_type, self._filling.over(body, step.fields))

    def _send(self, step: Step) -> None:
        msg_type = self._line.names.msg_type(step.what) or ""
        header = dict(self._filling.tags(step.header))
        body: Fields = list(self._filling.tags(step.fields))
        self._connected()
        self._line.say(msg_type, body, header, step.options.get("uncounted") != "yes")
        new = dict(body).get(36)
        if msg_type == "4" and new is not None:
            self._line.history.sender = int(str(new))

    def _repeat(self, step: Step) -> None:
        self._connected()
        number, sent = max(self._line.history.sent.items(), key=lambda item: item[0])
        if step.what == "PossDup":
            self._line.again(number)
        else:
            self._line.report(sent.msg_type, [(97, "Y"), *sent.body])

    def _skip(self, step: Step) -> None:
        self._line.session.skip(int(step.what))

    def _hold(self, step: Step) -> None:
        self._line.held = []

    def _release(self, step: Step) -> None:
        self._line.release()

    def _silence(self, step: Step) -> None:
        self._line.silent = step.what == "on"

    def _log_out(self, step: Step) -> None:
        self._connected()
        self._line.log_out(step.what)

    def _disconnect(self, step: Step) -> None:
        self._line.close()

    def _wait(self, step: Step) -> None:
        self._line.idle(float(step.what))

    def _still_there(self, step: Step) -> None:
        """It answers a TestRequest(1), in its turn: so it has dealt with all before. And its own numbers
        have no gap."""
        self._connected()
        label = f"CERTIFY-{secrets.token_hex(3)}"
        self._line.ask(label)
        seconds = self._seconds(step, self._reaction)
        self._judging.message(["Heartbeat"], {"TestReqID": label}, seconds, step.skip)
        session, history = self._line.session, self._line.history
        otherwise = f"the client did not answer the venue's ResendRequest(2) from {history.target} on"
        self._judging.until(lambda: not session.gap_end, seconds, otherwise)

    def _delivered(self, step: Step) -> None:
        """Everything that was lost on the way was asked for and sent."""
        numbers = ", ".join(map(str, self._missing.values()))
        otherwise = (
            f"the client did not ask for message {numbers}: no ResendRequest(2) for it, "
            "and no Logon with NextExpectedMsgSeqNum(789)"
        )
        self._judging.until(lambda: not self._missing, self._seconds(step, self._reaction), otherwise)

    def _ask(self, step: Step) -> None:
        if not self._person.there:
            raise Unasked
        right = self._filling.fill(step.options.get("answer", ""))
        given = self._person.ask(step.what, self._leisure, self._line.idle)
        number = decimal(right)
        if given.lower() != right.lower() if number is None else decimal(given) != number:
            raise Wrong(f"the answer was {given or 'nothing'!r}, right is {right!r}")

    # -- and what they need --------------------------------------------------------------------------

    def _connected(self) -> None:
        if not self._line.connected:
            self._judging.objections()
            raise Wrong("the client closed the connection")

    def _answers_request(self) -> bool:
        request = self._request
        return request is not None and request.msg_type != "D" and self._orders.unanswered(request)

    def _seconds(self, step: Step, otherwise: float) -> float:
        if step.within is None:
            return otherwise
        seconds = step.within.seconds(self._line.session.heartbeat)
        return max(seconds, self._reaction) if step.within.heartbeats else seconds

    def _leave(self, why: str) -> None:
        """The session is free for the next scenario; what the client waits for, it is told."""
        line = self._line
        if line.silent:
            line.close()
        line.release()
        request = self._judging.compared
        if why and request is not None and self._orders.unanswered(request):
            msg_type, body = self._orders.refusal(request, f"The scenario is over: {why}"[:200])
            line.report(msg_type, body)

    def _sent(self, message: Message) -> None:
        self._missing.pop(message.get(17) or "", None)
