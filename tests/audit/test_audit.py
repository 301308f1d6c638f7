"""The audit finds nothing in good books, and each thing that is wrong in bad ones."""

from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.audit import CHECKS, Finding, audit
from foreknow.audit.rules import FINDINGS_SHOWN_MAX, rows
from foreknow.db.engine import Database, open_database
from foreknow.db.transactions import ReadTx
from tests.audit.books import keep_books
from tests.support.proofs import proves
from tests.support.schema import prepare
from tests.support.service import Service

#: What is done to the books, and which check must say so.
CORRUPTIONS: list[tuple[str, str]] = [
    ("entries", "UPDATE transfers SET kind = 'sale' WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'bet')"),
    ("entries", "UPDATE transfers SET target_account_id = 999999 WHERE id = (SELECT MAX(id) FROM transfers)"),
    ("entries", "UPDATE transfers SET kind = 'gift' WHERE id = (SELECT MIN(id) FROM transfers)"),
    ("balances", "UPDATE accounts SET balance_kopecks = balance_kopecks + 1 WHERE kind = 'house'"),
    (
        "balances",
        (
            "UPDATE accounts SET balance_kopecks = balance_kopecks"
            " + CASE kind WHEN 'house' THEN -4294967296 ELSE 4294967296 END"
            " WHERE kind = 'house' OR id = (SELECT MIN(id) FROM accounts WHERE kind = 'user')"
        ),
    ),
    ("balances", "UPDATE transfers SET amount_kopecks = amount_kopecks + 1 WHERE id = (SELECT MAX(id) FROM transfers)"),
    ("balances", "DELETE FROM transfers WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'credit')"),
    (
        "balances",
        (
            "INSERT INTO transfers (kind, source_account_id, target_account_id, amount_kopecks, created_at_ms)"
            " SELECT 'credit', h.id, u.id, 5, 0 FROM accounts h, accounts u"
            " WHERE h.kind = 'house' AND u.id = (SELECT MIN(id) FROM accounts WHERE kind = 'user')"
        ),
    ),
    ("total", "UPDATE accounts SET balance_kopecks = balance_kopecks + 5 WHERE kind = 'house'"),
    ("signs", "UPDATE accounts SET balance_kopecks = -1 WHERE id = (SELECT MIN(id) FROM accounts WHERE kind = 'user')"),
    ("owners", "UPDATE users SET account_id = (SELECT MIN(account_id) FROM users) WHERE id = 2"),
    ("owners", "UPDATE users SET account_id = NULL WHERE id = 2"),
    ("owners", "INSERT INTO accounts (kind, owner_id, balance_kopecks) VALUES ('user', 999999, 0)"),
    ("owners", "INSERT INTO accounts (kind, owner_id, balance_kopecks) VALUES ('house', 1, 0)"),
    ("owners", "UPDATE pools SET escrow_account_id = fees_account_id WHERE id = 1"),
    ("owners", "UPDATE pools SET fees_account_id = escrow_account_id WHERE id = 1"),
    ("owners", "UPDATE partners SET float_account_id = 1"),
    ("trade money", "UPDATE trades SET fee_kopecks = fee_kopecks + 1 WHERE id = 1"),
    ("trade money", "UPDATE trades SET amount_kopecks = amount_kopecks - 1 WHERE id = 1"),
    ("trade money", "DELETE FROM transfers WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'fee')"),
    (
        "trade money",
        "UPDATE transfers SET trade_id = NULL WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'sale')",
    ),
    (
        "trade money",
        (
            "INSERT INTO transfers"
            " (kind, source_account_id, target_account_id, amount_kopecks, trade_id, created_at_ms)"
            " SELECT kind, source_account_id, target_account_id, amount_kopecks, trade_id, 0 FROM transfers WHERE id ="
            " (SELECT MIN(id) FROM transfers WHERE kind = 'bet')"
        ),
    ),
    (
        "trade money",
        "UPDATE transfers SET trade_id = 1 WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'credit')",
    ),
    (
        "trade accounts",
        (
            "UPDATE transfers SET source_account_id = (SELECT account_id FROM users WHERE id = 1) WHERE id ="
            " (SELECT MIN(id) FROM transfers WHERE kind = 'bet')"
        ),
    ),
    (
        "trade accounts",
        (
            "UPDATE transfers SET target_account_id = (SELECT MAX(escrow_account_id) FROM pools) WHERE id ="
            " (SELECT MIN(id) FROM transfers WHERE kind = 'bet')"
        ),
    ),
    ("trade accounts", "UPDATE transfers SET trade_id = NULL WHERE kind = 'funding'"),
    ("trade places", "UPDATE trades SET user_id = 1 WHERE id = 1"),
    ("trade places", "UPDATE trades SET market_id = (SELECT MAX(id) FROM markets) WHERE id = 1"),
    ("trade places", "UPDATE trades SET side = CASE side WHEN 'YES' THEN 'NO' ELSE 'YES' END WHERE id = 1"),
    ("trade places", "UPDATE trades SET pool_id = pool_id + 1 WHERE id = 1"),
    ("trade places", "UPDATE positions SET event_id = event_id + 1 WHERE id = 1"),
    ("positions", "UPDATE positions SET shares = shares + 1 WHERE id = 1"),
    ("positions", "UPDATE positions SET cost_kopecks = cost_kopecks + 1 WHERE id = 1"),
    ("positions", "UPDATE positions SET pnl_kopecks = pnl_kopecks + 1 WHERE id = 1"),
    ("positions", "UPDATE positions SET left_shares = left_shares + 1 WHERE id = 1"),
    (
        "positions",
        (
            "UPDATE positions SET left_cost_kopecks = left_cost_kopecks + 1, cost_kopecks = cost_kopecks - 1,"
            " pnl_kopecks = pnl_kopecks - 1 WHERE id = 1"
        ),
    ),
    ("positions", "UPDATE positions SET closed_at_ms = 1 WHERE id = 1"),
    (
        "positions",
        "UPDATE positions SET closed_at_ms = NULL WHERE id = (SELECT MAX(id) FROM positions WHERE shares = 0)",
    ),
    ("positions", "DELETE FROM trades WHERE id = (SELECT MIN(id) FROM trades WHERE action = 'sell')"),
    (
        "costs",
        "UPDATE trades SET pnl_kopecks = pnl_kopecks + 1 WHERE id = (SELECT MIN(id) FROM trades WHERE action = 'sell')",
    ),
    ("costs", "UPDATE trades SET pnl_kopecks = 1 WHERE id = 1"),
    ("costs", "UPDATE trades SET action = 'sell' WHERE id = 1"),
    ("markets", "UPDATE markets SET q_yes = q_yes + 1 WHERE id = 1"),
    ("markets", "UPDATE markets SET q_no = q_no - 1 WHERE id = 1"),
    ("markets", "UPDATE markets SET volume_kopecks = volume_kopecks + 1 WHERE id = 1"),
    ("markets", "UPDATE trades SET shares = shares + 1 WHERE id = 1"),
    ("holdings", "UPDATE positions SET shares = shares + 1 WHERE id = 1"),
    ("holdings", "DELETE FROM positions WHERE id = 1"),
    ("volumes", "UPDATE pools SET trade_count = trade_count + 1 WHERE id = 1"),
    ("volumes", "UPDATE pools SET volume_kopecks = volume_kopecks + 1 WHERE id = 1"),
    ("volumes", "UPDATE events SET volume_kopecks = volume_kopecks + 1 WHERE id = 1"),
    (
        "escrows",
        "UPDATE accounts SET balance_kopecks = 1000 WHERE id = (SELECT escrow_account_id FROM pools WHERE id = 1)",
    ),
    (
        "escrows",
        "UPDATE accounts SET balance_kopecks = 1000 WHERE id = (SELECT escrow_account_id FROM pools WHERE id = 2)",
    ),
    (
        "escrow entries",
        (
            "UPDATE accounts SET balance_kopecks = balance_kopecks + 1 WHERE id ="
            " (SELECT escrow_account_id FROM pools WHERE id = 1)"
        ),
    ),
    (
        "escrow entries",
        (
            "UPDATE accounts SET balance_kopecks = 1 WHERE id ="
            " (SELECT MIN(escrow_account_id) FROM pools WHERE state = 'resolved')"
        ),
    ),
    (
        "escrow entries",
        (
            "UPDATE accounts SET balance_kopecks = balance_kopecks - 1 WHERE id ="
            " (SELECT fees_account_id FROM pools WHERE id = 1)"
        ),
    ),
    ("loss bounds", "UPDATE pools SET loss_bound_kopecks = loss_bound_kopecks + 1 WHERE id = 1"),
    ("loss bounds", "UPDATE pools SET b = b + 100 WHERE id = 1"),
    ("loss bounds", 'UPDATE pools SET weights = \'["0","1"]\' WHERE id = 1'),
    ("loss bounds", "UPDATE pools SET b = b + 100 WHERE id = (SELECT MIN(id) FROM pools WHERE liquidity IS NOT NULL)"),
    ("loss bounds", "UPDATE pools SET liquidity = REPLACE(liquidity, '\"b\":30000', '\"b\":30001')"),
    ("loss bounds", "UPDATE pools SET liquidity = '[]' WHERE liquidity IS NOT NULL"),
    ("loss bounds", "UPDATE pools SET liquidity = NULL WHERE liquidity IS NOT NULL"),
    (
        "loss bounds",
        (
            'UPDATE pools SET liquidity = REPLACE(liquidity, \'"subsidy_kopecks"\', \'"subsidy_kopecks":1,"old"\')'
            " WHERE liquidity IS NOT NULL"
        ),
    ),
    ("added liquidity", "UPDATE pools SET liquidity = REPLACE(liquidity, '\"trades\":10', '\"trades\":9')"),
    (
        "added liquidity",
        "UPDATE trades SET shares = shares + 1 WHERE id = (SELECT MIN(id) FROM trades WHERE pool_id = 2)",
    ),
    ("added liquidity", "UPDATE pools SET liquidity = '{}' WHERE liquidity IS NOT NULL"),
    ("subsidies", "UPDATE transfers SET created_at_ms = created_at_ms - 1 WHERE kind = 'subsidy'"),
    ("subsidies", "UPDATE transfers SET kind = 'credit' WHERE kind = 'subsidy'"),
    ("subsidies", "UPDATE pools SET liquidity = REPLACE(liquidity, '\"at_ms\":', '\"at_ms\":1')"),
    ("settlements", "UPDATE pools SET weights = '[\"1\"]' WHERE state = 'resolved'"),
    ("states", "UPDATE pools SET state = 'sleeping' WHERE id = 1"),
    ("states", "UPDATE pools SET published_at_ms = NULL WHERE id = 1"),
    ("states", "UPDATE pools SET won_side = NULL WHERE state = 'resolved'"),
    ("states", "UPDATE pools SET won_side = 0, resolution = '{\"won_side\":0}' WHERE id = 1"),
    ("states", "UPDATE pools SET state = 'new' WHERE id = 1"),
    ("states", "UPDATE events SET status = 'resolved' WHERE id = 1"),
    ("states", "UPDATE events SET status = 'active' WHERE status = 'new'"),
    ("states", "UPDATE events SET status = 'active' WHERE status = 'cancelled'"),
    (
        "settled pools",
        (
            "UPDATE positions SET shares = 5, settled_shares = settled_shares - 5 WHERE id ="
            " (SELECT MIN(id) FROM positions WHERE settled_shares > 5)"
        ),
    ),
    ("settled pools", "UPDATE positions SET won_side = 1 WHERE id = 1"),
    (
        "settlements",
        (
            "UPDATE positions SET settled_kopecks = settled_kopecks + 1 WHERE id ="
            " (SELECT MIN(id) FROM positions WHERE settled_kopecks > 0)"
        ),
    ),
    ("settlements", "UPDATE positions SET won_side = 1 - won_side WHERE won_side IS NOT NULL"),
    ("settlements", "UPDATE pools SET resolution = '{\"won_side\":1}' WHERE resolution = '{\"won_side\":0}'"),
    ("settlements", "UPDATE pools SET resolution = '{\"payouts\":[0.25,0.35,0.4]}' WHERE resolution LIKE '%payouts%'"),
    (
        "settlements",
        "UPDATE markets SET q_yes = q_yes + 9000 WHERE outcome_index = 0",
    ),
    ("settlement money", "DELETE FROM transfers WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'settlement')"),
    (
        "settlement money",
        (
            "UPDATE transfers SET target_account_id = (SELECT account_id FROM users WHERE id = 1) WHERE id ="
            " (SELECT MIN(id) FROM transfers WHERE kind = 'settlement')"
        ),
    ),
    (
        "settlement money",
        "UPDATE transfers SET position_id = NULL WHERE id = (SELECT MIN(id) FROM transfers WHERE kind = 'settlement')",
    ),
    ("floats", "UPDATE partner_transactions SET float_change_kopecks = float_change_kopecks + 1 WHERE id = 1"),
    ("floats", "DELETE FROM partner_transactions WHERE type = 'payout'"),
    (
        "sub-accounts",
        (
            "UPDATE partner_transactions SET balance_change_kopecks = balance_change_kopecks - 1 WHERE id ="
            " (SELECT MIN(id) FROM partner_transactions WHERE type = 'settlement')"
        ),
    ),
    ("sub-accounts", "UPDATE partner_transactions SET user_id = 1 WHERE type = 'withdrawal'"),
    ("statement totals", "UPDATE statement_totals SET users_balance_kopecks = users_balance_kopecks + 1"),
    ("statement totals", "DELETE FROM statement_totals"),
    (
        "statement lines",
        "DELETE FROM partner_transactions WHERE id = (SELECT MIN(id) FROM partner_transactions WHERE type = 'sale')",
    ),
    ("statement lines", "UPDATE partner_transactions SET type = 'bet' WHERE type = 'sale'"),
    ("statement lines", "UPDATE partner_transactions SET trade_id = NULL WHERE type = 'bet'"),
    ("statement lines", "UPDATE partner_transactions SET market_id = market_id + 1 WHERE type = 'bet'"),
    (
        "statement lines",
        "UPDATE partner_transactions SET float_change_kopecks = float_change_kopecks + 1 WHERE type = 'bet'",
    ),
    ("profits", "UPDATE pnl_totals SET pnl_kopecks = pnl_kopecks + 1"),
    ("house account", "INSERT INTO house_pools (pool_id, spent_kopecks, position_ids) VALUES (1, 5, '[]')"),
    ("house account", "UPDATE users SET nickname_key = 'house account' WHERE id = (SELECT MIN(user_id) FROM trades)"),
    ("profits", "DELETE FROM pnl_totals"),
    ("figures", "UPDATE stats_days SET volume_kopecks = volume_kopecks + 1"),
    ("figures", "UPDATE stats_days SET fees_kopecks = fees_kopecks + 1"),
    ("figures", "UPDATE stats_days SET open_interest_change_kopecks = open_interest_change_kopecks + 1"),
    ("figures", "UPDATE stats_days SET settlement_result_kopecks = settlement_result_kopecks + 1"),
    ("figures", "UPDATE stats_days SET sign_ups = sign_ups + 1"),
    ("figures", "UPDATE stats_days SET new_traders = new_traders + 1"),
    ("keys", "UPDATE idempotency_keys SET status = 409"),
    ("keys", "UPDATE idempotency_keys SET scope = 'user:1'"),
    (
        "keys",
        "DELETE FROM trades WHERE id IN (SELECT trade_id FROM partner_transactions WHERE type = 'bet')",
    ),
]


@pytest.fixture(scope="module")
def books_url(database_kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database with full books, of the kind whose turn it is."""
    if database_kind == "sqlite":
        url = request.getfixturevalue("sqlite_files").fresh_database()
    else:
        url = request.getfixturevalue("postgres").fresh_database(prepare)
    service = Service(url)
    keep_books(service)
    service.stop()
    yield url
    if database_kind == "postgres":
        request.getfixturevalue("postgres").drop(url)


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


async def audit_after(books: Database, *statements: str, values: dict[str, Any] | None = None) -> list[Finding]:
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
            raise Undo(audit(tx))
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
    "entries, every position its trades, every pool's escrow covers its worst outcome, every q its trades.",
)
@pytest.mark.parametrize(("check", "statement"), CORRUPTIONS)
async def test_what_is_wrong_is_found(books: Database, check: str, statement: str) -> None:
    findings = await audit_after(books, statement)
    assert check in {finding.check for finding in findings}, findings


def test_every_check_was_seen_to_find_something() -> None:
    assert {check.name for check in CHECKS} == {check for check, _ in CORRUPTIONS}
    assert len({check.name for check in CHECKS}) == len(CHECKS)


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
