"""How a database goes about a query: for tests that what must stay quick follows its index.

PostgreSQL decides by what it knows of its tables and by their pages: take `new_db`, of which it knows nothing but what
the test has analysed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.statements.driver import execute_script
from foreknow.platform.db.transactions import ReadTx


def plan(tx: ReadTx, read: Callable[[], object]) -> str:
    """Return the plan of the last statement that `read` executes on `tx`."""
    seen: list[tuple[str, Any]] = []

    def note(_tx: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool) -> None:
        seen.append((statement, parameters))

    sa.event.listen(tx, "before_cursor_execute", note)
    read()
    sa.event.remove(tx, "before_cursor_execute", note)
    statement, parameters = seen[-1]
    if tx.dialect.name == "sqlite":
        return str(tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all())
    # Of the few rows of a test PostgreSQL would rather read all.
    tx.exec_driver_sql("SET LOCAL enable_seqscan = off")
    return str(tx.exec_driver_sql(f"EXPLAIN {statement}", parameters).all())


def kept_plan(tx: ReadTx, query: CompiledQuery) -> str:
    """Return the plan that PostgreSQL keeps of a query, whatever is looked for."""
    text = query.part("postgresql").text
    # Of a table that was vacuumed while it was small PostgreSQL would rather read all.
    execute_script(tx, "SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan")
    execute_script(tx, f"PREPARE kept AS {text.text}")
    plan = tx.exec_driver_sql(f"EXPLAIN EXECUTE kept ({', '.join(['NULL'] * text.places)})").all()
    tx.exec_driver_sql("DEALLOCATE kept")
    return str(plan)
