"""What a check of the audit is, and how one is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx

#: So many findings of a check are told one by one; of the rest only their number.
TOLD_MAX = 20
#: Rows fetched at a time: the audit's memory does not grow with the books.
STREAMED_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong: which check found it, and which rows do not agree."""

    check: str
    text: str

    def __str__(self) -> str:
        return f"{self.check}: {self.text}"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold. `search` yields a text for every place where it does not."""

    name: str
    #: What holds, as a sentence.
    claim: str
    search: Callable[[ReadTx], Iterator[str]]

    def run(self, tx: ReadTx) -> list[Finding]:
        """Return what is wrong: the first findings one by one, and how many more there are."""
        findings: list[Finding] = []
        more = 0
        for text in self.search(tx):
            if len(findings) < TOLD_MAX:
                findings.append(Finding(self.name, text))
            else:
                more += 1
        if more:
            findings.append(Finding(self.name, f"and {more} more"))
        return findings


def rule(name: str, claim: str, text: str, query: str) -> Check:
    """Make a check out of a query for the rows that break it; `text` names one of them by its columns."""

    def search(tx: ReadTx) -> Iterator[str]:
        for row in _streamed(tx, query).mappings():
            yield text.format_map(row)

    return Check(name, claim, search)


def rows(tx: ReadTx, query: str) -> Iterator[Any]:
    """Yield the rows of a query, as tuples, without holding them all."""
    for some in _streamed(tx, query).partitions(STREAMED_ROWS):
        yield from some


def _streamed(tx: ReadTx, query: str) -> sa.CursorResult[Any]:
    return tx.execute(sa.text(query).execution_options(yield_per=STREAMED_ROWS))
