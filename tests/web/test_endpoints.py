"""A handler's decorator, name, docstring and annotations declare its endpoint; where they disagree, nothing starts."""

from __future__ import annotations

import pytest

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import (
    BadRequest,
    CrossSite,
    DomainError,
    EmailNotVerified,
    Forbidden,
    IdempotencyKeyReused,
    InternalError,
    InvalidCursor,
    InvalidIdempotencyKey,
    InvalidLimit,
    PayloadTooLarge,
    RateLimited,
    Unauthorized,
    Unavailable,
    UnsupportedMediaType,
)
from foreknow.market.events.errors import InvalidEventId
from foreknow.trading.entry.bet_schemas import BetOrder
from foreknow.web.endpoint import (
    UNLIMITED,
    Endpoint,
    EndpointOptions,
    PathRequest,
    PlainRequest,
    Request,
    endpoints_of,
    get,
    post,
)
from foreknow.web.openapi import endpoint_errors
from foreknow.web.params import PageQuery, parameters, path_id
from foreknow.web.responses import Empty, Response


@parameters
class ThingPath:
    thing_id: int = path_id(InvalidEventId)


class NoThing(DomainError):
    code = "no_thing"
    status = 404
    message = "There is no such thing."


class ThingRoutes:
    @get("/things", AuthLevel.NONE)
    async def list_things(self, request: PlainRequest) -> Empty:
        """List the things."""
        return Empty()

    @post("/things/{thing_id}", AuthLevel.REQUIRED, idempotent=True, errors=(NoThing,))
    async def change_thing(self, request: Request[ThingPath, PageQuery, BetOrder]) -> Empty | Response:
        """Change a thing.

        It stays where it is,
        for ever.

        Its owner is notified.
        """
        return self._changed()

    def _changed(self) -> Empty:
        return Empty()

    @get("/ping", AuthLevel.NONE, rate_limit_group=UNLIMITED, cannot_fail=True, description="At once.", response=None)
    async def ping(self, request: PlainRequest) -> Response:
        """Ping."""
        return Response(b"")


def declared() -> dict[str, Endpoint]:
    return {endpoint.operation_id: endpoint for endpoint in endpoints_of(ThingRoutes())}


def test_endpoints_stand_in_the_order_of_their_handlers() -> None:
    assert [(each.method, each.path, each.level) for each in endpoints_of(ThingRoutes())] == [
        ("GET", "/things", AuthLevel.NONE),
        ("POST", "/things/{thing_id}", AuthLevel.REQUIRED),
        ("GET", "/ping", AuthLevel.NONE),
    ]


def test_an_endpoint_takes_and_responds_with_what_its_handler_declares() -> None:
    change, list_all = declared()["change_thing"], declared()["list_things"]

    assert (change.path_type, change.query_type, change.body) == (ThingPath, PageQuery, BetOrder)
    assert change.query_names == {"limit", "cursor"}
    assert (list_all.path_type, list_all.query_type, list_all.body) == (None, None, None)
    assert [each.response for each in declared().values()] == [Empty, Empty, None]


def test_the_docstring_is_summary_and_description() -> None:
    described = [(each.summary, each.description) for each in declared().values()]

    assert described == [
        ("List the things", ""),
        ("Change a thing", "It stays where it is, for ever.\n\nIts owner is notified."),
        ("Ping", "At once."),
    ]


def test_options_may_depend_on_the_routes_object() -> None:
    class Chosen:
        def __init__(self, status: int) -> None:
            self._status = status

        def _options(self) -> EndpointOptions:
            return {"status": self._status}

        @get("/things", AuthLevel.NONE, bound_options=_options)
        async def list_things(self, request: PlainRequest) -> Empty:
            """List the things."""
            return Empty()

    assert [endpoint.status for status in (200, 201) for endpoint in endpoints_of(Chosen(status))] == [200, 201]


@pytest.mark.parametrize("path", ["/things", "/things/{id}", "/things/{thing_id}/{other_id}"])
def test_a_path_without_exactly_its_handlers_parameters_does_not_start(path: str) -> None:
    class Contradictory:
        @get(path, AuthLevel.NONE)
        async def get_thing(self, request: PathRequest[ThingPath]) -> Empty:
            """One thing."""
            return Empty()

    with pytest.raises(AssertionError, match="parameters"):
        endpoints_of(Contradictory())


def test_a_response_that_is_not_named_once_does_not_start() -> None:
    class Unnamed:
        @get("/things", AuthLevel.NONE)
        async def list_things(self, request: PlainRequest) -> Response:
            """List the things."""
            return Response(b"")

    class Twice:
        @get("/things", AuthLevel.NONE, response=BetOrder)
        async def list_things(self, request: PlainRequest) -> Empty:
            """List the things."""
            return Empty()

    for routes in (Unnamed(), Twice()):
        with pytest.raises(AssertionError, match="one response"):
            endpoints_of(routes)


def test_an_endpoint_described_twice_or_not_at_all_does_not_start() -> None:
    class Twice:
        @get("/things", AuthLevel.NONE, description="All of them.")
        async def list_things(self, request: PlainRequest) -> Empty:
            """List the things.

            Not all of them.
            """
            return Empty()

    class Undescribed:
        @get("/things", AuthLevel.NONE)
        async def list_things(self, request: PlainRequest) -> Empty:
            return Empty()

    with pytest.raises(AssertionError, match="two descriptions"):
        endpoints_of(Twice())
    with pytest.raises(AssertionError, match="docstring"):
        endpoints_of(Undescribed())


def test_the_errors_of_an_endpoint_follow_the_order_of_checks() -> None:
    assert endpoint_errors(declared()["change_thing"]) == [
        Unauthorized,
        RateLimited,
        CrossSite,
        Forbidden,
        EmailNotVerified,
        InvalidEventId,
        PayloadTooLarge,
        UnsupportedMediaType,
        BadRequest,
        InvalidIdempotencyKey,
        IdempotencyKeyReused,
        InvalidLimit,
        InvalidCursor,
        NoThing,
        InternalError,
        Unavailable,
    ]


def test_a_public_read_from_memory_has_no_errors() -> None:
    assert endpoint_errors(declared()["ping"]) == []
