"""The audit finds nothing in good books, and each thing that is wrong in bad ones."""

from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.commands.audit import CHECKS, Finding, audit
from foreknow.commands.audit.rules import FINDINGS_SHOWN_MAX, rows
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import ReadTx
from tests.commands.audit.books import keep_books
from tests.commands.audit.corruptions import CORRUPTIONS
from tests.support.proofs import proves
from tests.support.service import Service


@pytest.fixture(scope="module")
def books_url(module_database_url: str) -> str:
    """A database with full books, of the kind whose turn it is."""
    service = Service(module_database_url)
    keep_books(service)
    service.stop()
    return module_database_url


@pytest.fixture
async def books(books_url: str) -> AsyncIterator[Database]:
    """The full books; a test that changes them must put them back."""
    database = open_database(books_url)
    yield database
    await database.close()


class Undo(Exception):
    """Rolls a transaction back, and tells what was found in it."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__()
        self.findings = findings


async def audit_after(
    books: Database,
    *statements: str,
    values: dict[str, Any] | None = None,
    search: Callable[[ReadTx], list[Finding]] = audit,
) -> list[Finding]:
    """Do something to the books that their constraints would not allow, audit them, undo it."""

    def work(tx: ReadTx) -> None:
        if books.is_sqlite:
            tx.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            tx.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        else:
            tx.exec_driver_sql("SET LOCAL session_replication_role = replica")
            for table in (
                "accounts ck_accounts_never_below_zero",
                "statement_totals ck_statement_totals_never_below_zero",
            ):
                tx.exec_driver_sql("ALTER TABLE {} DROP CONSTRAINT {}".format(*table.split()))
        try:
            for statement in statements:
                changed = tx.execute(sa.text(statement.replace(":", "\\:")), values).rowcount
                assert changed > 0, "the corruption met no row"
            raise Undo(search(tx))
        finally:
            if books.is_sqlite:
                tx.exec_driver_sql("PRAGMA ignore_check_constraints = OFF")

    with pytest.raises(Undo) as undone:
        await books.write(work)
    return undone.value.findings


async def test_good_books_are_found_good(books: Database) -> None:
    assert await books.read(audit) == []


@proves(
    "decisions: `foreknow audit` proves the books from the rows alone: entries sum to 0, every balance equals its "
    "entries, every position its trades, every pool's escrow covers its worst outcome, every q its trades (and "
    "splits, lists.md).",
)
@pytest.mark.parametrize("name", dict.fromkeys(name for name, _ in CORRUPTIONS))
async def test_what_is_wrong_is_found(books: Database, name: str) -> None:
    """By the check that is named; on SQLite all of them run, so that none fails over what is wrong elsewhere."""
    (named,) = (one for one in CHECKS if one.name == name)
    for statement in (statement for check, statement in CORRUPTIONS if check == name):
        findings = await audit_after(books, statement, search=audit if books.is_sqlite else named.run)
        assert name in {finding.check for finding in findings}, (statement, findings)


def test_every_check_was_seen_to_find_something() -> None:
    assert {check.name for check in CHECKS} == {check for check, _ in CORRUPTIONS}
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_checks_run_in_the_order_of_their_numbers_which_leave_none_out() -> None:
    assert [check.number for check in CHECKS] == list(range(1, len(CHECKS) + 1))


async def test_a_finding_names_the_rows(books: Database) -> None:
    findings = await audit_after(books, "UPDATE markets SET q_yes = q_yes + 1 WHERE id = 3")
    assert any(str(finding).startswith("markets: market 3 has q_yes") for finding in findings), findings


async def test_an_unreadable_answer_of_a_key_is_found(books: Database) -> None:
    body = "x'7b'" if books.is_sqlite else "'\\x7b'"
    findings = await audit_after(books, f"UPDATE idempotency_keys SET body = {body}")
    assert "holds no readable answer" in findings[0].text


async def test_of_many_findings_the_first_are_listed_and_the_rest_counted(books: Database) -> None:
    found = [
        finding
        for finding in await audit_after(books, "UPDATE trades SET shares = shares + 1")
        if finding.check == "keys"
    ]
    assert len(found) == FINDINGS_SHOWN_MAX + 1
    assert found[-1].text.startswith("and ")


async def test_money_to_and_fro_may_pass_64_bits(books: Database) -> None:
    """2,200 transfers of the largest amount: each side of the account sums to more than an integer holds."""
    there_and_back = """
        INSERT INTO transfers (kind, source_account_id, target_account_id, amount_kopecks, created_at_ms)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
        SELECT CASE w.way WHEN 1 THEN 'credit' ELSE 'debit' END, CASE w.way WHEN 1 THEN h.id ELSE u.id END,
               CASE w.way WHEN 1 THEN u.id ELSE h.id END, 9000000000000000, 0
        FROM n, (SELECT 1 AS way UNION ALL SELECT 2) w, accounts h, accounts u
        WHERE h.kind = 'house' AND u.id = (SELECT MIN(id) FROM accounts WHERE kind = 'user')
    """
    assert await audit_after(books, there_and_back) == []


async def test_rows_are_streamed(books: Database) -> None:
    """Forty thousand rows pass through in the memory of a few."""
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) SELECT i, i FROM n"

    def work(tx: ReadTx) -> tuple[int, int]:
        tracemalloc.start()
        count = sum(1 for _ in rows(tx, numbers))
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return count, peak_bytes

    count, peak_bytes = await books.read(work)
    assert count == 40_000
    assert peak_bytes < 3_000_000
