"""The histories that benchmarks are run on: what they hold is what the service could have written."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from bench.history.making import make_history
from bench.history.plan import Plan
from foreknow.audit import audit
from foreknow.cli.database import read_snapshot
from foreknow.db.transactions import ReadTx
from foreknow.kernel.clock import DAY_MS

PLAN = Plan(trades=1_200, markets=48, users=200, end_ms=20_000 * DAY_MS)
TABLES = ("comments", "comment_reactions", "notifications", "chat_messages", "idempotency_keys", "pnl_points")


def test_a_made_history_is_clean_and_whole(database_url: str) -> None:
    make_history(database_url, PLAN)

    def look(tx: ReadTx) -> tuple[list[str], dict[str, int]]:
        counts = {
            "trades": "SELECT COUNT(*) FROM trades",
            "open": "SELECT COUNT(*) FROM positions WHERE closed_at_ms IS NULL",
            "settled": "SELECT COUNT(*) FROM positions WHERE settled_shares > 0",
            "late": f"SELECT COUNT(*) FROM trades WHERE created_at_ms > {PLAN.end_ms}",
            "backwards": "SELECT COUNT(*) FROM trades a JOIN trades b ON b.id = a.id + 1"
            " WHERE b.created_at_ms < a.created_at_ms",
            **{table: f"SELECT COUNT(*) FROM {table}" for table in TABLES},
        }
        found = {name: int(tx.scalar(sa.text(query)) or 0) for name, query in counts.items()}
        return list(map(str, audit(tx))), found

    findings, counts = read_snapshot(database_url, look)
    assert findings == []
    assert counts["trades"] == pytest.approx(PLAN.trades, rel=0.1)
    assert (counts.pop("late"), counts.pop("backwards")) == (0, 0)
    assert all(counts.values()), counts
