"""Rows of webhooks: what is due, what comes next, and how far each has come."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Literal

import sqlalchemy as sa

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, SECOND_MS
from foreknow.market.pools.store import load_pools
from foreknow.market.pools.tables import pools
from foreknow.money import statements
from foreknow.money.statements.tables import partner_transactions
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.platform.sending import SENDS
from foreknow.site.webhooks.messages import Message, of_decision, of_line, of_pool
from foreknow.site.webhooks.tables import webhook_decisions, webhook_pools, webhook_secrets, webhooks
from foreknow.trading.partner.tables import partners
from foreknow.trading.settlement.store import DecisionRow, pool_decisions
from foreknow.trading.statement.lines import detailed

#: Longer than an attempt, which is given up after `sender.ANSWER_S`, and what comes before and after it.
LEASE_MS = 25 * SECOND_MS
#: Resolved pools looked at again, since a transaction may commit some time after its own clock.
OVERLAP_MS = 10 * MINUTE_MS
#: How long the secret before the newest goes on signing, and how many sign at a time.
OLD_SECRET_MS = 24 * HOUR_MS
SECRETS_MAX = 5
#: Messages read at a time.
BATCH_MAX = 100
#: Waiting messages are counted up to this number.
COUNTED_MAX = 1_000

_C = webhooks.c
_S = webhook_secrets.c
_D = webhook_pools.c
_G = webhook_decisions.c
_V = pool_decisions.c
_P = pools.c
_L = partner_transactions.c


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook as stored; the columns are described in `tables`."""

    partner_id: int
    url: str
    created_at_ms: int
    line_id: int
    pools_from_ms: int
    due_at_ms: int
    failures: int
    failing_since_ms: int | None
    reason: str
    delivered_at_ms: int | None
    resent_id: int | None
    resend_until_id: int | None
    decisions_from_ms: int


