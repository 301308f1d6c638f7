"""The mutants of `just mutants` fit the source as it is, and the tests that are to notice them are there."""

from __future__ import annotations

import re
import subprocess
import sys
import types
from collections import Counter
from pathlib import Path

import pytest

from foreknow.kernel.backoff import BackOff
from tests.mutants.entries import AREAS, EACH, ROOT, Mutant, NotApplicable, load_all
from tests.mutants.inplace import Change, Functions
from tests.mutants.made import PLACES, drawn, excused
from tests.mutants.making import Maker, make, places_of

MUTANTS = load_all()
SOURCE = """
class Scale:
    def first(self) -> bool:
        return (
            self.low < 1
        )
    def second(self) -> bool:
        return self.low < 2
"""


@pytest.mark.parametrize("area", AREAS)
def test_each_mutant_changes_one_place_of_the_source(area: str) -> None:
    misfits = []
    for mutant in (one for one in MUTANTS if one.area == area):
        try:
            mutant.applied((ROOT / mutant.path).read_text())
        except (NotApplicable, FileNotFoundError) as error:
            misfits.append(str(error))

    assert not misfits, "\n".join(["", *misfits])


def test_there_are_as_many_of_each_area_and_their_numbers_follow_each_other() -> None:
    assert Counter(one.area for one in MUTANTS) == dict.fromkeys(AREAS, EACH)
    assert [one.number for one in MUTANTS] == list(range(1, len(MUTANTS) + 1))


def test_the_tests_that_are_to_notice_a_mutant_are_there() -> None:
    named = {test for mutant in MUTANTS for test in mutant.tests}

    assert sorted(name for name in named if not is_there(name)) == []


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    if not (ROOT / file).exists():
        return False
    return not name or re.search(rf"\bdef {re.escape(name.partition('[')[0])}\(", (ROOT / file).read_text()) is not None


def mutant(*, was: str, becomes: str, where: str = "") -> Mutant:
    return Mutant(
        number=1, area="pricing", file="scale.py", where=where, was=was, becomes=becomes, tests=(), killed_by=""
    )


def test_a_mutant_is_applied_whatever_the_white_space() -> None:
    changed = mutant(was="return ( self.low < 1 )", becomes="return False").applied(SOURCE)

    assert changed == SOURCE.replace("(\n            self.low < 1\n        )", "False")


def test_a_mutant_is_looked_for_in_the_function_that_it_names() -> None:
    changed = mutant(was="self.low <", becomes="self.low <=", where="Scale.second").applied(SOURCE)

    assert changed == SOURCE.replace("self.low < 2", "self.low <= 2")


@pytest.mark.parametrize(
    ("was", "becomes", "where", "said"),
    [
        ("self.low <", "self.low <=", "", "`was` occurs 2 times"),
        ("self.high", "self.low", "", "`was` occurs 0 times"),
        ("< 2", "<= 2", "Scale.first", "`was` occurs 0 times"),
        ("< 2", "<= 2", "Scale.third", "`where` occurs 0 times"),
        ("< 2", "<", "", "line 8 is no Python"),
        ("< 2", "<2", "", "is the same code"),
    ],
)
def test_a_mutant_that_does_not_fit_is_found(was: str, becomes: str, where: str, said: str) -> None:
    with pytest.raises(NotApplicable, match=said):
        mutant(was=was, becomes=becomes, where=where).applied(SOURCE)


def test_each_kind_of_line_is_made_a_mutant_of() -> None:
    source = """
async def pay(tx: int | None, kopecks: int = 0) -> None:
    \"\"\"Pay 5 kopecks.\"\"\"
    if kopecks // 2 > tx and not (kopecks in ()):
        raise Refused(kopecks - 7)
    await tx.run(rows.with_for_update())
    log.info("paid", one=1)
"""
    changes = sorted((source[begin:end], becomes) for begin, end, becomes, *_ in Maker(source).found)
    assert changes == [
        ("0", "1"),
        ("2", "3"),
        (">", ">="),
        ("and", "or"),
        ("await tx.run(rows.with_for_update())", "pass"),
        ("in", "not in"),
        ("kopecks // 2", "-(-(kopecks) // (2))"),
        ("not (kopecks in ())", "bool(kopecks in ())"),
        ("raise Refused(kopecks - 7)", "pass"),
        ("rows.with_for_update()", "rows"),
    ]


