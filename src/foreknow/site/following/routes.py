"""Endpoints of follows and price alerts."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BadRequest, InvalidState
from foreknow.kernel.validation.fields import required_text_schema
from foreknow.market.events.errors import EventNotFound
from foreknow.market.events.routes import EventPath
from foreknow.market.events.schemas import TAG_MAX
from foreknow.market.pools.errors import MarketNotFound, MarketResolved
from foreknow.market.pools.market_routes import MarketPath
from foreknow.people.follows import store
from foreknow.people.follows.errors import TooManyFollows
from foreknow.people.users.errors import UserNotFound
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.following import alerts, service
from foreknow.site.following.errors import TooManyAlerts
from foreknow.site.following.schemas import AlertRequest, Following, ListedAlert, MarketAlert, MarketAlerts
from foreknow.trading.history.routes import TraderPath
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, PlainRequest, Request, delete, get, put
from foreknow.web.params import parameters, path_text
from foreknow.web.responses import Empty


@parameters
class TagPath:
    tag: str = path_text(
        service.read_tag,
        {"type": "string", **required_text_schema(TAG_MAX), "examples": ["football"]},
        "A tag, percent-encoded (`/` as `%2F`).",
    )


class FollowRoutes(FeatureRoutes):
    """Following events, users and tags."""

    @put("/events/{event_id}/follow", AuthLevel.REQUIRED, errors=(EventNotFound, TooManyFollows))
    async def follow_event(self, request: PathRequest[EventPath]) -> Empty:
        """Follow an event.

        You are notified when it closes, moves, is commented on or ends, as your settings say. Your first trade in an
        event follows it, unless you have unfollowed it or follow 1,000. Of these, one that a trade follows makes space
        for what you choose.
        """
        await self._context.db.write_private(lambda tx: service.follow_event(tx, request.path.event_id, request.user))
        return Empty()

    @delete("/events/{event_id}/follow", AuthLevel.REQUIRED, errors=(EventNotFound,))
    async def unfollow_event(self, request: PathRequest[EventPath]) -> Empty:
        """Unfollow an event.

        No trade of yours follows it again.
        """
        await self._context.db.write_private(lambda tx: service.unfollow_event(tx, request.path.event_id, request.user))
        return Empty()

    @put("/users/{id}/follow", AuthLevel.REQUIRED, errors=(UserNotFound, TooManyFollows))
    async def follow_user(self, request: PathRequest[TraderPath]) -> Empty:
        """Follow a user.

        You are notified of the events that they publish.
        """
        await self._context.db.write_private(lambda tx: service.follow_user(tx, request.path.id, request.user))
        return Empty()

    @delete("/users/{id}/follow", AuthLevel.REQUIRED, errors=(UserNotFound,))
    async def unfollow_user(self, request: PathRequest[TraderPath]) -> Empty:
        """Unfollow a user."""
        await self._context.db.write_private(lambda tx: service.unfollow_user(tx, request.path.id, request.user))
        return Empty()

    @put("/tags/{tag}/follow", AuthLevel.REQUIRED, errors=(BadRequest, TooManyFollows))
    async def follow_tag(self, request: PathRequest[TagPath]) -> Empty:
        """Follow a tag, also one that no event has yet.

        You are notified of new events with it.
        """

        def work(tx: WriteTx) -> None:
            store.follow_tag(tx, request.user.user_id, request.path.tag)

        await self._context.db.write_private(work)
        return Empty()

    @delete("/tags/{tag}/follow", AuthLevel.REQUIRED, errors=(BadRequest,))
    async def unfollow_tag(self, request: PathRequest[TagPath]) -> Empty:
        """Unfollow a tag."""
        await self._context.db.write_private(lambda tx: service.unfollow_tag(tx, request.path.tag, request.user))
        return Empty()

    @get("/users/me/following", AuthLevel.REQUIRED)
    async def get_following(self, request: PlainRequest) -> Following:
        """What you follow."""
        user_id = request.user.user_id
        return await self._context.db.read(lambda tx: service.following(tx, user_id))


class AlertRoutes(FeatureRoutes):
    """Price alerts."""

    @put(
        "/markets/{market_id}/alert",
        AuthLevel.REQUIRED,
        errors=(MarketNotFound, MarketResolved, InvalidState, TooManyAlerts),
    )
    async def set_price_alert(self, request: Request[MarketPath, None, AlertRequest]) -> MarketAlert:
        """Be notified once when a market's price is there.

        Each of the two prices is notified of at the first trade, or new priors, that leave the price of YES at it or
        past it, then it is gone; both are gone once trading ends. It replaces what you had set there; what
        was reached before is notified of all the same. A price that has
        passed one already is 409 `invalid_state`.
        """
        return await self._context.db.write_private(
            lambda tx: service.set_alert(tx, request.path.market_id, request.body, request.user)
        )

    @delete("/markets/{market_id}/alert", AuthLevel.REQUIRED, errors=(MarketNotFound,))
    async def delete_price_alert(self, request: PathRequest[MarketPath]) -> Empty:
        """Delete a price alert."""
        await self._context.db.write_private(lambda tx: service.delete_alert(tx, request.path.market_id, request.user))
        return Empty()

    @get("/users/me/alerts", AuthLevel.REQUIRED)
    async def list_price_alerts(self, request: PlainRequest) -> MarketAlerts:
        """Your price alerts."""
        user_id, at_ms = request.user.user_id, self._context.clock()
        rows = await self._context.db.lookup(lambda tx: alerts.alerts_of(tx, user_id, at_ms=at_ms))
        return MarketAlerts([ListedAlert(*row) for row in rows])
