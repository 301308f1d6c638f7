"""Positions: what they cost."""

from __future__ import annotations

from collections.abc import Iterator

from foreknow.commands.audit.rules import Check, rows
from foreknow.platform.db.transactions import ReadTx


def _costs(tx: ReadTx) -> Iterator[str]:
    """Compute every position's cost again, trade by trade (decisions.md, "A position's cost"), and split by split."""
    position_id, held, cost_kopecks = 0, 0, 0
    for of_position, trade_id, _, action, shares, amount_kopecks, shown_kopecks in rows(tx, _CHANGES):
        if of_position != position_id:
            position_id, held, cost_kopecks = of_position, 0, 0
        if action == "gave":
            # Shown is how many hundredths of the cost went to the new position.
            due_kopecks = cost_kopecks * shown_kopecks // 100
            if (shares, amount_kopecks) != (held, due_kopecks):
                yield f"position {position_id} gave {amount_kopecks} kopecks of its cost for {shares} shares to another"
            cost_kopecks -= amount_kopecks
            continue
        if action in {"buy", "got"}:
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


#: Splits come after the trades that were made before them, in their own order.
_CHANGES = """
    SELECT position_id, id AS trade_id, 0 AS split_id, action, shares, amount_kopecks, pnl_kopecks FROM trades
    WHERE basket_id IS NULL
    UNION ALL
    SELECT l.position_id, l.trade_id, 0, t.action, l.shares, l.amount_kopecks, l.pnl_kopecks
    FROM trade_legs l JOIN trades t ON t.id = l.trade_id
    UNION ALL
    SELECT position_id, last_trade_id, id, 'gave', shares, cost_kopecks, share_percent FROM position_splits
    UNION ALL
    SELECT new_position_id, last_trade_id, id, 'got', shares, cost_kopecks, 0 FROM position_splits
    ORDER BY 1, 2, 3
"""

CHECKS = [Check(10, "costs", "every sale and split took its part of what its position had cost", _costs)]
