"""Positions: what they cost."""

from __future__ import annotations

from collections.abc import Iterator

from foreknow.commands.audit.rules import Check, rows
from foreknow.platform.db.transactions import ReadTx


def _costs(tx: ReadTx) -> Iterator[str]:
    """Compute every position's cost again, trade by trade (decisions.md, "A position's cost")."""
    query = """
        SELECT position_id, id, action, shares, amount_kopecks, pnl_kopecks FROM trades WHERE basket_id IS NULL
        UNION ALL SELECT l.position_id, l.trade_id, t.action, l.shares, l.amount_kopecks, l.pnl_kopecks
        FROM trade_legs l JOIN trades t ON t.id = l.trade_id
        ORDER BY position_id, id
    """
    position_id, held, cost_kopecks = 0, 0, 0
    for of_position, trade_id, action, shares, amount_kopecks, shown_kopecks in rows(tx, query):
        if of_position != position_id:
            position_id, held, cost_kopecks = of_position, 0, 0
        if action == "buy":
            held += shares
            cost_kopecks += amount_kopecks
            made_kopecks = 0
        elif shares > held:
            yield f"trade {trade_id} sold {shares} shares of position {position_id}, which held {held}"
            continue
        else:
            taken_kopecks = cost_kopecks * shares // held
            held -= shares
            cost_kopecks -= taken_kopecks
            made_kopecks = amount_kopecks - taken_kopecks
        if shown_kopecks != made_kopecks:
            yield f"trade {trade_id} shows a profit of {shown_kopecks} kopecks and made {made_kopecks}"


CHECKS = [Check(10, "costs", "every sale took its part of what its position had cost", _costs)]
