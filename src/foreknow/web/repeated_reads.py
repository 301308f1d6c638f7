"""Strangers' reads that were answered before: from a request's target to its cached response in one step.

What a stranger is answered by an endpoint that is `cached` depends on the path and the query alone, and so does the key
of `ResponseCache` under which it stands. The key is remembered by the target, as it was sent; the response never is:
each time it is the one that the cache holds, as fresh as its endpoint would answer. What is counted of a request is
counted.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.cache import BoundedCache, in_bytes
from foreknow.kernel.errors import RateLimited
from foreknow.web.client_ip import ClientAddresses
from foreknow.web.endpoint import Endpoint
from foreknow.web.pacing import Pacer
from foreknow.web.rate_limits import Limits
from foreknow.web.request_log import RequestRecord
from foreknow.web.response_cache import ResponseCache
from foreknow.web.responses import Response
from foreknow.web.shared_responses import SharedResponse

#: Bounds the memory of targets, which strangers choose.
TARGETS_BYTES_MAX = 2 * 1024 * 1024
#: Longer targets are not remembered. A hundred ids of eight digits fit.
TARGET_BYTES_MAX = 1_024
#: Memory of a target beside its text, and of what a byte of it may become in the key: of "7," an integer of 28 bytes
#: and its place.
_ENTRY_BYTES = 500
_BYTES_PER_BYTE = 20


class _Known(NamedTuple):
    endpoint: Endpoint
    #: In `ResponseCache`.
    key: Hashable
    #: Whether the endpoint answers callers with credentials otherwise.
    depends_on_caller: bool
    size_bytes: int


class RepeatedReads:
    """Answers from `ResponseCache` what strangers ask again."""

    def __init__(
        self, responses: ResponseCache, addresses: ClientAddresses, limits: Limits, pacer: Pacer | None
    ) -> None:
        """Answer from `responses`, and count requests as the pipeline's steps do."""
        self._responses = responses
        self._addresses = addresses
        self._limits = limits
        self._pacer = pacer
        self._targets: BoundedCache[bytes, _Known] = BoundedCache(TARGETS_BYTES_MAX, in_bytes)

    def note(self, endpoint: Endpoint, scope: Any, response: SharedResponse) -> None:
        """Remember under which key a stranger's request was answered by an endpoint that is `cached`."""
        target = _target(scope)
        if response.key is None or endpoint.is_private or scope["method"] != "GET" or len(target) > TARGET_BYTES_MAX:
            return
        size_bytes = _ENTRY_BYTES + _BYTES_PER_BYTE * len(target)
        known = _Known(endpoint, response.key, endpoint.level is not AuthLevel.NONE, size_bytes)
        self._targets.put(target, known)

    def answer(self, record: RequestRecord, scope: Any) -> Response | None:
        """Answer a request whose target is known and whose response is cached; None: the pipeline's steps answer.

        Raises `RateLimited`.
        """
        known = self._targets.get(_target(scope))
        if known is None or scope["method"] != "GET":
            return None
        headers = record.headers
        if known.depends_on_caller and _has_credentials(headers):
            return None
        shared = self._responses.cached(known.key)
        response = None if shared is None else shared.as_it_is(headers)
        if response is None:
            return None
        client = self._addresses.client(scope)
        pacer = self._pacer
        if pacer is not None and (key := pacer.key(None, client)) is not None and pacer.must_wait(key):
            return None
        endpoint = record.endpoint = known.endpoint
        wait_s, record.extra = self._limits.take(endpoint.rate_limit_group, None, client)
        if wait_s:
            raise RateLimited(retry_after_s=wait_s)
        return response


def _target(scope: Any) -> bytes:
    query: bytes = scope["query_string"]
    path: bytes = scope["raw_path"]
    return path + b"?" + query if query else path


def _has_credentials(headers: Mapping[bytes, bytes]) -> bool:
    """Return whether a request may have a caller: any cookie counts, since few strangers send one."""
    return b"authorization" in headers or b"cookie" in headers
