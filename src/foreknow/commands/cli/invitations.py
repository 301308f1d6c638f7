"""Invitations, as commands make and show them: the same rules as for an admin."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from foreknow.kernel.clock import DAY_MS, EPOCH
from foreknow.kernel.validation.fields import to_type
from foreknow.people import invitations
from foreknow.people.invitations import NewInvitation
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.admin import service
from foreknow.site.admin.invitation_schemas import InvitationOrder, invitation_view

#: Rows read at once.
PAGE = 100


def add_invitation(
    tx: WriteTx, *, uses: int, days: int | None, credit_kopecks: int, creator: bool, note: str
) -> NewInvitation:
    """Make an invitation that expires after `days`, never where that is None; `BadRequest`."""
    at_ms = now_ms(tx)
    order: dict[str, object] = {"uses": uses, "credit_kopecks": credit_kopecks, "creator": creator, "note": note}
    if days is not None:
        order["expires_at"] = EPOCH + timedelta(milliseconds=at_ms + days * DAY_MS)
    return service.add_invitation(tx, None, order=to_type(order, InvitationOrder), at_ms=at_ms)


def list_invitations(tx: ReadTx) -> list[dict[str, object]]:
    """Return all invitations, the newest first."""
    rows: list[dict[str, object]] = []
    before_id: int | None = None
    while page := invitations.newest(tx, before_id=before_id, limit=PAGE):
        rows += [msgspec.structs.asdict(invitation_view(row)) for row in page]
        before_id = page[-1].id
    return rows


def withdraw_invitation(tx: WriteTx, invitation_id: int) -> dict[str, object]:
    """Let no one use an invitation any more, and return it; `InvitationNotFound`."""
    row = service.withdraw_invitation(tx, None, invitation_id=invitation_id, at_ms=now_ms(tx))
    return msgspec.structs.asdict(invitation_view(row))
