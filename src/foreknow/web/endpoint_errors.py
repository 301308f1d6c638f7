"""Every way an endpoint may refuse, derived from its row in the table: what the API page lists as its answers."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.kernel.errors import (
    BadRequest,
    CrossSite,
    DomainError,
    Forbidden,
    IdempotencyKeyReused,
    InternalError,
    InvalidCursor,
    InvalidIdempotencyKey,
    InvalidLimit,
    InvalidOffset,
    InvalidPartnerKey,
    PayloadTooLarge,
    RateLimited,
    Unavailable,
    UnsupportedMediaType,
)
from foreknow.web.endpoint import PATH_IDS, Endpoint, Group

_ROLES = {AuthLevel.CREATOR, AuthLevel.STATS_VIEWER, AuthLevel.OPERATOR, AuthLevel.ADMIN}
_PAGING = {"limit": InvalidLimit, "cursor": InvalidCursor, "offset": InvalidOffset}


def endpoint_errors(endpoint: Endpoint) -> list[type[DomainError]]:
    """Return them in the order of checks (decisions.md, "Order of checks"), each once."""
    found: list[type[DomainError]] = []
    if endpoint.level is AuthLevel.PARTNER:
        found.append(InvalidPartnerKey)
    elif endpoint.level is not AuthLevel.NONE:
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
    found += endpoint.errors
    if endpoint.path != "/health":
        found += [InternalError, Unavailable]
    return list(dict.fromkeys(found))


def shown_code(endpoint: Endpoint, error: type[DomainError]) -> str:
    """Return the code as this endpoint writes it: in upper case on partner endpoints."""
    return error.code.upper() if endpoint.level is AuthLevel.PARTNER else error.code


def _may_ride_on_a_cookie(endpoint: Endpoint) -> bool:
    by_access_cookie = endpoint.level not in {AuthLevel.NONE, AuthLevel.PARTNER}
    return endpoint.method != "GET" and (by_access_cookie or bool(endpoint.auth_cookie))


def _of_the_path(endpoint: Endpoint) -> list[type[DomainError]]:
    names = [segment[1:-1] for segment in endpoint.path.split("/") if segment.startswith("{")]
    known = [endpoint.path_errors.get(name) or PATH_IDS.get(name) for name in names]
    return [error for error in known if error is not None]
