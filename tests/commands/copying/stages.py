"""A watcher of a copy, for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Stages:
    """A watcher that notes its calls, and may do something at each stage."""

    then: Callable[[str], None] = lambda _what: None
    steps: dict[str, int] = field(default_factory=dict)

    def stage(self, what: str, steps: int) -> None:
        """See `Watcher.stage`."""
        self.steps[what] = 0
        self.then(what)

    def step(self, count: int) -> None:
        """See `Watcher.step`."""
        self.steps[next(reversed(self.steps))] += count
