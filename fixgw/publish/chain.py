"""The messages of one order, over its replaces, out of all that a session's log holds."""

from collections.abc import Iterable, Iterator

from fixgw.codec.stream import Ids, ids
from fixgw.messages.lines import IN, OUT
from fixgw.publish.messages import Logged

Placed = tuple[int, Logged, Ids]
"""with its place in the log"""


def order_ids(messages: Iterable[Logged | None], wanted: str) -> set[str]:
    """The OrderIDs that the ClOrdID or OrderID `wanted` belongs to. A ClOrdID used again on another day
    belongs to several."""
    mark = wanted.encode("utf-8", "surrogateescape")
    found = [ids(each.text) for each in messages if each is not None and mark in each.text]
    return {each.order_id for each in found if each.order_id and _names(each, wanted)}


def _names(found: Ids, wanted: str) -> bool:
    return wanted != "" and wanted in (found.order_id, found.cl_ord_id, found.orig_cl_ord_id)


def of_order(messages: Iterable[Logged | None], wanted: str, known: set[str]) -> Iterator[Logged | None]:
    """Those of the orders `known` (OrderIDs), and those that name `wanted`. Requests have no OrderID: their
    answers tell."""
    chain = _Chain(wanted, known)
    chosen: list[Placed] = []
    for place, each in enumerate(messages):
        if each is not None and each.kind in (IN, OUT):
            chosen += chain.choose((place, each, ids(each.text)))
        elif each is None:
            yield from _in_order([*chosen, *chain.unanswered()])
            yield None
            chosen = []
    yield from _in_order([*chosen, *chain.unanswered()])


def _in_order(chosen: list[Placed]) -> Iterator[Logged]:
    return (message for _, message, _ in sorted(chosen, key=lambda placed: placed[0]))


class _Chain:
    def __init__(self, wanted: str, order_ids: set[str]) -> None:
        self._wanted = wanted
        self._order_ids = set(order_ids)
        self._cl_ord_ids: set[str] = set()
        """those the order has had"""
        self._waiting: dict[str, list[Placed]] = {}
        """requests without an answer, by ClOrdID"""

    def choose(self, placed: Placed) -> list[Placed]:
        """What is known by this message to be of the order."""
        _, message, found = placed
        if message.kind == IN:
            if found.cl_ord_id:
                self._waiting.setdefault(found.cl_ord_id, []).append(placed)
            return []
        requests = self._take_requests(found)
        names_an_order = found.order_id or found.cl_ord_id
        if not any(map(self._is_of_order, [found] if names_an_order else [each[2] for each in requests])):
            return []
        if found.order_id:
            self._order_ids.add(found.order_id)
            self._cl_ord_ids |= {found.cl_ord_id, found.orig_cl_ord_id} - {""}
        return [*requests, placed]

    def unanswered(self) -> list[Placed]:
        """The requests that name the order, after everything else."""
        waiting = [each for requests in self._waiting.values() for each in requests]
        chosen = [each for each in waiting if self._is_of_order(each[2])]
        for _, _, found in chosen:
            self._waiting.pop(found.cl_ord_id, None)
        return chosen

    def _is_of_order(self, found: Ids) -> bool:
        """Without an OrderID a ClOrdID alone does not tell: clients may use it again on another day."""
        if found.order_id in self._order_ids or _names(found, self._wanted):
            return True
        return not found.order_id and found.orig_cl_ord_id in self._cl_ord_ids

    def _take_requests(self, answer: Ids) -> list[Placed]:
        """The ones it answers: a Reject names their MsgSeqNum only."""
        if answer.cl_ord_id:
            return self._waiting.pop(answer.cl_ord_id, [])
        for name, requests in self._waiting.items():
            if requests[-1][2].sequence == answer.reference:
                return self._waiting.pop(name)
        return []
