"""Calls: what a client sends and what it makes of the answer. They know no connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec

T = TypeVar("T")
P = TypeVar("P")
I = TypeVar("I")  # noqa: E741 - an item


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request to one endpoint, whose answer is a `T`. `path` stands below /api/v1 and is encoded."""

    name: str
    method: str
    path: str
    #: What the answer's JSON is read as; None's type for an answer that says nothing.
    answer: Any
    #: This, the body and the content may hold passwords: no repr shows them.
    query: Mapping[str, Any] = field(default_factory=dict, repr=False)
    #: Written as JSON where it is not None.
    body: Any = field(default=None, repr=False)
    #: Sent as it is.
    content: bytes | None = field(default=None, repr=False)
    idempotency_key: str | None = None
    #: With one Idempotency-Key, the endpoint executes the request once, however often it comes.
    is_idempotent: bool = False

    @property
    def may_be_repeated(self) -> bool:
        """Whether sending it again does no harm where it was executed already."""
        return self.method == "GET" or self.is_idempotent

    def read(self, content: bytes, headers: Mapping[str, str]) -> T:
        """Read a successful answer; `msgspec.ValidationError` where it is none of this endpoint's."""
        if self.answer is type(None):
            # `{}`: a page of HTML is no success.
            msgspec.json.decode(content, type=dict)
            return None  # type: ignore[return-value]  # T is None
        answer: T = msgspec.json.decode(content, type=self.answer)
        return answer


@dataclass(frozen=True, slots=True)
class PageCall(Call[P], Generic[P, I]):
    """A call for one page of a list."""

    items: Callable[[P], Sequence[I]] = field(kw_only=True)
    is_by_offset: bool = False

    def following(self, page: P) -> PageCall[P, I] | None:
        """Return the call for the page after `page`; None where it was the last."""
        if self.is_by_offset:
            count = len(self.items(page))
            # Only an empty page says that nothing follows: the service may give less than was requested.
            offset = self.query.get("offset", 0) + count
            return replace(self, query={**self.query, "offset": offset}) if count else None
        cursor: str | None = getattr(page, "next_cursor", None)
        return None if cursor is None else replace(self, query={**self.query, "cursor": cursor})


@dataclass(frozen=True, slots=True)
class RedirectCall(Call[str]):
    """A call that is answered with an address to go on to."""

    def read(self, content: bytes, headers: Mapping[str, str]) -> str:
        """Return the address."""
        return headers["location"]


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event of a stream: `data` is its JSON, `id` what to go on after ("" for none)."""

    id: str
    data: Any


@dataclass(frozen=True, slots=True)
class StreamCall(Call[StreamEvent]):
    """A call that is answered with server-sent events until either side ends it."""

    #: The id of an event that was received before: begin after it.
    last_event_id: str | None = None


def values_given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that were given: None stands for one left out."""
    return {name: value for name, value in values.items() if value is not None}


def path(template: str, **values: str | int) -> str:
    """Fill values into a path, encoded: a slash in one is a part of it."""
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})


def written(value: Any) -> str:
    """Return a query's value as a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)
