"""Inviting members by mail: a list of addresses, written some at a time, so that orders go on beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.chunks import chunks
from foreknow.kernel.clock import DAY_MS, SECOND_MS
from foreknow.kernel.email_addresses import address_key
from foreknow.kernel.errors import BadRequest, RateLimited
from foreknow.kernel.validation.fields import wrong_field
from foreknow.people import admin_log, invitations
from foreknow.people.invitations import mailed
from foreknow.people.invitations.mailed import InvitationLinks
from foreknow.people.mail.messages import CannotAddress, recipient_of
from foreknow.people.users import require_live_session
from foreknow.people.users import store as users
from foreknow.people.users.admission import Admissions
from foreknow.people.users.errors import DomainNotAllowed, InvitingClosed, NoEmail
from foreknow.people.users.profiles import read_email, read_name
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.mailing import MailKind, outbox
from foreknow.platform.mailing.outbox import NewMail
from foreknow.site.admin.member_schemas import InviteReason, InviteResult, MemberList, MemberResult, NewMember

#: People whom one transaction invites: some milliseconds of SQLite, for which orders wait.
PIECE_MEMBERS = 50


class InviteDecision(NamedTuple):
    """What becomes of an address."""

    result: InviteResult
    reason: InviteReason = ""


@dataclass(frozen=True, slots=True)
class Invitee:
    """Someone to be invited."""

    #: `address_key` of the address.
    key: str
    #: In NFC; "" where the text is no address that a mail could have.
    email: str
    name: str | None
    credit_kopecks: int
    creator: bool

    @classmethod
    def read(cls, index: int, member: NewMember) -> Invitee:
        """Read one of a list; `BadRequest` for a name that no account could have."""
        try:
            email = read_email(member.email)
            recipient_of(email)
        except (BadRequest, CannotAddress):
            email = ""
        try:
            name = None if member.name is None else read_name(member.name)
        except BadRequest as error:
            raise wrong_field(f"members[{index}].name", error.details["fields"]["name"]) from None
        key = address_key(email or member.email)
        return cls(key, email, name, member.credit_kopecks or 0, bool(member.creator))


class MemberInvitations:
    """Invites members."""

    def __init__(self, db: Database, admissions: Admissions, links: InvitationLinks, *, sends_mail: bool) -> None:
        """`admissions` say which addresses accounts may have; `links` derives those of the mails."""
        self._db = db
        self._admissions = admissions
        self._links = links
        self._sends_mail = sends_mail

    async def invite(self, admin: UserCaller, order: MemberList) -> list[MemberResult]:
        """Invite people, or only say what would become of each.

        `NoEmail`, `BadRequest`, `InvitingClosed`; `RateLimited` past `mailed.PER_DAY_MAX`: then nothing is written.
        A list that was broken off is sent again: who was invited already waits then.
        """
        if not self._sends_mail:
            raise NoEmail
        invitees = [Invitee.read(index, member) for index, member in enumerate(order.members)]
        # Of a repeated address the first counts.
        distinct = list({one.key: one for one in reversed(invitees)}.values())[::-1]
        if order.check:
            decided = await self._db.read(lambda tx: self._check(tx, admin, distinct))
        else:
            reserved, day = await self._db.write_private(lambda tx: self._reserve(tx, admin, distinct))
            decided = {}
            for piece in chunks(distinct, PIECE_MEMBERS):
                of_piece = sum(reserved[one.key].result == "invited" for one in piece)
                work = partial(self._invite, admin=admin, piece=piece, reserved=of_piece, day=day)
                decided |= await self._db.write_private(work)
        return [
            MemberResult(member.email, *decided[one.key]) for member, one in zip(order.members, invitees, strict=True)
        ]

    def _check(self, tx: ReadTx, admin: UserCaller, invitees: Sequence[Invitee]) -> Mapping[str, InviteDecision]:
        require_live_session(tx, admin, AuthLevel.ADMIN)
        at_ms = now_ms(tx)
        decided = self._decide(tx, invitees, at_ms=at_ms)
        _check_bound(decided, left=mailed.left_of_day(tx, at_ms=at_ms), at_ms=at_ms)
        return decided

    def _reserve(
        self, tx: WriteTx, admin: UserCaller, invitees: Sequence[Invitee]
    ) -> tuple[Mapping[str, InviteDecision], int]:
        """Reserve what a list takes of the day's bound; return what would become of each, and the day."""
        require_live_session(tx, admin, AuthLevel.ADMIN)
        at_ms = now_ms(tx)
        left = mailed.lock_day(tx, at_ms=at_ms)
        decided = self._decide(tx, invitees, at_ms=at_ms)
        mailed.reserve(tx, count=_check_bound(decided, left=left, at_ms=at_ms), at_ms=at_ms)
        return decided, at_ms // DAY_MS

    def _invite(
        self, tx: WriteTx, *, admin: UserCaller, piece: Sequence[Invitee], reserved: int, day: int
    ) -> dict[str, InviteDecision]:
        require_live_session(tx, admin, AuthLevel.ADMIN)
        at_ms = now_ms(tx)
        # First: two lists with one address are invited one after the other.
        mailed.lock_reserved(tx, reserved=reserved, day=day, at_ms=at_ms)
        decided = self._decide(tx, piece, at_ms=at_ms)
        invited = [one for one in piece if decided[one.key].result == "invited"]
        if not invited:
            return decided
        # Who is invited again without a name keeps the one that they were given.
        names = mailed.names_of(tx, [one.key for one in invited if one.name is None])
        mailed.withdraw_of(tx, [one.key for one in invited], at_ms=at_ms)
        language = self._admissions.spoken(tx, users.person(tx, admin.user_id).language)
        mails = []
        for one in invited:
            row = invitations.insert(
                tx,
                uses=1,
                expires_at_ms=at_ms + mailed.LIVES_MS,
                credit_kopecks=one.credit_kopecks,
                creator=one.creator,
                note="",
                at_ms=at_ms,
                token=self._links.token(one.email, at_ms),
                email=one.email,
                name=one.name or names.get(one.key),
                admin_id=admin.user_id,
            ).row
            params = {"invitation_id": row.id, "language": language}
            mails.append(NewMail(kind=MailKind.INVITATION, user_id=None, address=one.email, at_ms=at_ms, params=params))
        outbox.write_all(tx, mails)
        mailed.count(tx, invited=len(invited), day=day)
        details = {"invited": len(invited)}
        admin_log.record(tx, admin, action="member.invite", target="site", details=details, at_ms=at_ms)
        return decided

    def _decide(self, tx: ReadTx, invitees: Sequence[Invitee], *, at_ms: int) -> dict[str, InviteDecision]:
        """Return what becomes of each now, by the key of the address; `InvitingClosed`."""
        rules = self._admissions.at(tx)
        if rules.mode == "off":
            raise InvitingClosed
        keys = [one.key for one in invitees if one.email]
        hashes = {one.key: self._links.address_hash(one.email) for one in invitees if one.email}
        accounts = users.verified_by_address(tx, keys)
        uninvited = mailed.uninvited_among(tx, list(hashes.values()))
        fresh = mailed.freshly_invited(tx, keys, at_ms=at_ms)

        def decide(one: Invitee) -> InviteDecision:
            if not one.email:
                return InviteDecision("refused", "bad_request")
            if one.key in accounts:
                return InviteDecision("member", "" if accounts[one.key] else "email_not_verified")
            try:
                rules.check_domain(one.email)
            except DomainNotAllowed:
                return InviteDecision("refused", "domain_not_allowed")
            if hashes[one.key] in uninvited:
                return InviteDecision("refused", "unsubscribed")
            return InviteDecision("waiting" if one.key in fresh else "invited")

        return {one.key: decide(one) for one in invitees}


def _check_bound(decided: Mapping[str, InviteDecision], *, left: int, at_ms: int) -> int:
    """Return how many are invited; `RateLimited` for more than are left of the day."""
    invited = sum(one.result == "invited" for one in decided.values())
    if invited > left:
        raise RateLimited(retry_after_s=-(-(DAY_MS - at_ms % DAY_MS) // SECOND_MS))
    return invited
