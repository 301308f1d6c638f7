"""What a check of the audit is, and how it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import takewhile
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.platform.db.transactions import ReadTx

#: Raised by reading an invalid row; the audit continues with the next.
UNREADABLE = (ArithmeticError, LookupError, ValueError, msgspec.DecodeError)
#: Findings of one check that are listed; of further ones only the number.
FINDINGS_SHOWN_MAX = 20
#: Rows fetched at a time: the audit's memory does not grow with the books.
STREAMED_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class Finding:
    """An error in the books: the check that found it, and the rows that disagree."""

    check: str
    text: str

    def __str__(self) -> str:
        return f"{self.check}: {self.text}"


@dataclass(frozen=True, slots=True)
class Check:
    """One invariant. `search` yields a text for every violation."""

    #: Its place among all.
    number: int
    name: str
    #: The invariant, as a sentence.
    invariant: str
    search: Callable[[ReadTx], Iterator[str]]

    def run(self, tx: ReadTx) -> list[Finding]:
        """Return the first findings, and one that counts the rest."""
        findings: list[Finding] = []
        more = 0
        for text in self.search(tx):
            if len(findings) < FINDINGS_SHOWN_MAX:
                findings.append(Finding(self.name, text))
            else:
                more += 1
        if more:
            findings.append(Finding(self.name, f"and {more} more"))
        return findings


def plain_checks() -> list[Check]:
    """Return the checks that are a query for the rows that violate them, in no order: `checks/NUMBER_name.sql`."""
    files = resources.files(__package__).joinpath("checks").iterdir()
    return [_plain_check(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in files]


def _plain_check(stem: str, query: str) -> Check:
    """Make a check from its file: the first lines say the invariant, and a finding by the columns of its row."""
    number, _, name = stem.partition("_")
    heading = takewhile(lambda line: line.startswith("-- "), query.splitlines())
    invariant, finding = " ".join(line.removeprefix("-- ") for line in heading).split(" Finding: ")

    def search(tx: ReadTx) -> Iterator[str]:
        for row in _streamed(tx, query).mappings():
            yield finding.format_map(row)

    return Check(int(number), name.replace("_", " "), invariant, search)


def rows(tx: ReadTx, query: str) -> Iterator[Any]:
    """Yield the rows of a query, as tuples, in constant memory."""
    for some in _streamed(tx, query).partitions(STREAMED_ROWS):
        yield from some


def _streamed(tx: ReadTx, query: str) -> sa.CursorResult[Any]:
    return tx.execute(sa.text(query).execution_options(yield_per=STREAMED_ROWS))
