"""What a site shows everyone, page after page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, NamedTuple

from foreknow.commands.replay.client import ApiClient, RequestFailed
from foreknow.money.pricing import Side

#: Drafts are not public.
STATES: Final = ("active", "closed", "resolved", "cancelled")
_PAGE: Final = 100
_NOT_FOUND: Final = 404


class Leg(NamedTuple):
    """What a basket bought or sold of one market."""

    market_id: int
    shares: int
    amount_kopecks: int


class PublicTrade(NamedTuple):
    """A trade as the lists show it; probabilities of YES, money in kopecks."""

    id: int
    pool_id: int
    market_id: int
    is_buy: bool
    side: Side
    amount_kopecks: int
    shares: int
    avg_price_bps: int
    before: float
    after: float
    basket_id: int | None
    legs: tuple[Leg, ...]
    given: tuple[int, ...]
    created_at: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> PublicTrade:
        """Read a trade of a list."""
        return cls(
            id=row["id"],
            pool_id=row["pool_id"],
            market_id=row["market_id"],
            is_buy=row["action"] == "buy",
            side=Side(row["token_type"]),
            amount_kopecks=row["amount_kopecks"],
            shares=row["shares"],
            avg_price_bps=row["avg_price"],
            before=row["probability_before"],
            after=row["probability_after"],
            basket_id=row["basket_id"],
            legs=tuple(Leg(leg["market_id"], leg["shares"], leg["amount_kopecks"]) for leg in row["legs"] or ()),
            given=tuple(row["given"] or ()),
            created_at=row["created_at"],
        )


class EventRead(NamedTuple):
    """An event's page, and its trades, the oldest first: those that the page must know, and those that came since."""

    page: dict[str, Any]
    trades: list[PublicTrade]
    #: The newest trade that was listed before the page was read; 0 for none.
    known_id: int


async def event_ids(client: ApiClient, token: str | None) -> list[int]:
    """Return the ids of all published events."""
    ids: set[int] = set()
    for status in STATES:
        async for row in _rows(client, token, "/events", "events", status=status):
            ids.add(row["id"])
    return sorted(ids)


async def read_event(client: ApiClient, token: str | None, event_id: int) -> EventRead | None:
    """Read an event's trades, then its page, then the trades that came meanwhile; None where the event is gone."""
    path = f"/events/{event_id}/trades"
    try:
        trades = [PublicTrade.of(row) async for row in _rows(client, token, path, "trades")]
        page = await client.get(f"/events/{event_id}/page", token)
        known_id = max((trade.id for trade in trades), default=0)
        async for row in _rows(client, token, path, "trades"):
            if row["id"] <= known_id:
                break
            trades.append(PublicTrade.of(row))
    except RequestFailed as failed:
        if failed.status == _NOT_FOUND:
            return None
        raise
    trades.sort(key=lambda trade: trade.id)
    return EventRead(page, trades, known_id)


async def _rows(
    client: ApiClient, token: str | None, path: str, name: str, **query: str
) -> AsyncIterator[dict[str, Any]]:
    cursor: dict[str, str] = {}
    while True:
        page = await client.get(path, token, limit=_PAGE, **query, **cursor)
        for row in page[name]:
            yield row
        if not page["has_more"]:
            return
        cursor = {"cursor": page["next_cursor"]}
