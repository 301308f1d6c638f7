"""A handler's signature says what its endpoint takes, and a row that contradicts it does not start."""

from __future__ import annotations

import pytest

from foreknow.access.levels import AuthLevel
from foreknow.events.errors import InvalidEventId
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
    PayloadTooLarge,
    RateLimited,
    Unauthorized,
    Unavailable,
    UnsupportedMediaType,
)
from foreknow.trading.schemas import BetOrder
from foreknow.web.endpoint import UNLIMITED, PathRequest, PlainRequest, Request, get, post
from foreknow.web.endpoint_errors import endpoint_errors
from foreknow.web.params import PageQuery, parameters, path_id
from foreknow.web.responses import Empty, Response


@parameters
class ThingPath:
    thing_id: int = path_id(InvalidEventId)


class NoThing(DomainError):
    code = "no_thing"
    status = 404
    message = "There is no such thing."


async def plain(request: PlainRequest) -> Empty:
    return Empty()


async def one(request: PathRequest[ThingPath]) -> Empty | Response:
    return Empty()


async def change(request: Request[ThingPath, PageQuery, BetOrder]) -> Empty:
    return Empty()


def test_a_row_takes_what_its_handler_declares() -> None:
    endpoint = post("/things/{thing_id}", change, AuthLevel.NONE, Empty, "Change it", operation_id="change")

    assert (endpoint.path_type, endpoint.query_type, endpoint.body) == (ThingPath, PageQuery, BetOrder)
    assert endpoint.query_names == {"limit", "cursor"}
    plain_one = get("/things", plain, AuthLevel.NONE, Empty, "List them", operation_id="list_things")
    assert (plain_one.path_type, plain_one.query_type, plain_one.body) == (None, None, None)


@pytest.mark.parametrize("path", ["/things", "/things/{id}", "/things/{thing_id}/{other_id}"])
def test_a_path_without_exactly_its_handlers_parameters_does_not_start(path: str) -> None:
    with pytest.raises(AssertionError, match="parameters"):
        get(path, one, AuthLevel.NONE, Empty, "One", operation_id="get_thing")


def test_an_answer_that_the_handler_does_not_return_does_not_start() -> None:
    with pytest.raises(AssertionError, match="returns"):
        get("/things", plain, AuthLevel.NONE, BetOrder, "List them", operation_id="list_things")


def test_the_errors_of_a_row_follow_the_order_of_checks() -> None:
    endpoint = post(
        "/things/{thing_id}",
        change,
        AuthLevel.REQUIRED,
        Empty,
        "Change it",
        operation_id="change",
        idempotent=True,
        errors=(NoThing,),
    )

    assert endpoint_errors(endpoint) == [
        Unauthorized,
        RateLimited,
        CrossSite,
        Forbidden,
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
    endpoint = get(
        "/ping", plain, AuthLevel.NONE, Empty, "Ping", operation_id="ping", rate_limit_group=UNLIMITED, cannot_fail=True
    )

    assert endpoint_errors(endpoint) == []
