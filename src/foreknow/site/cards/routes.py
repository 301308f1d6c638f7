"""Endpoints of cards and tags."""

from __future__ import annotations

from typing import Literal

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BadRequest, Unauthorized
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.kernel.units import INT64_MAX
from foreknow.kernel.validation.fields import positive_int
from foreknow.market.events.listing import EventFilter
from foreknow.market.events.routes import PART_OF_NAME, TAG
from foreknow.market.events.store import EventStatus
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.store import most_used_tags
from foreknow.site.cards.schemas import CardPage, Tag, Tags
from foreknow.site.cards.service import list_cards
from foreknow.site.cards.sort_orders import SORTS, CardSort
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PlainRequest, QueryRequest, get
from foreknow.web.params import CURSOR, LIMIT, Param, choice, defaulted, optional, parameters
from foreknow.web.responses import Response

TAGS_MAX = 100
#: Longest list of filters of a cached page, in characters: strangers choose them.
CACHED_FILTERS_MAX = 300
#: Limit of cards made on the event loop.
BRIEF_CARDS = LIMIT_DEFAULT

STATUS = choice(
    "status",
    (*(status.value for status in EventStatus), "all"),
    "Only events of this status; all of them with `all`, unpublished ones for those who may see them.",
)
SORT: Param[CardSort] = choice(
    "sort",
    SORTS,
    "By the volume of the last 24 h (trending), newest first, by volume, the soonest end first, or by the largest "
    "change of a probability of the main pool in 24 h (moved).",
)


FOLLOWING = choice(
    "following",
    ("true", "false"),
    "true, signed in: only events that you follow, and those of users and with tags that you follow.",
)


def _read_creator(text: str) -> int | Literal["me"]:
    if text == "me":
        return "me"
    number = positive_int(text)
    if number is None:
        raise BadRequest("creator is me or a user's id.")
    return number


CREATOR: Param[int | Literal["me"]] = Param(
    "creator",
    _read_creator,
    {"anyOf": [{"type": "string", "enum": ["me"]}, {"type": "integer", "minimum": 1, "maximum": INT64_MAX}]},
    "Only events of this creator: `me`, signed in, or an id.",
)


@parameters
class CardsQuery:
    status: str = defaulted(STATUS, EventStatus.ACTIVE.value)
    tag: str | None = optional(TAG)
    part_of_name: str | None = optional(PART_OF_NAME)
    creator: int | Literal["me"] | None = optional(CREATOR)
    following: str = defaulted(FOLLOWING, "false")
    sort: CardSort = defaulted(SORT, "trending")
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class CardRoutes(FeatureRoutes):
    """Events at a glance."""

    @get("/cards", AuthLevel.OPTIONAL)
    async def list_cards(self, request: QueryRequest[CardsQuery]) -> CardPage | Response:
        """List events at a glance.

        An event with its main pool: what a list of events shows. A page ends early once it shows pools with 2000
        markets. By trending and moved each event that is there throughout is shown once, however ranks change while
        they are read: a page goes on with the highest ranks not shown yet, and after a thousand with the newest events.
        """
        query = request.query
        wanted = self._filter(request)
        at_ms = self._context.clock()

        def read(tx: ReadTx) -> tuple[CardPage, list[int]]:
            found = list_cards(
                tx, wanted, query.sort, self._context.cursors, limit=query.limit, cursor=query.cursor, now_ms=at_ms
            )
            page = found.page
            return CardPage(list(page.rows), page.next_cursor, page.has_more), list(found.pool_ids)

        if query.cursor is not None:
            # The first page may be a moment old; a later one must not be older than those before it.
            return (await self._context.db.read(read))[0]
        binding = wanted.binding()
        is_shared = request.visitor is None and query.sort != "volume" and len(binding) <= CACHED_FILTERS_MAX
        if is_shared and query.limit <= BRIEF_CARDS:
            return await self._context.responses.get(("cards", binding, query.limit), read)
        return (await self._context.public_reads.read(read, of_all_pools=query.sort == "volume")).content

    @get("/tags", AuthLevel.NONE, response=Tags, cached=True)
    async def list_tags(self, _request: PlainRequest) -> Response:
        """The tags with the most active events."""

        def read(tx: ReadTx) -> tuple[Tags, list[int]]:
            return Tags([Tag(*found) for found in most_used_tags(tx, limit=TAGS_MAX)]), []

        return await self._context.responses.get(("tags",), read)

    @staticmethod
    def _filter(request: QueryRequest[CardsQuery]) -> EventFilter:
        query, visitor = request.query, request.visitor
        creator_id = query.creator
        if creator_id == "me":
            if visitor is None:
                raise Unauthorized
            creator_id = visitor.user_id
        is_following = query.following == "true"
        if is_following and visitor is None:
            raise Unauthorized
        return EventFilter(
            status=None if query.status == "all" else EventStatus(query.status),
            tag=query.tag,
            part_of_name=query.part_of_name,
            sort=query.sort,
            visitor=visitor,
            creator_id=creator_id,
            with_drafts=query.status == "all",
            followed_by=visitor.user_id if visitor is not None and is_following else None,
        )
