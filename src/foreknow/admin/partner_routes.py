"""Endpoints of partners' administration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow import statements
from foreknow.admin import service
from foreknow.admin.schemas import (
    FloatChange,
    FloatOrder,
    IssuedPartner,
    NewPartnerKey,
    PartnerKey,
    PartnerKeys,
    PartnerOrder,
    PartnerOverview,
    Partners,
)
from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.errors import BalanceLimit, InsufficientFunds
from foreknow.ledger import AccountKind, balances_kopecks
from foreknow.partner.gate import PartnerGate
from foreknow.partner.keys import LiveKey, live_keys
from foreknow.partner.refusals import KeyNotFound, NameTaken, PartnerNotFound, TooManyKeys
from foreknow.partner.service import is_partner_name
from foreknow.partner.store import newest_partners, partner_by_name
from foreknow.web.answers import Answer, Empty
from foreknow.web.endpoint import CURSOR, LIMIT, Call, Endpoint, Level, delete, get, post
from foreknow.web.listing import newest_first
from foreknow.web.room import Room


@dataclass(frozen=True, slots=True)
class _Listed:
    id: int
    shown: PartnerOverview


def _read_name(text: str) -> str:
    # What cannot be a partner's name (NUL, which PostgreSQL takes in no text, stands for broken UTF-8) is nobody's.
    return text if is_partner_name(text) else ""


NAME = {"partner_name": _read_name}


class AdminPartnerRoutes:
    """Partners, their keys, and money in and out of their floats."""

    def __init__(self, room: Room, gate: PartnerGate) -> None:
        """Answer from `room`; `gate` is told when a key ends."""
        self._room = room
        self._gate = gate

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [*self._of_partners(), *self._of_keys(), *self._of_floats()]

    def _of_partners(self) -> list[Endpoint]:
        return [
            get(
                "/admin/partners",
                self.partners,
                Level.ADMIN,
                Partners,
                "All partners, newest first",
                query=(LIMIT, CURSOR),
            ),
            post(
                "/admin/partners",
                self.add,
                Level.ADMIN,
                IssuedPartner,
                "Make a partner with its first key",
                status=201,
                body=PartnerOrder,
                refusals=(NameTaken,),
                description="The key is shown in this answer and never again.",
            ),
        ]

    def _of_keys(self) -> list[Endpoint]:
        return [
            get(
                "/admin/partners/{partner_name}/keys",
                self.keys,
                Level.ADMIN,
                PartnerKeys,
                "A partner's live keys",
                path_readers=NAME,
                refusals=(PartnerNotFound,),
            ),
            post(
                "/admin/partners/{partner_name}/keys",
                self.issue_key,
                Level.ADMIN,
                NewPartnerKey,
                "Issue a further key",
                path_readers=NAME,
                status=201,
                refusals=(PartnerNotFound, TooManyKeys),
                description="The key is shown in this answer and never again. To rotate: issue, switch over, revoke.",
            ),
            delete(
                "/admin/partners/{partner_name}/keys/{key_id}",
                self.revoke_key,
                Level.ADMIN,
                Empty,
                "Revoke a key for good",
                path_readers=NAME,
                refusals=(PartnerNotFound, KeyNotFound),
            ),
        ]

    def _of_floats(self) -> list[Endpoint]:
        return [
            post(
                "/admin/partners/{partner_name}/deposit",
                self.deposit,
                Level.ADMIN,
                FloatChange,
                "Put money on a partner's float",
                path_readers=NAME,
                status=201,
                body=FloatOrder,
                refusals=(PartnerNotFound, BalanceLimit),
                idempotent=True,
            ),
            post(
                "/admin/partners/{partner_name}/payout",
                self.pay_out,
                Level.ADMIN,
                FloatChange,
                "Take money from a partner's float",
                path_readers=NAME,
                status=201,
                body=FloatOrder,
                refusals=(PartnerNotFound, InsufficientFunds),
                idempotent=True,
            ),
        ]

    async def partners(self, call: Call) -> Partners:
        """List the partners with their money."""
        page = await newest_first(self._room, call, "partners", _overviews)
        return Partners([row.shown for row in page.rows], page.next_cursor, page.has_more)

    async def add(self, call: Call) -> IssuedPartner:
        """Make a partner."""
        body: PartnerOrder = call.body
        added = await self._room.db.write(
            lambda tx: service.add_partner(tx, call.user, name=body.name, at_ms=self._room.clock())
        )
        return IssuedPartner(added.name, added.key.id, added.key.key)

    async def keys(self, call: Call) -> PartnerKeys:
        """List a partner's keys, without the keys themselves."""
        found = await self._room.db.read(lambda tx: live_keys(tx, partner_by_name(tx, call.path["partner_name"]).id))
        return PartnerKeys([_key(key) for key in found])

    async def issue_key(self, call: Call) -> NewPartnerKey:
        """Issue a key."""
        issued = await self._room.db.write(
            lambda tx: service.issue_partner_key(
                tx, call.user, name=call.path["partner_name"], at_ms=self._room.clock()
            )
        )
        return NewPartnerKey(issued.id, issued.key)

    async def revoke_key(self, call: Call) -> Empty:
        """Revoke a key: refused here from the next request on."""
        try:
            await self._room.db.write(
                lambda tx: service.revoke_partner_key(
                    tx, call.user, name=call.path["partner_name"], key_id=call.path["key_id"], at_ms=self._room.clock()
                )
            )
        finally:
            # Where the fate of the commit is unknown, too: asking the database once more costs nothing.
            self._gate.forget()
        return Empty()

    async def deposit(self, call: Call) -> Answer:
        """Put money in."""
        return await self._change_float(call, service.deposit)

    async def pay_out(self, call: Call) -> Answer:
        """Take money out."""
        return await self._change_float(call, service.pay_out)

    async def _change_float(self, call: Call, change: Callable[..., FloatChange]) -> Answer:
        body: FloatOrder = call.body
        return await self._room.once(
            call.claim,
            lambda tx: change(
                tx,
                call.user,
                name=call.path["partner_name"],
                amount_kopecks=body.amount_kopecks,
                at_ms=self._room.clock(),
            ),
            status=201,
        )


def _overviews(tx: sa.Connection, before_id: int | None, limit: int) -> Sequence[_Listed]:
    partners = newest_partners(tx, before_id=before_id, limit=limit)
    ids = [partner.id for partner in partners]
    floats_kopecks = balances_kopecks(tx, kind=AccountKind.FLOAT, owner_ids=ids)
    users_kopecks = statements.users_balances_kopecks(tx, ids)
    return [
        _Listed(
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


def _key(key: LiveKey) -> PartnerKey:
    return PartnerKey(key.id, iso(key.created_at_ms), iso_or_none(key.last_used_at_ms))
