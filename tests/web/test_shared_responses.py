"""Shared public answers over HTTP: an ETag a coding, 304, gzip; personal ones as they are."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
import pytest

from foreknow.web import shared_responses
from foreknow.web.codings import deflated
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool

pytestmark = ON_SQLITE

SHARED = (
    "client: Shared public answers carry an ETag and are compressed once where the client takes it; personal ones are "
    "never compressed."
)
OUTCOMES = [f"Outcome {number}" for number in range(20)]


def get(service: Service, path: str, *, method: str = "GET", token: str = "", **headers: str) -> tuple[Any, bytes]:
    """Send a request with these headers alone; return the answer, and its body as it came."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    given = httpx.Headers(fields | ({"Authorization": f"Bearer {token}"} if token else {}))
    with httpx.Client(trust_env=False, verify=NO_TLS) as client:
        del client.headers["Accept-Encoding"]
        with client.stream(method, service.api_url + path, headers=given) as answer:
            return answer, b"".join(answer.iter_raw())


def shared_paths(event: dict[str, Any]) -> list[str]:
    """Return addresses of long answers that are the same for all callers."""
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    ids = ",".join(str(each["id"]) for each in event["pools"])
    return [
        f"/events/{event['id']}",
        "/events?limit=5",
        f"/pools/{pool_id}",
        f"/pools/batch?ids={ids}",
        f"/market/orderbook/{market_id}",
    ]


@proves(SHARED)
def test_each_shared_answer_comes_as_the_client_takes_it(service: Service) -> None:
    event = service.event(pools=[pool(OUTCOMES), pool(OUTCOMES), pool()])
    for path in shared_paths(event):
        plain, body = get(service, path)
        packed, packed_body = get(service, path, accept_encoding="gzip")

        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert len(packed_body) < len(body) / 2
        assert gzip.decompress(packed_body) == body, path
        for answer, raw in ((plain, body), (packed, packed_body)):
            assert answer.headers["vary"] == "Accept-Encoding"
            assert answer.headers["cache-control"] == "no-cache"
            assert answer.headers["content-length"] == str(len(raw))
            assert answer.headers["etag"].startswith('"')
        assert plain.headers["etag"] != packed.headers["etag"]


@proves(SHARED)
def test_what_the_client_has_is_not_sent_again_until_it_changes(service: Service) -> None:
    trader = service.user(balance_kopecks=10_000)
    event = service.event(pools=[pool(OUTCOMES), pool(OUTCOMES)])
    market_id = event["pools"][0]["markets"][0]["id"]
    ids = ",".join(str(each["id"]) for each in event["pools"])
    for path in (f"/events/{event['id']}", f"/pools/batch?ids={ids}", f"/market/orderbook/{market_id}"):
        for coding in ("gzip", "identity"):
            etag = get(service, path, accept_encoding=coding)[0].headers["etag"]
            for known in (etag, f"W/{etag}", f'"another", {etag}', "*"):
                answer, body = get(service, path, accept_encoding=coding, if_none_match=known)
                assert (answer.status_code, body, answer.headers["etag"]) == (304, b"", etag)
                assert "content-length" not in answer.headers
                assert answer.headers["vary"] == "Accept-Encoding"
            other = "identity" if coding == "gzip" else "gzip"
            assert get(service, path, accept_encoding=other, if_none_match=etag)[0].status_code == 200
            order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 1_000}
            expect(trader.client.post("/market/bets", json=order), 201)
            answer, body = get(service, path, accept_encoding=coding, if_none_match=etag)
            assert answer.status_code == 200
            assert answer.headers["etag"] != etag
            assert body


@proves(SHARED)
@pytest.mark.parametrize(
    "accepted", ["", "br", "gzip;q=0", "gzip;q=0, *", "gzip;q=banana", "gzip;;", "identity", "gzip" * 100]
)
def test_a_client_that_does_not_take_gzip_gets_none(service: Service, accepted: str) -> None:
    path = f"/events/{service.event(pools=[pool(OUTCOMES)])['id']}"
    answer, body = get(service, path, accept_encoding=accepted)
    assert (answer.status_code, "content-encoding" in answer.headers) == (200, False)
    assert json.loads(body)["pools"]


