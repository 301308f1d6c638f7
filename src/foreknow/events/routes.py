"""Endpoints of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from foreknow.events import service
from foreknow.events.drafts import event_draft
from foreknow.events.listing import PAGE_MARKETS_MAX, EventFilter, list_events
from foreknow.events.refusals import EventNotFound, HouseLimit
from foreknow.events.schemas import CreateEventBody, Event, EventPage
from foreknow.events.store import EventStatus
from foreknow.kernel.errors import Forbidden, InvalidState
from foreknow.web.endpoint import CURSOR, LIMIT, Call, Endpoint, Level, Param, choice, get, post
from foreknow.web.room import Room

STATUS = choice(
    "status",
    tuple(status.value for status in EventStatus),
    "Only events of this status.",
    default=EventStatus.ACTIVE.value,
)
TAG = Param("tag", str, {"type": "string"}, "Only events with exactly this tag.")
PART_OF_NAME = Param("q", str, {"type": "string"}, "A part of name or name_ru, without regard to case.")
SORT = choice(
    "sort",
    ("new", "volume", "closing"),
    "Newest first, most traded first, or the soonest of the pools' latest finish_at first.",
    default="new",
)


class EventRoutes:
    """Creating, listing, reading and publishing events."""

    def __init__(self, room: Room, *, house_limit_kopecks: int | None) -> None:
        """Answer from `room`; `house_limit_kopecks` bounds the sum of one creator's open loss bounds."""
        self._room = room
        self._house_limit_kopecks = house_limit_kopecks

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            post(
                "/events/create-full",
                self.create,
                Level.CREATOR,
                Event,
                "Create an event with its pools and markets",
                status=201,
                body=CreateEventBody,
                bare=True,
                description="The event is new: only its creator and admins see it until it is published. Being an "
                "admin is not enough: 403 means that the account lacks `is_creator`, which any admin gives to anybody, "
                'themselves too, by `PATCH /admin/users/{id}` `{"is_creator": true}`.',
            ),
            get(
                "/events",
                self.page,
                Level.OPTIONAL,
                EventPage,
                "List events",
                query=(STATUS, TAG, PART_OF_NAME, SORT, LIMIT, CURSOR),
                description=f"A page ends early once it shows {PAGE_MARKETS_MAX} markets: `has_more` tells.",
            ),
            get("/events/{event_id}", self.one, Level.OPTIONAL, Event, "One event", refusals=(EventNotFound,)),
            post(
                "/events/{event_id}/publish",
                self.publish,
                Level.REQUIRED,
                Event,
                "Publish a new event: its pools can be traded from their live_at on",
                refusals=(EventNotFound, Forbidden, InvalidState, HouseLimit),
                description="By its creator or an admin. The house pays each pool's loss bound into its escrow.",
            ),
        ]

    async def create(self, call: Call) -> Event:
        """Check the draft, then write it."""
        body: CreateEventBody = call.body
        draft = event_draft(body)
        now_ms = self._room.clock()

        def work(tx: sa.Connection) -> Event:
            event_id = service.create(tx, draft, creator_id=call.user.user_id, at_ms=now_ms)
            return service.event_answer(tx, event_id, now_ms=now_ms)

        return await self._room.db.write(work)

    async def page(self, call: Call) -> EventPage:
        """Answer one page of the list."""
        query: dict[str, Any] = dict(call.query)
        wanted = EventFilter(
            status=EventStatus(query["status"]),
            tag=query["tag"],
            part_of_name=query["q"],
            sort=query["sort"],
            visitor=call.visitor,
        )
        now_ms = self._room.clock()

        def read(tx: sa.Connection) -> tuple[EventPage, list[int]]:
            page = list_events(
                tx, wanted, self._room.cursors, limit=query["limit"], cursor=query["cursor"], now_ms=now_ms
            )
            shown = service.event_answers(tx, page.rows, now_ms=now_ms, pool_ids=page.pool_ids)
            return EventPage(shown, page.next_cursor, page.has_more), _pool_ids(shown)

        if query["cursor"] is not None:
            # The first page may be a moment old; a later one must not be older than those before it.
            return (await self._room.db.read(read))[0]
        return (await self._room.stale.read(read, of_all_pools=wanted.sort == "volume")).content

    async def one(self, call: Call) -> Event:
        """Answer one event."""
        now_ms = self._room.clock()

        def read(tx: sa.Connection) -> tuple[Event, list[int]]:
            row = service.visible_event(tx, call.path["event_id"], call.visitor)
            shown = service.event_answers(tx, [row], now_ms=now_ms)
            return shown[0], _pool_ids(shown)

        return (await self._room.stale.read(read)).content

    async def publish(self, call: Call) -> Event:
        """Open the event for trading."""
        event_id: int = call.path["event_id"]

        def work(tx: sa.Connection) -> Event:
            service.publish(tx, event_id, call.user, clock=self._room.clock, limit_kopecks=self._house_limit_kopecks)
            return service.event_answer(tx, event_id, now_ms=self._room.clock())

        return await self._room.db.write(work)


def _pool_ids(shown: Sequence[Event]) -> list[int]:
    return [pool.id for event in shown for pool in event.pools]
