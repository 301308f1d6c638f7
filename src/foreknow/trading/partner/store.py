"""Rows of partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import sqlalchemy as sa

from foreknow.kernel.text import fold
from foreknow.money.ledger import AccountKind, open_account
from foreknow.platform.db.ids import draw_ids
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.partner.errors import PartnerNotFound
from foreknow.trading.partner.tables import partners


@dataclass(frozen=True, slots=True)
class PartnerRow:
    """A partner; `float_account_id` is the ledger account of its float."""

    id: int
    name: str
    float_account_id: int
    created_at_ms: int


_SELECT = sa.select(partners.c.id, partners.c.name, partners.c.float_account_id, partners.c.created_at_ms)


def partner_by_id(tx: ReadTx, partner_id: int) -> PartnerRow:
    """Return a partner that exists."""
    return PartnerRow(*tx.execute(_SELECT.where(partners.c.id == partner_id)).one())


def partner_by_name(tx: ReadTx, name: str) -> PartnerRow:
    """Return the partner of a name, ignoring case; `PartnerNotFound` if there is none."""
    row = tx.execute(_SELECT.where(partners.c.name_key == fold(name))).one_or_none()
    if row is None:
        raise PartnerNotFound
    return PartnerRow(*row)


def name_is_taken(tx: ReadTx, name: str) -> bool:
    """Return whether a partner has this name, ignoring case."""
    return tx.execute(sa.select(partners.c.id).where(partners.c.name_key == fold(name))).one_or_none() is not None


def insert_partner(tx: WriteTx, *, name: str, at_ms: int) -> PartnerRow:
    """Write a partner with an empty float; its name must be free."""
    # The id is drawn first, since partner and account refer to each other.
    (partner_id,) = draw_ids(tx, partners, 1)
    float_account_id = open_account(tx, kind=AccountKind.FLOAT, owner_id=partner_id)
    partner = PartnerRow(partner_id, name, float_account_id, at_ms)
    tx.execute(partners.insert().values(name_key=fold(name), **asdict(partner)))
    return partner


def newest_partners(tx: ReadTx, *, before_id: int | None, limit: int) -> Sequence[PartnerRow]:
    """Return the newest partners, with ids under `before_id` if given."""
    query = _SELECT.order_by(partners.c.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(partners.c.id < before_id)
    return [PartnerRow(*row) for row in tx.execute(query)]
