"""Which of the tests that PostgreSQL has seen only repeat what others send it."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

#: Least number of tests in which each statement stays, unless fewer have it.
TIMES: Final = 3
#: What is about the database itself, about money where it moves, or about faults.
KEPT_FOLDERS: Final = (
    "commands/copying",
    "faults",
    "fuzzing",
    "history",
    "money",
    "platform",
    "releases",
    "service/servers",
    "trading/desk",
)
#: Words of tests in which several things happen at once, in an order, or with what only one of the databases does.
KEPT_BODIES: Final = re.compile(
    r"together\(|thread|gather\(|kill|new_db\b|plans\.|explain|restart\(|create_task|racing|asyncio\.timeout|without\("
    r"|\block|_lock",
    re.IGNORECASE,
)
KEPT_NAMES: Final = re.compile(
    r"alphabet|at_once|beside|case|collat|concurr|copy|crash|index|kill|lives|lock|migrat|order_of|plan|race|random"
    r"|restart|same_moment|sort|twice|unicode"
)
#: They send every statement there is, and look at few of the answers.
WEAK: Final = re.compile(r"/fuzzing/|/test_traversals|/test_every_line|/test_resources")
#: CPU seconds of each test beside its own.
_OVERHEAD_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Seen:
    """A test with all of its cases: what they cost together, and what they sent."""

    cost_s: float
    statements: frozenset[str]
    is_kept: bool


def seen(statements: Mapping[str, Collection[str]], cpu_s: Mapping[str, float], root: Path) -> dict[str, Seen]:
    """Return what was noted, by test; one of which nothing was noted works in other processes, and is kept."""
    sent: dict[str, set[str]] = defaultdict(set)
    cost_s: dict[str, float] = defaultdict(float)
    for case, cost in cpu_s.items():
        test = case.partition("[")[0]
        sent[test] |= set(statements.get(case, ()))
        cost_s[test] += cost
    return {
        test: Seen(cost_s[test], frozenset(found), not found or _is_kept(test, root)) for test, found in sent.items()
    }


def repeated(tests: Mapping[str, Seen]) -> list[str]:
    """Return the tests that may go: each statement stays in `TIMES` others, those that cost least."""
    kept = {test for test, one in tests.items() if one.is_kept}
    times = Counter(sent for test in kept if not WEAK.search(test) for sent in tests[test].statements)
    others = {test: one for test, one in tests.items() if test not in kept and not WEAK.search(test)}
    while others:
        worth = {
            test: sum(times[sent] < TIMES for sent in one.statements) / (one.cost_s + _OVERHEAD_S)
            for test, one in others.items()
        }
        best = max(sorted(worth), key=worth.__getitem__)
        if not worth[best]:
            break
        kept.add(best)
        times.update(others.pop(best).statements)
    return sorted(set(tests) - kept)


def _is_kept(test: str, root: Path) -> bool:
    file, _, name = test.partition("::")
    name = name.rpartition("::")[2]
    in_kept_folder = file.removeprefix("tests/").startswith(KEPT_FOLDERS)
    return in_kept_folder or bool(KEPT_NAMES.search(name) or KEPT_BODIES.search(bodies(root / file).get(name, "")))


@cache
def bodies(file: Path) -> Mapping[str, str]:
    """Return the text of each function of a file, by its name."""
    text = file.read_text()
    found: dict[str, str] = defaultdict(str)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] += ast.get_source_segment(text, node) or ""
    return found