def _is_new_pool(partner_id: sa.ColumnElement[int], pools_from_ms: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    # A pool that was cancelled with an event before its publication was never seen outside.
    of_pool = sa.exists().where(_D.partner_id == partner_id, _D.pool_id == _P.id)
    delivered = of_pool.correlate(pools, webhooks)
    return sa.and_(_P.resolved_at_ms >= pools_from_ms, _P.published_at_ms.is_not(None), sa.not_(delivered))


def _is_new_decision(
    partner_id: sa.ColumnElement[int],
    decisions_from_ms: sa.ColumnElement[int],
    set_at_ms: sa.ColumnElement[int],
) -> sa.ColumnElement[bool]:
    # A process of the release before that sets a webhook notes no more than when.
    is_later = sa.and_(_V.created_at_ms >= decisions_from_ms, _V.created_at_ms >= set_at_ms)
    of_decision = sa.exists().where(_G.partner_id == partner_id, _G.decision_id == _V.id)
    delivered = of_decision.correlate(pool_decisions, webhooks)
    return sa.and_(is_later, sa.not_(delivered))


def _of_webhook(webhook: Webhook) -> tuple[sa.ColumnElement[int], sa.ColumnElement[int], sa.ColumnElement[int]]:
    return sa.literal(webhook.partner_id), sa.literal(webhook.decisions_from_ms), sa.literal(webhook.created_at_ms)


_WEBHOOK = sa.select(*(_C[field.name] for field in fields(Webhook)))
#: What waits for a webhook of the query around these.
_LINES = sa.select(_L.id).where(_L.partner_id == _C.partner_id, _L.id > _C.line_id).correlate(webhooks)
_POOLS = sa.select(_P.id).where(_is_new_pool(_C.partner_id, _C.pools_from_ms)).correlate(webhooks)
_DECISIONS = (
    sa.select(_V.id).where(_is_new_decision(_C.partner_id, _C.decisions_from_ms, _C.created_at_ms)).correlate(webhooks)
)
_WAITS = sa.or_(_C.resend_until_id.is_not(None), _LINES.exists(), _POOLS.exists(), _DECISIONS.exists())
_FAILS = _C.failing_since_ms.is_not(None)


def _deliveries(which: sa.ColumnElement[bool]) -> JobTable:
    """Delivering: a webhook is due while a message waits, at its time, unless sending is held."""
    return JobTable(_C.partner_id, _C.due_at_ms, lease_ms=LEASE_MS, claimable=sa.and_(_WAITS, which, SENDS))


#: To webhooks whose last attempt failed, and to all others; a claim of either can be settled by either.
RETRIES = _deliveries(_FAILS)
DELIVERIES = _deliveries(sa.not_(_FAILS))


def find(tx: ReadTx, partner_id: int) -> Webhook | None:
    """Return a partner's webhook; None if it has none."""
    row = tx.execute(_WEBHOOK.where(_C.partner_id == partner_id)).one_or_none()
    return None if row is None else Webhook(*row)


def lock(tx: WriteTx, partner_id: int) -> Webhook | None:
    """Lock a partner's webhook, and return it; None if it has none."""
    query = _WEBHOOK.where(_C.partner_id == partner_id).with_for_update()
    row = tx.execute(query).one_or_none()
    return None if row is None else Webhook(*row)


def put(tx: WriteTx, partner_id: int, url: str, *, at_ms: int) -> None:
    """Set a partner's webhook: a new one begins with what comes from now on, a changed one where it is."""
    change = {"url": url, "due_at_ms": at_ms, "failures": 0}
    if tx.execute(webhooks.update().where(_C.partner_id == partner_id).values(change)).rowcount:
        return
    newest = statements.page(tx, partner_id=partner_id, before_id=None, limit=1)
    new = {"partner_id": partner_id, "created_at_ms": at_ms, "pools_from_ms": at_ms, "decisions_from_ms": at_ms}
    tx.execute(webhooks.insert().values(**change, **new, line_id=newest[0].id if newest else 0))


def begin_resend(tx: WriteTx, partner_id: int, *, after_id: int, until_id: int, at_ms: int) -> bool:
    """Post a partner's lines over `after_id` again, up to `until_id`; False where an earlier resend is under way.

    A webhook that fails is tried now.
    """
    is_free = sa.and_(_C.partner_id == partner_id, _C.resend_until_id.is_(None))
    due_at_ms = sa.case((_FAILS, at_ms), else_=_C.due_at_ms)
    change = {"resent_id": after_id, "resend_until_id": until_id, "due_at_ms": due_at_ms}
    return bool(tx.execute(webhooks.update().where(is_free).values(change)).rowcount)


def remove(tx: WriteTx, partner_id: int) -> None:
    """Remove a partner's webhook with all that belongs to it."""
    for rows in (webhook_secrets, webhook_pools, webhook_decisions, webhooks):
        tx.execute(rows.delete().where(rows.c.partner_id == partner_id))


def add_secret(tx: WriteTx, partner_id: int, secret: str, *, at_ms: int) -> None:
    """Store a partner's new secret; the one before it goes on signing for a while."""
    ours = _S.partner_id == partner_id
    tx.execute(webhook_secrets.delete().where(ours, _S.ends_at_ms <= at_ms))
    last = webhook_secrets.update().where(ours, _S.ends_at_ms.is_(None))
    tx.execute(last.values(ends_at_ms=at_ms + OLD_SECRET_MS))
    kept = tx.execute(sa.select(_S.id).where(ours).order_by(_S.id.desc()).limit(SECRETS_MAX - 1)).scalars().all()
    tx.execute(webhook_secrets.delete().where(ours, _S.id.not_in(kept)))
    tx.execute(webhook_secrets.insert().values(partner_id=partner_id, secret=secret))


def live_secrets(tx: ReadTx, partner_id: int, *, at_ms: int) -> Sequence[str]:
    """Return the secrets that sign at a moment, the newest first."""
    live = sa.or_(_S.ends_at_ms.is_(None), _S.ends_at_ms > at_ms)
    query = sa.select(_S.secret).where(_S.partner_id == partner_id, live).order_by(_S.id.desc())
    return tx.execute(query).scalars().all()


def name_of(tx: ReadTx, partner_id: int) -> str:
    """Return a partner's name."""
    return str(tx.execute(sa.select(partners.c.name).where(partners.c.id == partner_id)).scalar_one())


def next_messages(tx: ReadTx, webhook: Webhook, *, limit: int = BATCH_MAX) -> list[Message]:
    """Return what comes next: lines in their order, pools in that of their results, both merged by time.

    A pool comes before the lines that pay its positions, which are later. Lines that are posted again come last:
    what is new does not wait for them for longer than a step of the sender.
    """
    # Lines first: of the pool of a line read here, the result is committed by the time that pools are read.
    rows = statements.after(tx, webhook.partner_id, after_id=webhook.line_id, limit=limit)
    lines = [of_line(line) for line in detailed(tx, rows)]
    pools_of_all = [_new_decisions(tx, webhook, limit=limit), _new_pools(tx, webhook, limit=limit)]
    new = list(islice(_merged(lines, *pools_of_all), limit))
    return new + _repeats(tx, webhook, limit=limit - len(new))


def _repeats(tx: ReadTx, webhook: Webhook, *, limit: int) -> list[Message]:
    if webhook.resent_id is None or webhook.resend_until_id is None or not limit:
        return []
    rows = statements.after(tx, webhook.partner_id, after_id=webhook.resent_id, limit=limit)
    wanted = [row for row in rows if row.id <= webhook.resend_until_id]
    return [replace(of_line(line), is_repeat=True) for line in detailed(tx, wanted)]


def _new_pools(tx: ReadTx, webhook: Webhook, *, limit: int) -> list[Message]:
    is_new = _is_new_pool(sa.literal(webhook.partner_id), sa.literal(webhook.pools_from_ms))
    query = sa.select(_P.id).where(is_new).order_by(_P.resolved_at_ms, _P.id).limit(limit)
    ids = tx.execute(query).scalars().all()
    found = load_pools(tx, ids) if ids else {}
    return [of_pool(found[pool_id]) for pool_id in ids]


def _new_decisions(tx: ReadTx, webhook: Webhook, *, limit: int) -> list[Message]:
    is_new = _is_new_decision(*_of_webhook(webhook))
    query = sa.select(*pool_decisions.c).where(is_new).order_by(_V.created_at_ms, _V.id).limit(limit)
    rows = [DecisionRow(*row) for row in tx.execute(query)]
    found = load_pools(tx, {row.pool_id for row in rows}) if rows else {}
    return [of_decision(row, found[row.pool_id]) for row in rows]


def _merged(lines: Sequence[Message], *of_pools: Sequence[Message]) -> Iterator[Message]:
    # Of two of one time the first list's comes first.
    return heapq.merge(*of_pools, lines, key=lambda message: message.at_ms)


def count_waiting(tx: ReadTx, webhook: Webhook) -> int:
    """Return how many messages wait, `COUNTED_MAX` for that many or more."""
    lines = sa.select(_L.id).where(_L.partner_id == webhook.partner_id)
    is_new = _is_new_pool(sa.literal(webhook.partner_id), sa.literal(webhook.pools_from_ms))
    is_given = _is_new_decision(*_of_webhook(webhook))
    kinds = [lines.where(_L.id > webhook.line_id), sa.select(_P.id).where(is_new), sa.select(_V.id).where(is_given)]
    if webhook.resent_id is not None:
        kinds.append(lines.where(_L.id > webhook.resent_id, _L.id <= webhook.resend_until_id))
    waiting = 0
    for query in kinds:
        few = query.limit(COUNTED_MAX).subquery()
        waiting += tx.execute(sa.select(sa.func.count()).select_from(few)).scalar_one()
    return min(waiting, COUNTED_MAX)


DeliveryState = Literal["ok", "failing"]


@dataclass(frozen=True, slots=True)
class WebhookBacklog:
    """How many webhooks are in a state, and for how long the oldest message has waited for one of them; 0 for none."""

    webhooks: int = 0
    waiting_ms: int = 0


def backlogs(tx: ReadTx, *, at_ms: int) -> Mapping[DeliveryState, WebhookBacklog]:
    """Return the backlog of webhooks whose last attempt failed, and of all others.

    Reads a few rows of each webhook, however many messages wait.
    """
    line = _LINES.with_only_columns(_L.created_at_ms).order_by(_L.id).limit(1)
    pool = _POOLS.with_only_columns(_P.resolved_at_ms).order_by(_P.resolved_at_ms).limit(1)
    decision = _DECISIONS.with_only_columns(_V.created_at_ms).order_by(_V.created_at_ms).limit(1)
    found = sa.select(
        _C.failing_since_ms.is_not(None).label("is_failing"),
        line.scalar_subquery().label("line_ms"),
        pool.scalar_subquery().label("pool_ms"),
        decision.scalar_subquery().label("decision_ms"),
    ).subquery()
    oldest = (sa.func.min(found.c[name]) for name in ("line_ms", "pool_ms", "decision_ms"))
    query = sa.select(found.c.is_failing, sa.func.count(), *oldest).group_by(found.c.is_failing)
    states: dict[DeliveryState, WebhookBacklog] = {"ok": WebhookBacklog(), "failing": WebhookBacklog()}
    for is_failing, webhook_count, *moments_ms in tx.execute(query):
        waiting_ms = max((at_ms - moment_ms for moment_ms in moments_ms if moment_ms is not None), default=0)
        states["failing" if is_failing else "ok"] = WebhookBacklog(webhook_count, max(0, waiting_ms))
    return states


@dataclass(frozen=True, slots=True)
class Progress:
    """What was delivered since the cursor was written last."""

    line_id: int
    pools: tuple[tuple[int, int], ...] = ()
    decisions: tuple[tuple[int, int], ...] = ()
    delivered_at_ms: int | None = None
    #: The last line that was posted again; None for none.
    resent_id: int | None = None

    def after(self, message: Message, *, at_ms: int) -> Progress:
        """Return the progress once a message is taken."""
        if message.is_repeat:
            return replace(self, resent_id=message.line_id, delivered_at_ms=at_ms)
        if message.line_id is not None:
            return replace(self, line_id=message.line_id, delivered_at_ms=at_ms)
        if message.decision_id is not None:
            decisions = (*self.decisions, (message.decision_id, message.at_ms))
            return replace(self, decisions=decisions, delivered_at_ms=at_ms)
        assert message.pool_id is not None
        return replace(self, pools=(*self.pools, (message.pool_id, message.at_ms)), delivered_at_ms=at_ms)


def write_progress(tx: WriteTx, webhook: Webhook, progress: Progress) -> Webhook:
    """Move the cursor of a webhook whose lease is held; return the webhook as it is then."""
    if progress.delivered_at_ms is None:
        return webhook
    pools_from_ms = webhook.pools_from_ms
    if progress.pools:
        rows = [(webhook.partner_id, pool_id, at_ms) for pool_id, at_ms in progress.pools]
        insert_rows(tx, webhook_pools, ("partner_id", "pool_id", "resolved_at_ms"), rows)
        pools_from_ms = max(pools_from_ms, progress.pools[-1][1] - OVERLAP_MS)
        past = sa.and_(_D.partner_id == webhook.partner_id, _D.resolved_at_ms < pools_from_ms)
        tx.execute(webhook_pools.delete().where(past))
    moved = replace(
        webhook,
        line_id=progress.line_id,
        pools_from_ms=pools_from_ms,
        decisions_from_ms=_note_decisions(tx, webhook, progress.decisions),
        delivered_at_ms=progress.delivered_at_ms,
    )
    values = {
        name: getattr(moved, name) for name in ("line_id", "pools_from_ms", "decisions_from_ms", "delivered_at_ms")
    }
    # Only where a line was posted again: else a resend may have begun since the webhook was read.
    if progress.resent_id is not None:
        is_last = progress.resent_id == webhook.resend_until_id
        moved = replace(
            moved,
            resent_id=None if is_last else progress.resent_id,
            resend_until_id=None if is_last else webhook.resend_until_id,
        )
        values |= {"resent_id": moved.resent_id, "resend_until_id": moved.resend_until_id}
    tx.execute(webhooks.update().where(_C.partner_id == webhook.partner_id).values(values))
    return moved


def _note_decisions(tx: WriteTx, webhook: Webhook, delivered: Sequence[tuple[int, int]]) -> int:
    """Note verdicts that were delivered; return from when on they are looked through the next time."""
    if not delivered:
        return webhook.decisions_from_ms
    rows = [(webhook.partner_id, decision_id, at_ms) for decision_id, at_ms in delivered]
    insert_rows(tx, webhook_decisions, ("partner_id", "decision_id", "decided_at_ms"), rows)
    from_ms = max(webhook.decisions_from_ms, delivered[-1][1] - OVERLAP_MS)
    past = sa.and_(_G.partner_id == webhook.partner_id, _G.decided_at_ms < from_ms)
    tx.execute(webhook_decisions.delete().where(past))
    return from_ms
