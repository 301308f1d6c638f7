"""What the later instances of a series are made of, and when they take place.

Instance j has the times of the plan's instance plus a whole number of intervals of UTC minutes, whatever daylight
saving does (lifecycle.md, "Series").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from foreknow.kernel.clock import MINUTE_MS, millis
from foreknow.market.events.drafts import EventDraft, event_draft
from foreknow.market.events.schemas import CreateEventBody, PoolBody
from foreknow.market.events.store import EventRow
from foreknow.market.pools.store import PoolRow

#: The last moment that a time can name.
LAST_MS = millis(datetime.max.replace(tzinfo=UTC))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class PoolPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A pool of each later instance: texts as written, and the times of the plan's instance, Unix milliseconds."""

    name: str
    name_ru: str
    rules: str
    margin: float
    #: As sent.
    metadata: dict[str, Any]
    #: Not always those of `metadata`: they may have been changed before the publication.
    market_names: list[str]
    live_at_ms: int | None
    finish_at_ms: int | None


class SeriesPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What each later instance takes over, texts as written."""

    name: str
    name_ru: str
    tags: list[str]
    versus_names: list[str]
    versus_images: list[str]
    has_draw: bool
    external_event_url: str
    main_pool_index: int
    pools: list[PoolPlan]
    #: Address of the next instance's image, "" for none; None: that of the newest instance.
    image_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """A plan and its repetition."""

    plan: SeriesPlan
    #: The instance whose times the plan holds.
    plan_index: int
    interval_minutes: int

    def body_of(self, index: int) -> CreateEventBody:
        """Return an instance as a request to create it, but for names of markets that were changed since."""
        plan, later_ms = self.plan, self._later_ms(index)
        return CreateEventBody(
            name=plan.name,
            name_ru=plan.name_ru,
            tags=plan.tags,
            versus_names=plan.versus_names,
            versus_images=plan.versus_images,
            has_draw=plan.has_draw,
            image_url=plan.image_url,
            external_event_url=plan.external_event_url,
            main_pool_index=plan.main_pool_index,
            loop_interval_minutes=self.interval_minutes,
            pools=[_pool_body(pool, later_ms) for pool in plan.pools],
        )

    def draft_of(self, index: int) -> EventDraft:
        """Return the event of an instance, checked like any other new event."""
        return self.with_market_names(event_draft(self.body_of(index)))

    def with_market_names(self, draft: EventDraft) -> EventDraft:
        """Return a draft made of `body_of` with the names that the plan's markets have."""
        named = zip(draft.pools, self.plan.pools, strict=True)
        return replace(draft, pools=[replace(pool, market_names=given.market_names) for pool, given in named])

    def next_index(self, *, after: int, at_ms: int) -> int:
        """Return the lowest index above `after` whose `finish_at` are all later than `at_ms`.

        None before the plan's: new pools were sent for it, when those before had been missed.
        """
        finishes_ms = [pool.finish_at_ms for pool in self.plan.pools if pool.finish_at_ms is not None]
        interval_ms = self.interval_minutes * MINUTE_MS
        ahead = [self.plan_index + (at_ms - finish_ms) // interval_ms + 1 for finish_ms in finishes_ms]
        return max([after + 1, self.plan_index, *ahead])

    def can_take_place(self, index: int) -> bool:
        """Return whether the times of an instance can be named: none lies past the year 9999."""
        later_ms = self._later_ms(index)
        times_ms = [at_ms for pool in self.plan.pools for at_ms in (pool.live_at_ms, pool.finish_at_ms)]
        return all(at_ms is None or at_ms + later_ms <= LAST_MS for at_ms in times_ms)

    def at(self, index: int) -> Recurrence:
        """Return the same repetition by a plan with the times of another instance."""
        later_ms = self._later_ms(index)
        pools = [
            msgspec.structs.replace(
                pool, live_at_ms=_moved(pool.live_at_ms, later_ms), finish_at_ms=_moved(pool.finish_at_ms, later_ms)
            )
            for pool in self.plan.pools
        ]
        return replace(self, plan=msgspec.structs.replace(self.plan, pools=pools), plan_index=index)

    def _later_ms(self, index: int) -> int:
        return (index - self.plan_index) * self.interval_minutes * MINUTE_MS


def plan_of_event(event: EventRow, pools: Sequence[PoolRow]) -> SeriesPlan:
    """Return the plan of an event that is still new, so that it shows its texts as written; `pools` in their order."""
    return SeriesPlan(
        name=event.name,
        name_ru=event.name_ru,
        tags=event.tags,
        versus_names=event.versus_names,
        versus_images=event.versus_images,
        has_draw=event.has_draw,
        external_event_url=event.external_event_url,
        main_pool_index=event.main_pool_index,
        pools=[
            PoolPlan(
                name=pool.name,
                name_ru=pool.name_ru,
                rules=pool.rules,
                margin=pool.margin,
                metadata=pool.metadata,
                market_names=[market.name for market in pool.markets],
                live_at_ms=pool.live_at_ms,
                finish_at_ms=pool.finish_at_ms,
            )
            for pool in pools
        ],
    )


def plan_of_draft(draft: EventDraft, *, image_url: str | None) -> SeriesPlan:
    """Return the plan of a draft; `image_url` as in `SeriesPlan`."""
    return SeriesPlan(
        name=draft.name,
        name_ru=draft.name_ru,
        tags=draft.tags,
        versus_names=draft.versus_names,
        versus_images=draft.versus_images,
        has_draw=draft.has_draw,
        external_event_url=draft.external_event_url,
        main_pool_index=draft.main_pool_index,
        image_url=image_url,
        pools=[
            PoolPlan(
                name=pool.name,
                name_ru=pool.name_ru,
                rules=pool.rules,
                margin=pool.margin,
                metadata=dict(pool.metadata),
                market_names=list(pool.market_names),
                live_at_ms=pool.live_at_ms,
                finish_at_ms=pool.finish_at_ms,
            )
            for pool in draft.pools
        ],
    )


def _pool_body(pool: PoolPlan, later_ms: int) -> PoolBody:
    return PoolBody(
        name=pool.name,
        name_ru=pool.name_ru,
        margin=pool.margin,
        finish_at=_moment(_moved(pool.finish_at_ms, later_ms)),
        live_at=_moment(_moved(pool.live_at_ms, later_ms)),
        rules=pool.rules,
        metadata=pool.metadata,
    )


def _moved(at_ms: int | None, later_ms: int) -> int | None:
    return None if at_ms is None else at_ms + later_ms


def _moment(at_ms: int | None) -> datetime | None:
    return None if at_ms is None else _EPOCH + timedelta(milliseconds=at_ms)
