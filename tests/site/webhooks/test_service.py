"""Who may set a webhook and have lines posted again, below HTTP, where a right has ended meanwhile."""

from __future__ import annotations

import pytest

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import Forbidden, InvalidPartnerKey, InvalidState, Unauthorized
from foreknow.people import attention
from foreknow.people.attention.store import newest_open
from foreknow.people.users import sessions
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.webhooks import WebhookSender, service, store
from foreknow.site.webhooks.errors import TransactionNotFound, WebhookNotFound
from foreknow.site.webhooks.service import ATTENTION_KIND, ATTENTION_REASON, LinesToResend
from foreknow.site.webhooks.store import Webhook
from foreknow.trading.partner.keys import revoke_key
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.support.rows import insert_user
from tests.trading.partner.made import Made, make_partner

pytestmark = ONCE

URL = "https://example.org/hook"


def an_admin(tx: WriteTx) -> UserCaller:
    user_id = insert_user(tx, "Root", is_admin=True)
    session = sessions.open_session(tx, user_id=user_id, now_ms=0)
    return UserCaller(user_id, session.id, is_creator=False, is_admin=True, is_stats_viewer=False, is_operator=False)


def put(tx: WriteTx, admin: UserCaller, url: str = URL) -> str:
    return service.put(tx, admin, name="Acme", url=url, internal_hosts=(), at_ms=1).secret


def put_own(tx: WriteTx, partner: Made, url: str = URL) -> str:
    return service.put_own(tx, partner.caller, url=url, internal_hosts=(), at_ms=1).secret


async def test_an_admin_who_is_none_any_more_sets_no_webhook(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, admin = make_partner(tx), an_admin(tx)
        tx.execute(users.update().where(users.c.id == admin.user_id).values(is_admin=False))
        with pytest.raises(Forbidden):
            put(tx, admin)
        tx.execute(users.update().where(users.c.id == admin.user_id).values(is_admin=True))
        secret = put(tx, admin)
        sessions.revoke(tx, admin.session_id, now_ms=1)
        with pytest.raises(Unauthorized):
            put(tx, admin, "")
        assert list(store.live_secrets(tx, acme.row.id, at_ms=1)) == [secret]

    await db.write(work)


async def test_nothing_is_changed_or_posted_again_by_a_key_that_has_ended(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx, float_kopecks=5)
        secret = put_own(tx, acme)
        lines = service.lines_to_resend(tx, acme.row.id, after_id=0)
        revoke_key(tx, partner_id=acme.row.id, key_id=acme.caller.key_id, at_ms=1)
        with pytest.raises(InvalidPartnerKey):
            put_own(tx, acme)
        with pytest.raises(InvalidPartnerKey):
            service.remove_own(tx, acme.caller, at_ms=1)
        with pytest.raises(InvalidPartnerKey):
            service.resend(tx, acme.caller, lines, at_ms=1)
        found = store.find(tx, acme.row.id)
        assert found is not None
        assert found.resend_until_id is None
        assert list(store.live_secrets(tx, acme.row.id, at_ms=1)) == [secret]

    await db.write(work)


async def test_of_two_resends_at_the_same_moment_the_second_is_refused(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = make_partner(tx, float_kopecks=5), make_partner(tx, "Other", float_kopecks=5)
        with pytest.raises(WebhookNotFound):
            service.lines_to_resend(tx, acme.row.id, after_id=0)
        put_own(tx, acme)
        put_own(tx, other)
        first, second = (service.lines_to_resend(tx, acme.row.id, after_id=0) for _ in range(2))
        assert first == second
        assert (first.after_id, first.count) == (0, 1)
        with pytest.raises(TransactionNotFound):
            service.lines_to_resend(tx, other.row.id, after_id=first.until_id)
        service.resend(tx, acme.caller, first, at_ms=2)
        with pytest.raises(InvalidState):
            service.resend(tx, acme.caller, second, at_ms=2)
        with pytest.raises(InvalidState):
            service.lines_to_resend(tx, acme.row.id, after_id=0)
        # Another partner's is its own.
        service.resend(tx, other.caller, service.lines_to_resend(tx, other.row.id, after_id=0), at_ms=2)
        service.remove_own(tx, acme.caller, at_ms=3)
        with pytest.raises(WebhookNotFound):
            service.resend(tx, acme.caller, second, at_ms=3)

    await db.write(work)


async def test_a_partner_without_lines_has_nothing_posted_again(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme = make_partner(tx)
        put_own(tx, acme)
        lines = service.lines_to_resend(tx, acme.row.id, after_id=0)
        assert lines == LinesToResend(after_id=0, until_id=0, count=0)
        service.resend(tx, acme.caller, lines, at_ms=1)
        found = store.find(tx, acme.row.id)
        assert found is not None
        assert found.resend_until_id is None

    await db.write(work)


async def test_a_webhook_that_is_removed_asks_for_no_attention(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        acme, other = make_partner(tx), make_partner(tx, "Other")
        for partner in (acme, other):
            put_own(tx, partner)
            name = partner.row.name
            attention.open_entry(tx, ATTENTION_KIND, reason=ATTENTION_REASON, partner=name, at_ms=1)
        # Setting it again does not mean that it is well.
        put_own(tx, acme)
        assert {entry.partner for entry in newest_open(tx, before_id=None, limit=9)} == {"Acme", "Other"}
        service.remove_own(tx, acme.caller, at_ms=2)
        assert {entry.partner for entry in newest_open(tx, before_id=None, limit=9)} == {"Other"}
        assert store.find(tx, acme.row.id) is None

    await db.write(work)


async def test_a_host_that_the_settings_name_no_more_is_posted_nothing(db: Database, clock: ShiftableClock) -> None:
    def work(tx: WriteTx) -> Webhook:
        acme = make_partner(tx)
        service.put(tx, an_admin(tx), name="Acme", url="http://10.0.0.7/hook", internal_hosts={"10.0.0.7"}, at_ms=1)
        return service.of_partner(tx, acme.row.id)

    webhook = await db.write(work)
    reason = await WebhookSender(db, clock).test(webhook)
    assert reason == "the URL must begin with https:// and name a host, not an IP address"
