"""Adding liquidity over HTTP, and what the house paid for it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from foreknow.money.ledger import AccountKind, TransferKind
from foreknow.money.ledger.tables import accounts, transfers
from tests.support.service import Person, Service, expect, pool

PRIORS = [0.5, 0.3, 0.2]


def three(**fields: Any) -> dict[str, Any]:
    """The pool of the contract's example."""
    return pool(["A", "B", "C"], b=1000, probabilities=PRIORS, **fields)


def bet(person: Person, market: dict[str, Any], side: str, amount_kopecks: int) -> dict[str, Any]:
    body = {"market_id": market["id"], "token_type": side, "amount_kopecks": amount_kopecks}
    trade: dict[str, Any] = expect(person.client.post("/market/bets", json=body), 201)
    return trade


def subsidies(service: Service, pool_id: int) -> list[int]:
    """Kopecks that the house paid into a pool's escrow, in order."""
    query = (
        sa.select(transfers.c.amount_kopecks)
        .join(accounts, accounts.c.id == transfers.c.target_account_id)
        .where(accounts.c.kind == AccountKind.ESCROW.value, accounts.c.owner_id == pool_id)
        .where(transfers.c.kind == TransferKind.SUBSIDY.value)
        .order_by(transfers.c.id)
    )
    return [int(amount) for amount in service.look(lambda tx: tx.execute(query).scalars().all())]
