"""Endpoints of events."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import NOT_CREATOR, AuthLevel
from foreknow.kernel.errors import Forbidden, InvalidState, Muted
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.kernel.units import INT64_MAX
from foreknow.market.events import service
from foreknow.market.events.drafts import EventDraft, check_sources, event_draft
from foreknow.market.events.errors import EventNotFound, HouseLimit, InvalidEventId, PriceUnavailable, TooManyEvents
from foreknow.market.events.listing import PAGE_MARKETS_MAX, EventFilter, list_events
from foreknow.market.events.schemas import CreateEventBody, Event, EventPage
from foreknow.market.events.sorting import Sort
from foreknow.market.events.store import EventStatus
from foreknow.market.events.template_bodies import EventTemplate
from foreknow.market.events.templates import template_draft
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import BodyRequest, PathRequest, QueryRequest, get, post
from foreknow.web.params import CURSOR, LIMIT, Param, choice, defaulted, optional, parameters, path_id, whole_number
from foreknow.web.responses import Response

STATUS = choice(
    "status", tuple(EventStatus), "Only events of this status; by default active ones, of a series those of any."
)
TAG = Param("tag", str, {"type": "string"}, "Only events with exactly this tag.")
PART_OF_NAME = Param("q", str, {"type": "string"}, "A part of name or name_ru, without regard to case.")
SORT: Param[Sort] = choice(
    "sort",
    ("new", "volume", "closing"),
    "Newest first, most traded first, or the soonest of the pools' latest finish_at first.",
)
SERIES = whole_number("series", "Only instances of the series with this id.", most=INT64_MAX)
CURRENT = choice("current", ("true", "false"), "true leaves out all but the newest instance of each series.")


@parameters
class EventPath:
    event_id: int = path_id(InvalidEventId)


@parameters
class EventsQuery:
    status: EventStatus | None = optional(STATUS)
    tag: str | None = optional(TAG)
    part_of_name: str | None = optional(PART_OF_NAME)
    series_id: int | None = optional(SERIES)
    current: str = defaulted(CURRENT, "false")
    sort: Sort = defaulted(SORT, "new")
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class EventRoutes(FeatureRoutes):
    """Creating, listing, reading and publishing events."""

    @post(
        "/events/create-full",
        AuthLevel.CREATOR,
        status=201,
        bare=(Forbidden,),
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, TooManyEvents),
    )
    async def create_event(self, request: BodyRequest[CreateEventBody]) -> Event:
        """Create an event with its pools and markets.

        The event is new: only its creator and admins see it until it is published. Being an admin is not enough: 403
        means that the account lacks `is_creator`, which any admin gives to any account, themselves too, by `PATCH
        /admin/users/{id}` `{"is_creator": true}`. Where GET /site says so (`creators`), every account may; with
        `suggest` an admin publishes what others than creators make, at most 20 new events of each at a time.
        """
        check_sources(request.body.pools)
        return await self._create(event_draft(request.body), request.user)

    @post(
        "/events/from-template",
        AuthLevel.CREATOR,
        status=201,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, TooManyEvents),
    )
    async def create_event_from_template(self, request: BodyRequest[EventTemplate]) -> Event:
        """Create an event from a template.

        As in creation, with one pool that the template describes: a question (`yes_no`), a match of two sides
        (`match`), an asset's price (`price`), or a question with several answers (`candidates`).
        """
        return await self._create(template_draft(request.body), request.user)

    async def _create(self, draft: EventDraft, caller: UserCaller) -> Event:
        def work(tx: WriteTx) -> Event:
            at_ms, terms = now_ms(tx), self._context.settings.at(tx)
            maker = terms.seen(caller)
            if not maker.makes_events:
                raise Forbidden(NOT_CREATOR)
            if maker.runs_events:
                event_id = service.create(tx, draft, creator_id=maker.user_id, at_ms=at_ms, terms=terms)
            else:
                event_id = service.suggest(tx, draft, maker, at_ms=at_ms, terms=terms)
            return service.load_event_view(tx, event_id, now_ms=at_ms)

        return await self._context.db.write(work)

    @get(
        "/events",
        AuthLevel.OPTIONAL,
        description=f"A page ends early once it shows {PAGE_MARKETS_MAX} markets: `has_more` tells.",
    )
    async def list_events(self, request: QueryRequest[EventsQuery]) -> EventPage | Response:
        """List events."""
        query = request.query
        wanted = EventFilter(
            status=query.status or (EventStatus.ACTIVE if query.series_id is None else None),
            tag=query.tag,
            part_of_name=query.part_of_name,
            sort=query.sort,
            visitor=request.visitor,
            series_id=query.series_id,
            only_newest=query.current == "true",
        )
        at_ms = self._context.clock()

        def read(tx: ReadTx) -> tuple[EventPage, list[int]]:
            page = list_events(tx, wanted, self._context.cursors, limit=query.limit, cursor=query.cursor, now_ms=at_ms)
            shown = service.load_event_views(tx, page.rows, now_ms=at_ms, pool_ids=page.pool_ids)
            return EventPage(shown, page.next_cursor, page.has_more), _pool_ids(shown)

        if query.cursor is not None:
            # The first page may be a moment old; a later one must not be older than those before it.
            return (await self._context.db.read(read))[0]
        if wanted.sort == "volume":
            # A trade in any pool may change the order, not only one in those shown.
            return (await self._context.public_reads.read(read, of_all_pools=True)).content
        if request.visitor is None and wanted.part_of_name is None:
            key = ("events", query.status, query.tag, query.series_id, query.current, query.sort, query.limit)
            return await self._context.responses.get(key, read, is_brief=False)
        return (await self._context.public_reads.read(read)).content

    @get("/events/{event_id}", AuthLevel.OPTIONAL, errors=(EventNotFound,), cached=True)
    async def get_event(self, request: PathRequest[EventPath]) -> Event | Response:
        """One event."""
        at_ms = self._context.clock()

        def read(tx: ReadTx) -> tuple[Event, list[int]]:
            row = service.visible_event(tx, request.path.event_id, request.visitor)
            shown = service.load_event_views(tx, [row], now_ms=at_ms)
            return shown[0], _pool_ids(shown)

        if request.visitor is None:
            return await self._context.responses.get(("event", request.path.event_id), read, is_brief=False)
        return (await self._context.public_reads.read(read)).content

    @post(
        "/events/{event_id}/publish",
        AuthLevel.REQUIRED,
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, EventNotFound, Forbidden, InvalidState, PriceUnavailable, HouseLimit),
    )
    async def publish_event(self, request: PathRequest[EventPath]) -> Event:
        """Publish a new event: its pools can be traded from their live_at on.

        By its creator or an admin. The house pays each pool's loss bound into its escrow. Placeholders in texts are
        filled in.
        """
        event_id = request.path.event_id

        def work(tx: WriteTx) -> Event:
            terms = self._context.settings.at(tx)
            service.publish(tx, event_id, terms.seen(request.user), terms=terms)
            return service.load_event_view(tx, event_id, now_ms=now_ms(tx))

        return await self._context.db.write(work)


def _pool_ids(shown: Sequence[Event]) -> list[int]:
    return [pool.id for event in shown for pool in event.pools]
