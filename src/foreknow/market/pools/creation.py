"""Creating pools: rows, markets, and two accounts each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from foreknow.kernel.terms import Terms
from foreknow.market.markets.tables import markets
from foreknow.market.pools.rules.family import Rule
from foreknow.market.pools.shapes.family import Shape
from foreknow.market.pools.shapes.list import ListShape
from foreknow.market.pools.store import PoolState
from foreknow.market.pools.tables import pools
from foreknow.market.pools.texts import PoolTexts, written_names
from foreknow.money.ledger import AccountKind, open_account
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.ids import draw_ids
from foreknow.platform.db.transactions import WriteTx


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolDraft:
    """A validated pool. `weights` includes the implicit other outcome of a single market."""

    name: str
    name_ru: str
    rules: str
    margin: float
    live_at_ms: int | None
    finish_at_ms: int | None
    metadata: Mapping[str, Any]
    b: int
    market_names: Sequence[str]
    #: One per market, as given.
    probabilities: Sequence[float]
    weights: tuple[int, ...]
    loss_bound_kopecks: int
    rule: Rule
    #: None for a plain pool.
    shape: Shape | None

    def texts(self) -> PoolTexts:
        """Return its texts as written."""
        names = written_names(self.market_names, self.shape)
        return PoolTexts(name=self.name, name_ru=self.name_ru, rules=self.rules, market_names=names)


def insert_pools(
    tx: WriteTx,
    drafts: Sequence[PoolDraft],
    *,
    event_id: int,
    creator_id: int,
    terms: Terms,
    by_admin: bool,
    has_placeholders: bool,
) -> None:
    """Write the pools of a new event, each with its own escrow and fees accounts.

    `terms` tell the length of dispute windows where a rule names none, and the least that it may name unless an admin
    makes the event.
    Separate accounts keep trades in different pools from waiting for each other.
    """
    pool_ids = draw_ids(tx, pools, len(drafts))
    rows = [
        {
            "id": pool_id,
            "event_id": event_id,
            "creator_id": creator_id,
            "position": position,
            "name": draft.name,
            "name_ru": draft.name_ru,
            "rules": draft.rules,
            "margin": draft.margin,
            "live_at_ms": draft.live_at_ms,
            "finish_at_ms": draft.finish_at_ms,
            "metadata": draft.metadata,
            "b": draft.b,
            "weights": [str(weight) for weight in draft.weights],
            "state": PoolState.NEW.value,
            "loss_bound_kopecks": draft.loss_bound_kopecks,
            "resolution_kind": draft.rule.kind,
            "dispute_minutes": _dispute_minutes(draft.rule, terms, by_admin=by_admin),
            "shape": None if draft.shape is None else draft.metadata["shape"],
            "other_index": len(draft.market_names) - 1 if isinstance(draft.shape, ListShape) else None,
            "templates": msgspec.to_builtins(draft.texts()) if has_placeholders else None,
            "escrow_account_id": open_account(tx, kind=AccountKind.ESCROW, owner_id=pool_id),
            "fees_account_id": open_account(tx, kind=AccountKind.FEES, owner_id=pool_id),
        }
        for position, (pool_id, draft) in enumerate(zip(pool_ids, drafts, strict=True))
    ]
    tx.execute(pools.insert(), rows)
    outcomes = [
        (pool_id, event_id, index, name, probability)
        for pool_id, draft in zip(pool_ids, drafts, strict=True)
        for index, (name, probability) in enumerate(zip(draft.market_names, draft.probabilities, strict=True))
    ]
    insert_rows(tx, markets, ("pool_id", "event_id", "outcome_index", "name", "probability"), outcomes)


def _dispute_minutes(rule: Rule, terms: Terms, *, by_admin: bool) -> int:
    if rule.dispute_minutes is None:
        return terms.dispute_minutes
    return rule.dispute_minutes if by_admin else max(rule.dispute_minutes, terms.dispute_minutes)
