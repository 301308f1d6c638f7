"""Partners and their keys as an admin sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.money import statements
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.admin.schemas import PartnerKey, PartnerOverview
from foreknow.trading.partner.keys import LiveKey
from foreknow.trading.partner.store import newest_partners


@dataclass(frozen=True, slots=True)
class ListedPartner:
    """A partner with the id that pages follow."""

    id: int
    shown: PartnerOverview


def overviews(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[ListedPartner]:
    """Return the newest partners; with `before_id`, those with lower ids."""
    partners = newest_partners(tx, before_id=before_id, limit=limit)
    ids = [partner.id for partner in partners]
    floats_kopecks = balances_kopecks(tx, kind=AccountKind.FLOAT, owner_ids=ids)
    users_kopecks = statements.users_balances_kopecks(tx, ids)
    return [
        ListedPartner(
            partner.id,
            PartnerOverview(
                partner=partner.name,
                float_balance_kopecks=floats_kopecks[partner.id],
                users_balance_kopecks=users_kopecks[partner.id],
                created_at=iso(partner.created_at_ms),
            ),
        )
        for partner in partners
    ]


def key_view(key: LiveKey) -> PartnerKey:
    """Return a live key, without the key itself."""
    return PartnerKey(key.id, iso(key.created_at_ms), iso_or_none(key.last_used_at_ms))
