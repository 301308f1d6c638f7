"""Mutants that are made of source lines: `python -m tests.mutants.made money/ledger`, or `--changed main`.

Without any place: of what decides about money, results and rights. The tests of its package and those of the contract
are to notice each: those that reach its lines. `--tests` names others, `--changed` makes those of lines that differ
from a commit, `--sample 300` tries this many of them, drawn as by chance. `survivors/` names those that no test can or
need notice, with the reason: they are not tried. One that died is not tried again while the source is the same; one
that lives is, once the tests are other ones. Ends with 1 where another lives.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import json
import multiprocessing
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import pytest

from tests.mutants.entries import ROOT, SOURCE
from tests.mutants.known import RESULTS, Known
from tests.mutants.making import Made, changed_lines, functions_of, is_made_of, make, places_of, tests_of
from tests.mutants.reached import digest_of
from tests.mutants.scratch import Outcome, Unusable, scratch
from tests.mutants.trials import Left, Trials

LIMIT_S: Final = 60.0
#: What decides about money, results and rights.
PLACES: Final = (
    *("money/pricing", "money/ledger", "money/holds", "money/statements"),
    *("trading/book", "trading/desk", "trading/effects", "trading/resolution", "trading/odds"),
    *("trading/partner", "trading/statement", "market/series", "kernel/access", "site/webhooks"),
    *("people/users/keys.py", "people/users/key_routes.py", "people/users/sub_accounts.py"),
    "people/users/visibility.py",
)
SURVIVORS: Final = Path(__file__).with_name("survivors")
CONTRACT: Final = "tests/contract"
#: A survivor as `survivors/` names it: the file, its line as it is, and the line with the change; where the line stands
#: in several functions, the one that is meant, too.
Name = tuple[str, ...]


@functools.cache
def excused() -> set[Name]:
    """Return the survivors that are listed."""
    listed = [tomllib.loads(path.read_text())["survivors"] for path in sorted(SURVIVORS.glob("*.toml"))]
    return {tuple(one) for group in itertools.chain(*listed) for one in group["lines"]}


def named(mutant: Made) -> Name:
    """Return the name of a mutant."""
    source = (ROOT / mutant.path).read_text()
    lines, changed = source.splitlines(), mutant.applied(source).splitlines()
    line, becomes = lines[mutant.line - 1].strip(), changed[mutant.line - 1].strip()
    name = mutant.path.relative_to(SOURCE).as_posix(), line, becomes
    return name if len(places_of(source, line)) == 1 else (*name, functions_of(source)[mutant.line - 1])


def main(arguments: Sequence[str]) -> int:
    """Make the mutants that the arguments name and try them; return the exit status."""
    wanted = _parse(arguments)
    lines = changed_lines(wanted.changed) if wanted.changed else {}
    chosen = wanted.places or (() if wanted.changed else PLACES)
    paths = [path for place in chosen for path in _files(ROOT / SOURCE / place)]
    places = {path: None for path in paths if is_made_of(path)} | lines
    mutants = [one for path, of in places.items() for one in make(path, tuple(wanted.tests) or tests_of(path), of)]
    if wanted.sample is not None and wanted.sample < len(mutants):
        print(f"{len(mutants):,} made, {wanted.sample:,} of them drawn", flush=True)
        mutants = drawn(mutants, wanted.sample)
    found = Found(wanted.results)
    untried = [one for one in mutants if found.fate(one) is None and named(one) not in excused()]
    left = _try_in_place(untried, found, wanted) if untried else []
    if left:
        _try_in_copy(left, found)
    fates = Counter(_said(one, found) for one in mutants)
    print(", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())) or "No line is to be changed.")
    return 1 if fates["survived"] else 0


def drawn(mutants: Sequence[Made], count: int) -> list[Made]:
    """Return this many of them, in their order: those whose digests come first, so the same of the same source."""
    chosen = {one.digest for one in sorted(mutants, key=lambda one: one.digest)[:count]}
    return [one for one in mutants if one.digest in chosen]


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.made", description="Make mutants and try them.")
    parser.add_argument(
        "places",
        nargs="*",
        help="files or folders below src/foreknow (default: what decides about money, results and rights)",
    )
    parser.add_argument("--changed", metavar="COMMIT", help="of lines that differ from a commit")
    parser.add_argument("--sample", type=int, metavar="N", help="this many of them alone, drawn by chance")
    parser.add_argument("--tests", nargs="+", default=[], help="which are to notice them; else those of their package")
    parser.add_argument("--results", type=Path, default=RESULTS, help=f"what is known (default: {RESULTS})")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="how many at once")
    return parser.parse_args(arguments)


class Found:
    """What is known: of those that died, by this source; of those that live, by these tests, too."""

    def __init__(self, results: Path) -> None:
        source = digest_of("src")
        self._died = Known(results, source)
        self._lived = Known(results, source + digest_of("tests"))

    def put(self, mutant: Made, outcome: Outcome) -> None:
        (self._lived if outcome.fate == "survived" else self._died).put(mutant.digest, outcome)

    def fate(self, mutant: Made) -> Outcome | None:
        return self._died.get(mutant.digest) or self._lived.get(mutant.digest)


def _try_in_place(mutants: Sequence[Made], found: Found, wanted: argparse.Namespace) -> list[Left]:
    """Try those that need no module imported again; return the others."""
    # What tries them has imported the service; the copies of those that are left must not.
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_serve, args=(there, mutants, wanted))
    process.start()
    there.close()
    left: list[Left] = []
    with contextlib.suppress(EOFError):
        while True:
            match here.recv():
                case (Made() as mutant, Outcome() as outcome):
                    found.put(mutant, outcome)
                case Left() as one:
                    left.append(one)
    process.join()
    if process.exitcode:
        sys.exit(f"The tests did not run ({process.exitcode}).")
    return left


def _serve(there: Connection, mutants: Sequence[Made], wanted: argparse.Namespace) -> None:
    trials = Trials(mutants, lambda mutant, outcome: there.send((mutant, outcome)), processes=wanted.processes)
    tests = sorted(
        {folder for mutant in mutants for folder in mutant.tests} | ({CONTRACT} if not wanted.tests else set())
    )
    status = pytest.main(["-q", "-s", "-p", "no:cacheprovider", *tests], plugins=[trials])
    for one in trials.left:
        there.send(one)
    sys.exit(status)


def _try_in_copy(left: Sequence[Left], found: Found) -> None:
    with scratch() as copy:
        for one in left:
            try:
                with copy.with_mutant(one.mutant):
                    outcome = copy.try_tests(one.tests, limit_s=LIMIT_S)
            except Unusable as error:
                # Its tests cannot even be collected.
                outcome = Outcome("killed", 0.0, because=str(error)[-200:])
            found.put(one.mutant, outcome)


def _files(place: Path) -> list[Path]:
    if not place.exists():
        sys.exit(f"There is no {place}.")
    found = [place] if place.is_file() else sorted(place.rglob("*.py"))
    return [path.relative_to(ROOT) for path in found]


def _said(mutant: Made, found: Found) -> str:
    """Say what became of a mutant that lived, and return its fate."""
    outcome = found.fate(mutant)
    if outcome is None or outcome.fate == "survived":
        if named(mutant) in excused():
            return "survived with a reason"
        print(f"lives: {mutant}\n    {json.dumps(named(mutant), ensure_ascii=False)},")
        return "survived"
    return "killed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