def test_the_lines_of_a_mutant_are_those_of_its_statement_or_of_what_begins_it() -> None:
    source = """
def pay(kopecks: int) -> int:
    if (
        kopecks
        > 7
    ):
        return kopecks
    return (
        kopecks
        + 1
    )
"""
    assert sorted((source[begin:end], around) for begin, end, _, _, around in Maker(source).found) == [
        ("+", range(8, 12)),
        ("1", range(8, 12)),
        ("7", range(3, 7)),
        (">", range(3, 7)),
    ]


def test_a_function_that_is_imported_gets_the_code_of_a_mutant() -> None:
    mutants = {one.was: one for one in make(Path("src/foreknow/kernel/backoff.py"), ())}
    source = (ROOT / mutants["-"].path).read_text()
    functions = Functions()

    def change(was: str) -> Change | None:
        return functions.change(mutants[was].path, source, mutants[was].applied(source))

    found = change("-")
    assert found is not None
    ((function, code),) = found
    assert function is BackOff.pause_ms
    changed = types.FunctionType(code, function.__globals__)
    pause = BackOff(first_ms=100, most_ms=10_000)
    assert (pause.pause_ms(2, jitter=1), changed(pause, 2, jitter=1)) == (100, 300)
    # A constant of the module is there before any of its functions runs.
    assert change("20") is None


def test_a_function_that_was_made_while_a_module_was_imported_gets_the_code_too() -> None:
    path = Path("src/foreknow/money/ledger/credits.py")
    source = (ROOT / path).read_text()
    mutant = next(one for one in make(path, ()) if "walk.c.id" in source.splitlines()[one.line - 1])
    change = Functions().change(path, source, mutant.applied(source))

    assert change is not None
    # One of each kind of transfer.
    assert Counter(function.__qualname__ for function, _ in change) == {"_since": 1, "_since.<locals>.build": 3}


TRIED = """
import sys
from pathlib import Path
import pytest
from tests.mutants.making import make
from tests.mutants.trials import Trials

mutants = make(Path("src/foreknow/kernel/backoff.py"), ("tests/kernel",))
tried = [one for one in mutants if one.was in ("20", "failures - 1", "-", "1")]
died = []
trials = Trials(tried, lambda mutant, outcome: died.append((mutant, outcome)), processes=2, folder=Path(sys.argv[1]))
assert pytest.main(["-q", "-p", "no:cacheprovider", "tests/kernel/test_backoff.py"], plugins=[trials]) == 0
for mutant, outcome in died:
    print(mutant.was, mutant.becomes, outcome.fate, outcome.killed_by.partition("::")[0])
print("left", *(one.mutant.was for one in trials.left))
"""


def test_mutants_die_by_the_tests_that_reach_them(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TRIED, str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert ended.returncode == 0, ended.stderr
    said = ended.stdout.splitlines()
    assert sorted(line for line in said if "tests/" in line) == [
        f"{change} killed tests/kernel/test_backoff.py" for change in ("- +", "- +", "1 2", "1 2")
    ]
    # A constant of the module is there before the first test.
    assert said[-1] == "left 20"


def test_a_sample_is_the_same_each_time_and_part_of_a_larger_one() -> None:
    mutants = list(make(Path("src/foreknow/kernel/backoff.py"), ()))
    few, more = drawn(mutants, 3), drawn(mutants[::-1], 6)
    assert len(few) == 3
    assert {one.digest for one in few} < {one.digest for one in more}
    assert drawn(mutants, 3) == few == sorted(few, key=mutants.index)


def test_the_places_of_which_mutants_are_made_by_default_are_there() -> None:
    assert [place for place in PLACES if not (ROOT / "src" / "foreknow" / place).exists()] == []


def test_what_is_listed_as_surviving_stands_in_the_source() -> None:
    assert [name for name in excused() if not is_in_the_source(*name)] == []


def is_in_the_source(file: str, line: str, becomes: str, where: str = "") -> bool:
    """Tell whether a line is there once, or, where it stands in several functions, in the one that is named."""
    source = (ROOT / "src" / "foreknow" / file).read_text()
    places = places_of(source, line)
    return becomes != line and (where in places if len(places) > 1 else bool(places) and not where)
