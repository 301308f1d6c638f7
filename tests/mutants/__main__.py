"""`just mutants`, or `python -m tests.mutants`: try the mutants of the list, and say which the tests notice.

One after the other takes its place in a copy of the checkout, where its tests run until the first fails, on both
databases; before that they are run without it. What is known of this very source and these very tests is not tried
again: a run that was cut off goes on. `build/mutants.jsonl` says besides why each test failed.

Ends with 1 where a mutant lives, or could not be tried.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.entries import AREAS, BASELINE, EACH, Mutant, NotApplicable, load_all
from tests.mutants.known import RESULTS, Known
from tests.mutants.scratch import Scratch, Unusable, scratch

#: Longest run of a mutant's tests, which take seconds on a machine that has nothing else to do.
LIMIT_S = 3_600.0


def main(arguments: Sequence[str]) -> int:
    """Try the mutants that the arguments name; return the exit status."""
    wanted = _parse(arguments)
    first, last = wanted.only
    mutants = [one for one in load_all() if first <= one.number <= last and wanted.area in {None, one.area}]
    with scratch() as copy:
        known = Known(wanted.results, copy.digest)
        bad = [one for one in mutants if not _dies(copy, known, one)]
    _sum_up(known, mutants)
    for mutant in bad:
        print(f"{mutant} died at {BASELINE}, by {mutant.killed_by}: {mutant.was!r} → {mutant.becomes!r}")
    return 1 if bad else 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Try the mutants of the list.")
    everything = (1, len(AREAS) * EACH)
    parser.add_argument("--only", type=_span, default=everything, metavar="N..M", help="numbers from N to M; N: one")
    parser.add_argument("--area", choices=AREAS, help="those of one area")
    parser.add_argument("--results", type=Path, default=RESULTS, help=f"what is known (default: {RESULTS})")
    return parser.parse_args(arguments)


def _span(text: str) -> tuple[int, int]:
    first, _, last = text.partition("..")
    return int(first), int(last or first)


def _dies(copy: Scratch, known: Known, mutant: Mutant) -> bool:
    """Try a mutant, say what became of it, and return whether a test noticed it."""
    outcome = known.get(mutant.digest)
    if outcome is None:
        try:
            _try_without(copy, known, mutant.tests)
            with copy.with_mutant(mutant):
                outcome = copy.try_tests(mutant.tests, limit_s=LIMIT_S)
        except (NotApplicable, Unusable) as failure:
            print(f"{mutant.number:>3}  {mutant.area:<10}  could not be tried: {failure}", flush=True)
            return False
        known.put(mutant.digest, outcome)
    place = f"{mutant.number:>3}  {mutant.area:<10}"
    print(f"{place}  {outcome.fate:<9}  {outcome.cpu_s:>5.1f} s  {mutant.file}  {outcome.killed_by}", flush=True)
    return outcome.fate == "killed"


def _try_without(copy: Scratch, known: Known, tests: Sequence[str]) -> None:
    """Raise `Unusable` where tests fail without any mutant, or are not there."""
    unknown = [test for test in tests if known.get(test) is None]
    if not unknown:
        return
    outcome = copy.try_tests(unknown, limit_s=LIMIT_S)
    if outcome.fate != "survived":
        raise Unusable(f"without it, too: {outcome.fate} {outcome.killed_by}: {outcome.because}")
    for test in unknown:
        known.put(test, outcome)


def _sum_up(known: Known, mutants: Sequence[Mutant]) -> None:
    print()
    for area in AREAS:
        tried = [outcome for one in mutants if one.area == area and (outcome := known.get(one.digest))]
        if tried:
            counts = Counter(outcome.fate for outcome in tried)
            said = ", ".join(f"{count} {fate}" for fate, count in sorted(counts.items()))
            print(f"{area:<10}  {said}; {sum(outcome.cpu_s for outcome in tried):.0f} CPU seconds")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