@proves(SHARED)
def test_head_says_what_get_would(service: Service) -> None:
    path = f"/events/{service.event(pools=[pool(OUTCOMES)])['id']}"
    for coding in ("gzip", "identity"):
        full, body = get(service, path, accept_encoding=coding)
        head, nothing = get(service, path, method="HEAD", accept_encoding=coding)
        assert nothing == b""
        assert head.headers["content-length"] == str(len(body))
        for name in ("etag", "vary", "cache-control", "content-type"):
            assert head.headers[name] == full.headers[name]
        assert head.headers.get("content-encoding") == full.headers.get("content-encoding")
        again, _ = get(service, path, method="HEAD", accept_encoding=coding, if_none_match=full.headers["etag"])
        assert again.status_code == 304


@proves(SHARED)
def test_personal_answers_and_errors_are_never_compressed(service: Service) -> None:
    person = service.user(creator=True, balance_kopecks=50_000)
    event = service.event(person, pools=[pool(OUTCOMES)])
    for market in event["pools"][0]["markets"][:8]:
        order = {"market_id": market["id"], "token_type": "YES", "amount_kopecks": 500}
        expect(person.client.post("/market/bets", json=order), 201)
    personal = [
        "/users/me",
        "/market/positions",
        "/notifications",
        # Shared with those who are not signed in: who is may see more.
        f"/events/{event['id']}",
        "/events?limit=100",
        f"/pools/{event['pools'][0]['id']}",
    ]
    for path in personal:
        answer, body = get(service, path, token=person.token, accept_encoding="gzip")
        assert answer.status_code == 200
        assert not {"content-encoding", "etag"} & set(answer.headers)
        assert answer.headers["cache-control"] == "no-store"
        assert body.startswith(b"{")
    for path in ("/users/me", "/events/999999999", "/nowhere"):
        answer, body = get(service, path, accept_encoding="gzip", if_none_match="*")
        assert answer.status_code in {401, 404}
        assert not {"content-encoding", "etag"} & set(answer.headers)
        assert b"error" in body


@proves(SHARED)
def test_partners_answers_are_never_compressed(service: Service) -> None:
    partner = service.partner(float_kopecks=100_000)
    event = service.event(pools=[pool(OUTCOMES)])
    for number, market in enumerate(event["pools"][0]["markets"][:10]):
        order = {"external_user_id": f"u{number}", "market_id": market["id"], "side": "yes", "stake_kopecks": 500}
        expect(partner.client.post("/partner/bets", json=order), 201)
    for path in ("/partner/transactions", "/partner/users/u1"):
        answer = partner.client.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": "*"})
        assert answer.status_code == 200
        assert not {"content-encoding", "etag"} & set(answer.headers)


def test_a_short_answer_goes_out_as_it_is(service: Service) -> None:
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    answer, body = get(service, f"/markets/{market_id}", accept_encoding="gzip")
    assert "content-encoding" not in answer.headers
    assert len(body) < shared_responses.GZIP_BYTES_MIN
    assert get(service, f"/markets/{market_id}", if_none_match=answer.headers["etag"])[0].status_code == 304


def test_an_answer_is_compressed_once_for_all_who_take_it(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    event = service.event(pools=[pool(OUTCOMES), pool(OUTCOMES), pool(OUTCOMES)])
    first, second, third = (str(each["id"]) for each in event["pools"])
    compressed: list[bytes] = []

    def counted(content: bytes) -> bytes:
        compressed.append(content)
        return deflated(content)

    monkeypatch.setattr(shared_responses, "deflated", counted)
    # Whatever the answer's length: also what is compressed beside the event loop.
    for brief_bytes in (shared_responses.BRIEF_BYTES, 0):
        monkeypatch.setattr(shared_responses, "BRIEF_BYTES", brief_bytes)
        # Lists of the same pools in any order are made of the same pieces.
        lists = [f"/pools/batch?ids={ids}" for ids in (f"{first},{second}", f"{second},{first},{third}", first)] * 5
        shots = [("GET", path, {"headers": {"Accept-Encoding": "gzip"}}) for path in lists]
        compressed.clear()
        for answer, path in zip(service.together(shots), lists, strict=True):
            shown = [each["id"] for each in expect(answer, 200)]
            assert ",".join(map(str, shown)) == path.partition("=")[2]
        assert len(compressed) == 3
        # Whatever is public is read again after this.
        service.event()
