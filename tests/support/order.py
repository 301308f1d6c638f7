"""`bin/test --order SEED`: the tests in an order of chance, which is the same whenever the seed is.

The tests of a file and a database stay together, as each unit of `tests.support.units` does; slow ones still run first.
"""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from tests.support.units import Groups

_OPTION: Final = "--order"


def add_option(parser: pytest.Parser) -> None:
    """Let a run ask for an order."""
    parser.addoption(_OPTION, metavar="SEED", help="shuffle the units of tests, and the tests within each")


def header(config: pytest.Config) -> str | None:
    """Return the line that says how to get a run's order again."""
    seed = config.getoption(_OPTION)
    return None if seed is None else f"order: {_OPTION} {seed}"


def shuffle(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle what was collected, where a run asks for it: the same way in each of its processes."""
    seed = config.getoption(_OPTION)
    if seed is not None:
        by_name = {item.nodeid: item for item in items}
        items[:] = [by_name[name] for name in shuffled(list(by_name), seed=str(seed), root=config.rootpath)]


def shuffled(tests: list[str], *, seed: str, root: Path) -> list[str]:
    """Return the ids of tests in the order of a seed; how they were ordered before does not matter."""
    groups, found = Groups(root), defaultdict(list)
    for test in sorted(tests):
        found[groups.of(test)].append(test)
    # A text is hashed in the same way by every process.
    chance, names = random.Random(seed), sorted(found)
    chance.shuffle(names)
    for name in names:
        chance.shuffle(found[name])
    return [test for name in names for test in found[name]]
