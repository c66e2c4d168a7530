"""Who is connected, by address; and of those who have not logged on yet, who makes room if there is none."""

from collections import OrderedDict
from typing import Generic, TypeVar

Visitor = TypeVar("Visitor")


class Crowd(Generic[Visitor]):
    """Every step takes the same time, however many there are: this is what a flood meets first."""

    def __init__(self) -> None:
        self._network: dict[Visitor, str] = {}
        self._of_network: dict[str, int] = {}
        self._strangers: dict[str, OrderedDict[Visitor, None]] = {}
        """by network, those who have not logged on; who came first is first"""
        self._networks: dict[int, OrderedDict[str, None]] = {}
        """networks by how many strangers they have"""
        self._most = 0
        """strangers of the network that has most of them"""

    def __len__(self) -> int:
        return len(self._network)

    def of(self, network: str) -> int:
        """How many are connected from there."""
        return self._of_network.get(network, 0)

    def strangers(self, network: str) -> list[Visitor]:
        return list(self._strangers.get(network, ()))

    def all_strangers(self) -> list[Visitor]:
        return [each for strangers in self._strangers.values() for each in strangers]

    def add(self, visitor: Visitor, network: str) -> None:
        """A new one, a stranger."""
        self._network[visitor] = network
        self._of_network[network] = self.of(network) + 1
        strangers = self._strangers.setdefault(network, OrderedDict())
        strangers[visitor] = None
        self._move(network, len(strangers) - 1, len(strangers))

    def log_on(self, visitor: Visitor) -> None:
        """No longer a stranger."""
        network = self._network[visitor]
        strangers = self._strangers.get(network)
        if strangers is not None and visitor in strangers:
            del strangers[visitor]
            self._move(network, len(strangers) + 1, len(strangers))
            if not strangers:
                del self._strangers[network]

    def remove(self, visitor: Visitor) -> None:
        """Gone; one who is not here may go again."""
        if visitor not in self._network:
            return
        self.log_on(visitor)
        network = self._network.pop(visitor)
        self._of_network[network] -= 1
        if not self._of_network[network]:
            del self._of_network[network]

    def who_makes_room(self) -> Visitor | None:
        """The oldest stranger of the network that has most of them; None without strangers."""
        if not self._most:
            return None
        network = next(iter(self._networks[self._most]))
        return next(iter(self._strangers[network]))

    def _move(self, network: str, before: int, after: int) -> None:
        """The network's number of strangers changes by one."""
        if before:
            del self._networks[before][network]
            if not self._networks[before]:
                del self._networks[before]
        if after:
            self._networks.setdefault(after, OrderedDict())[network] = None
        self._most = max(self._most, after)
        if self._most not in self._networks:
            self._most = after
