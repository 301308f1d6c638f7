"""Every way an endpoint may refuse, derived from its row in the table: what the API page lists as its answers."""

from __future__ import annotations

from foreknow.kernel.errors import (
    BadRequest,
    CrossSite,
    Forbidden,
    IdempotencyKeyReused,
    InternalError,
    InvalidCursor,
    InvalidIdempotencyKey,
    InvalidLimit,
    InvalidOffset,
    PayloadTooLarge,
    RateLimited,
    Refusal,
    Unavailable,
    UnsupportedMediaType,
)
from foreknow.web.endpoint import PATH_IDS, Endpoint, Group, Level
from foreknow.web.pipeline import InvalidPartnerKey

_ROLES = {Level.CREATOR, Level.STATS_VIEWER, Level.OPERATOR, Level.ADMIN}
_PAGING = {"limit": InvalidLimit, "cursor": InvalidCursor, "offset": InvalidOffset}


def possible_refusals(endpoint: Endpoint) -> list[type[Refusal]]:
    """Return them in the order of checks (decisions.md, "Order of checks"), each once."""
    found: list[type[Refusal]] = []
    if endpoint.level is Level.PARTNER:
        found.append(InvalidPartnerKey)
    elif endpoint.level is not Level.NONE:
        found.append(endpoint.unauthorized)
    if endpoint.group is not Group.FREE:
        found.append(RateLimited)
    if _may_ride_on_a_cookie(endpoint):
        found.append(CrossSite)
    if endpoint.level in _ROLES:
        found.append(Forbidden)
    found += _of_the_path(endpoint)
    if endpoint.body is not None:
        found += [PayloadTooLarge, UnsupportedMediaType, BadRequest]
    elif endpoint.raw_body_bytes:
        found.append(PayloadTooLarge)
    if endpoint.idempotent:
        found += [InvalidIdempotencyKey, IdempotencyKeyReused]
    if endpoint.event_stream:
        # Where Last-Event-ID is none.
        found.append(BadRequest)
    if endpoint.query:
        # Also where a known parameter stands twice or the query is broken UTF-8.
        found.append(BadRequest)
        found += [_PAGING[param.name] for param in endpoint.query if param.name in _PAGING]
    found += endpoint.refusals
    if endpoint.path != "/health":
        found += [InternalError, Unavailable]
    return list(dict.fromkeys(found))


def shown_code(endpoint: Endpoint, refusal: type[Refusal]) -> str:
    """Return the code as this endpoint writes it: in upper case on partner endpoints."""
    return refusal.code.upper() if endpoint.level is Level.PARTNER else refusal.code


def _may_ride_on_a_cookie(endpoint: Endpoint) -> bool:
    by_access_cookie = endpoint.level not in {Level.NONE, Level.PARTNER}
    return endpoint.method != "GET" and (by_access_cookie or bool(endpoint.rides_on))


def _of_the_path(endpoint: Endpoint) -> list[type[Refusal]]:
    names = [segment[1:-1] for segment in endpoint.path.split("/") if segment.startswith("{")]
    known = [endpoint.path_refusals.get(name) or PATH_IDS.get(name) for name in names]
    return [refusal for refusal in known if refusal is not None]
