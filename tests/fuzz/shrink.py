"""The smallest input that still fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input", bytes, list)  # type: ignore[type-arg]


def shrink(data: Input, fails: Callable[[Input], bool]) -> Input:
    """Leaves out ever smaller parts as long as what stays `fails`; `data` must fail."""
    size = len(data) // 2
    while size:
        start = 0
        while start < len(data):
            rest = data[:start] + data[start + size :]
            if len(rest) < len(data) and fails(rest):
                data = rest
            else:
                start += size
        size //= 2
    return data
