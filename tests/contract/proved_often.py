"""Which words of the contract several tests prove, and what these cost: `just proofs`, after `bin/test --cpu-file`.

Where another test shows the same, the dearer one can go. The words that cost most beside their cheapest test come
first.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.contract.unproven import Page, named_in
from tests.support.modules import ROOT
from tests.support.proofs import PAGES, page_of

SHOWN = 60
EXCERPT_LENGTH = 100


@dataclass(frozen=True, slots=True)
class ProvedOften:
    """Words of one line that the same tests prove, and the CPU seconds of all cases of each."""

    place: str
    text: str
    costs_s: Mapping[str, float]

    @property
    def spare_s(self) -> float:
        """What all but the cheapest of them cost."""
        return sum(self.costs_s.values()) - min(self.costs_s.values())


def costs_of_tests(times: Mapping[str, float]) -> dict[str, float]:
    """Add up the cases of each test."""
    costs: dict[str, float] = defaultdict(float)
    for nodeid, cpu_s in times.items():
        costs[nodeid.partition("[")[0]] += cpu_s
    return costs


def proved_often(times: Mapping[str, float]) -> list[ProvedOften]:
    """Everything that several of the measured tests prove, what costs most first."""
    costs_s = costs_of_tests(times)
    pages = {name: Page.of(page_of(name).read_text()) for name in PAGES}
    proofs: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for named in named_in.found:
        test = f"tests/{named.place.rpartition(':')[0]}::{named.test}"
        if test in costs_s:
            proofs[named.page] += [(*place, test) for place in pages[named.page].places(named.text)]
    found = [
        ProvedOften(f"{page_of(name).relative_to(ROOT)}:{line}", text, {test: costs_s[test] for test in tests})
        for name, page in pages.items()
        for (line, tests), text in _shared(page, proofs[name]).items()
    ]
    return sorted(found, key=lambda one: -one.spare_s)


def _shared(page: Page, proofs: Iterable[tuple[int, int, str]]) -> dict[tuple[int, frozenset[str]], str]:
    """The words that several tests name, by their line and these tests."""
    begin, end = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
    for start, stop, test in proofs:
        begin[start].append(test)
        end[stop].append(test)
    cuts = sorted({*begin, *end, *page.starts})
    open_tests: list[str] = []
    shared: dict[tuple[int, frozenset[str]], str] = {}
    line = 0
    for at, until in zip(cuts, [*cuts[1:], len(page.text)], strict=True):
        line = page.starts.get(at, line)
        for test in end[at]:
            open_tests.remove(test)
        open_tests += begin[at]
        tests = frozenset(open_tests)
        text = page.text[at:until].strip()
        if len(tests) > 1 and any(sign.isalnum() for sign in text):
            shared[line, tests] = f"{shared[line, tests]} … {text}" if (line, tests) in shared else text
    return shared


def main(path: str) -> None:
    """Print what the tests of a run prove several times, with their CPU seconds."""
    for one in proved_often(json.loads(Path(path).read_text()))[:SHOWN]:
        print(f"{one.spare_s:7.1f} s beside the cheapest  {one.place}: {one.text[:EXCERPT_LENGTH]}")
        for test, cpu_s in sorted(one.costs_s.items(), key=lambda cost: -cost[1]):
            print(f"{cpu_s:15.1f} s  {test}")


if __name__ == "__main__":
    main(*sys.argv[1:])
