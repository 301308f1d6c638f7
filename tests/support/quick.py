"""`bin/test --quick`: the tests that a change of a package needs first, on SQLite, in about a minute.

    bin/test --quick                        of the packages that are changed, or that the last commit changed
    bin/test --quick trading/desk -k locks  of these packages; what begins with "-" goes to pytest, and all after it

In the order of what is likelier to fail: the tests of the package itself, the contract's, and those of the packages
that import it, the greatest importers first, as long as their budgets (`budgets.toml`) fit into the time. What does not
fit is named. `bin/test` prints what to run and runs it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import grimp

from tests.support.budgets import budgets_s

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = "foreknow"
#: Of which the collection by each process takes some.
LIMIT_S: Final = 60
COLLECTION_S: Final = 8
#: Of a folder's budget, which covers both databases, the slow tests and a fifth to spare, what this run needs.
SHARE: Final = 0.34
CONTRACT: Final = "contract"
OPTIONS: Final = ("-m", "not postgres and not slow")


class NoSuchPackage(SystemExit):
    """Its code is the sentence that says so."""


def main(arguments: list[str]) -> None:
    """Print pytest's arguments, one a line, and on standard error what is tested and what does not fit."""
    begin = next((place for place, argument in enumerate(arguments) if argument.startswith("-")), len(arguments))
    packages = [_package(name) for name in arguments[:begin]] or sorted(set(changed_packages(_changed_files())))
    if not packages:
        raise NoSuchPackage("bin/test --quick: no package is changed; name one: bin/test --quick trading/desk")
    cores = os.cpu_count() or 1
    chosen, left = choose(packages, limit_s=(LIMIT_S - COLLECTION_S) * cores)
    print("Tests of " + ", ".join(chosen) + ", on SQLite.", file=sys.stderr)
    if left:
        print("Left for bin/test: " + ", ".join(left) + ".", file=sys.stderr)
    print("\n".join([*OPTIONS, *arguments[begin:], *(f"tests/{folder}" for folder in chosen)]))


def choose(packages: Iterable[str], *, limit_s: float) -> tuple[list[str], list[str]]:
    """Return the folders whose tests a change of `packages` needs and that fit into `limit_s` CPU seconds; the rest.

    The packages' own always fit.
    """
    costs_s = {folder: budget_s * SHARE for folder, budget_s in budgets_s().items()}
    own = [folder for package in packages for folder in folders_of(package, costs_s)]
    wanted = [CONTRACT, *(folder for package in importers(packages) for folder in folders_of(package, costs_s))]
    chosen, left = list(dict.fromkeys(own)), []
    spent_s = sum(costs_s[folder] for folder in chosen)
    for folder in dict.fromkeys(wanted):
        if folder in chosen:
            continue
        if spent_s + costs_s[folder] > limit_s:
            left.append(folder)
            continue
        chosen.append(folder)
        spent_s += costs_s[folder]
    return chosen, left


def folders_of(package: str, folders: Iterable[str]) -> list[str]:
    """Return the folders of a package's tests, such as `trading/desk`: its own and those below it."""
    return [folder for folder in folders if folder == package or folder.startswith(f"{package}/")]


def importers(packages: Iterable[str]) -> list[str]:
    """Return the packages that import one of `packages`, those that do it in most modules first."""
    graph = grimp.build_graph(SOURCE, cache_dir=None)
    counts: Counter[str] = Counter()
    for package in packages:
        name = f"{SOURCE}.{package.replace('/', '.')}"
        inside = {module for module in graph.modules if module == name or module.startswith(f"{name}.")}
        outside = {importer for module in inside for importer in graph.find_modules_that_directly_import(module)}
        counts.update(_package_of_module(importer) for importer in outside - inside)
    return [package for package, _ in counts.most_common()]


def changed_packages(files: Iterable[str]) -> Iterator[str]:
    """Yield the packages that files of the checkout belong to, or their tests."""
    for file in files:
        path = Path(file).with_suffix("")
        for above in (Path("src", SOURCE), Path("tests")):
            if path.is_relative_to(above):
                package = _package_of_parts(path.relative_to(above).parts)
                if package in set(budgets_s()) | {folder.partition("/")[0] for folder in budgets_s()}:
                    yield package


def _changed_files() -> list[str]:
    """Return what differs from the last commit, or what that commit changed."""
    changed = _git("diff", "--name-only", "HEAD") + _git("ls-files", "--others", "--exclude-standard")
    return changed or _git("diff-tree", "--no-commit-id", "--name-only", "-r", "HEAD")


def _git(*command: str) -> list[str]:
    ended = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise NoSuchPackage("bin/test --quick: git does not say what is changed; name a package")
    return ended.stdout.split()


def _package(name: str) -> str:
    """Return the package that an argument names: `trading/desk`, `src/foreknow/trading/desk`, `tests/trading/desk`."""
    package = name.rstrip("/").removeprefix(f"src/{SOURCE}/").removeprefix("tests/")
    if not folders_of(package, budgets_s()):
        raise NoSuchPackage(f"bin/test --quick: {name} has no tests of its own; packages are named as trading/desk")
    return package


def _package_of_module(module: str) -> str:
    return _package_of_parts(module.split(".")[1:])


def _package_of_parts(parts: Iterable[str]) -> str:
    """Return `trading/desk` for what lies in it, at any depth; `kernel` for a module of the layer itself."""
    layer, *rest = parts
    folders = budgets_s()
    return f"{layer}/{rest[0]}" if rest and f"{layer}/{rest[0]}" in folders else layer


if __name__ == "__main__":
    main(sys.argv[1:])
