"""A venue with its metrics, and what a scrape of them says."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.venue.floor import Floor, running

ON = {"on": "yes", "port": 0}
_READY = re.compile(r"metrics: ready fixgw metrics (\S+) path=")


class Scrape:
    """The samples of one moment."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                key = sample.name, frozenset(sample.labels.items())
                assert key not in self.samples, f"{key} twice"
                self.samples[key] = sample.value

    def __call__(self, name: str, **labels: str) -> float:
        """Of `fixgw_` and the name; 0 if there is none with these labels."""
        return self.samples.get((f"fixgw_{name}", frozenset(labels.items())), 0.0)

    def all(self, name: str, label: str) -> dict[str, float]:
        """By a label, summed over others, those that are not 0."""
        found: dict[str, float] = {}
        for (each, labels), value in self.samples.items():
            if each == f"fixgw_{name}" and value:
                key = dict(labels)[label]
                found[key] = found.get(key, 0) + value
        return found


def scrape(where: str) -> Scrape:
    with urlopen(f"http://{where}/metrics", timeout=10) as answer:
        assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain")
        return Scrape(answer.read().decode())


def wait_until(where: str, true: Callable[[Scrape], bool], what: str) -> Scrape:
    """Returns the first scrape of which that is so."""
    deadline = time.monotonic() + 30
    while not true(found := scrape(where)):
        assert time.monotonic() < deadline, f"waited in vain for {what}; the last scrape:\n{found.text}"
        time.sleep(0.05)
    return found


def endpoint(venue: Floor, number: int = 1) -> str:
    """HOST:PORT of the metrics process that the venue has started as the `number`th."""
    deadline = time.monotonic() + 30
    while len(found := _READY.findall(venue.errors)) < number:
        assert time.monotonic() < deadline, f"no metrics; the venue wrote:\n{venue.errors}"
        time.sleep(0.02)
    return found[number - 1]


@contextmanager
def measured(directory: Path, **sections: dict[str, Any]) -> Iterator[tuple[Floor, str]]:
    with running(directory, **({"metrics": ON} | sections)) as venue:
        yield venue, endpoint(venue)
