"""Decisions, "Integers in paths and queries" and "Queries"."""

from __future__ import annotations

import httpx
import pytest

from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused

INTEGERS = (
    "decisions: ASCII digits, no sign, no leading zero, 1 … 2^63−1 (0 only where 0 means something); anything else "
    "is 400 with the endpoint's code."
)
PATH_IDS = (
    "decisions: `invalid_<thing>_id` for path ids (`invalid_event_id`, `invalid_pool_id`, `invalid_market_id`, "
    "`invalid_comment_id`, `invalid_user_id`; PnL charts keep `invalid_id`)"
)
QUERIES = "decisions: a repeated one, broken UTF-8 or NUL is `bad_request`, and so is a bad `market_id`."
NO_IDS = [
    *("0", "-1", "+1", "01", "00", "1.0", "1e1", "0x1", "1_0", "abc", "1a", "9223372036854775808", "1" + "0" * 400),
    *("%D9%A3", "%EF%BC%91", "%C2%B2", "1%20", "%201", "1%00", "%00", "%FF", "1%2C2", "1%2F2", "me%20", "null"),
]
LARGEST = 2**63 - 1


@pytest.fixture(scope="module")
def person(service: Service) -> Person:
    return service.user(creator=True, admin=True)


@pytest.fixture(scope="module")
def market_id(service: Service) -> int:
    return int(service.event()["pools"][0]["markets"][0]["id"])


@proves(
    INTEGERS,
    PATH_IDS,
    "interface: - Path: id, integer, required.",
    "interface: - Most errors are listed as status plus a code identifier, for example invalid_id.",
    "interface: Errors: 400 invalid_pool_id, 404 pool_not_found, 500 internal_error.",
    "interface: Errors: 400 invalid_market_id, 404 market_not_found, 500 internal_error.",
    "interface: Errors: 400 invalid_id, 401 unauthorized (missing token on /me), 404 user_not_found.",
)
@ONCE
@pytest.mark.parametrize("bad", NO_IDS)
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/events/{}", "invalid_event_id"),
        ("/pools/{}", "invalid_pool_id"),
        ("/pools/{}/charts", "invalid_pool_id"),
        ("/pools/{}/clarifications", "invalid_pool_id"),
        ("/pools/{}/objections", "invalid_pool_id"),
        ("/markets/{}", "invalid_market_id"),
        ("/markets/{}/chart", "invalid_market_id"),
        ("/market/orderbook/{}", "invalid_market_id"),
        ("/comments/{}/replies", "invalid_comment_id"),
        ("/users/{}/pnl/chart", "invalid_id"),
    ],
)
def test_a_path_id_is_a_plain_positive_integer(person: Person, path: str, code: str, bad: str) -> None:
    # "me" is a path of its own beside /users/{id}; none of these reads as it.
    refused(person.client.get(path.format(bad)), 400, code)


@proves(INTEGERS, PATH_IDS)
@ONCE
@pytest.mark.parametrize("bad", ["0", "-1", "+1", "01", "1.0", "abc", "9223372036854775808", "%D9%A3", "%FF"])
@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("POST", "/events/{}/publish", "invalid_event_id"),
        ("POST", "/events/{}/cancel", "invalid_event_id"),
        ("POST", "/pools/{}/pause", "invalid_pool_id"),
        ("POST", "/pools/{}/resume", "invalid_pool_id"),
        ("POST", "/pools/{}/resolve", "invalid_pool_id"),
        ("POST", "/pools/{}/clarifications", "invalid_pool_id"),
        ("PUT", "/admin/clarifications/{}/hidden", "invalid_clarification_id"),
        ("POST", "/pools/{}/objections", "invalid_pool_id"),
        ("POST", "/pools/{}/confirm", "invalid_pool_id"),
        ("PUT", "/admin/objections/{}/hidden", "invalid_objection_id"),
        ("PATCH", "/admin/users/{}", "invalid_user_id"),
        ("POST", "/admin/users/{}/credit", "invalid_user_id"),
        ("DELETE", "/admin/partners/unknown/keys/{}", "invalid_key_id"),
    ],
)
def test_a_path_id_of_an_action_is_a_plain_positive_integer(
    person: Person, method: str, path: str, code: str, bad: str
) -> None:
    refused(person.client.request(method, path.format(bad)), 400, code)


@proves(INTEGERS, "decisions: `<thing>_not_found` likewise.")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/events/{}", "event_not_found"),
        ("/pools/{}", "pool_not_found"),
        ("/pools/{}/charts", "pool_not_found"),
        ("/pools/{}/clarifications", "pool_not_found"),
        ("/pools/{}/objections", "pool_not_found"),
        ("/markets/{}", "market_not_found"),
        ("/markets/{}/chart", "market_not_found"),
        ("/market/orderbook/{}", "market_not_found"),
        ("/users/{}/pnl/chart", "user_not_found"),
    ],
)
def test_the_largest_id_is_looked_for_and_not_found(service: Service, path: str, code: str) -> None:
    refused(service.client().get(path.format(LARGEST)), 404, code)


@proves(INTEGERS)
@ONCE
def test_an_id_may_be_percent_encoded(service: Service) -> None:
    event_id = service.event()["id"]
    encoded = "".join(f"%{ord(digit):02X}" for digit in str(event_id))

    assert expect(service.client().get(f"/events/{encoded}"), 200)["id"] == event_id


@proves(QUERIES)
@ONCE
@pytest.mark.parametrize("bad", [*NO_IDS[:14], "1%20", ""])
def test_a_bad_market_id_in_a_query_is_a_bad_request(service: Service, bad: str) -> None:
    path = f"/market/quote?market_id={bad}&token_type=YES&amount_kopecks=100"

    refused(service.client().get(path), 400, "bad_request")


@proves(INTEGERS, "decisions: An amount of money or shares in a request is 1 … 9·10^15")
@ONCE
@pytest.mark.parametrize("bad", ["0", "-1", "+5", "%2B5", "05", "5.0", "5e1", "five", "", "9000000000000001", "%D9%A3"])
@pytest.mark.parametrize("name", ["amount_kopecks", "shares"])
def test_a_bad_amount_in_a_query_is_a_bad_request(service: Service, market_id: int, name: str, bad: str) -> None:
    path = f"/market/quote?market_id={market_id}&token_type=YES&{name}={bad}"

    refused(service.client().get(path), 400, "bad_request")


@proves("decisions: unknown parameters are ignored")
@ONCE
def test_unknown_parameters_are_ignored(service: Service) -> None:
    assert expect(service.client().get("/pools/batch?ids=999999999&unknown=1&IDS=x"), 200) == []
    expect(service.client().get("/events?Status=nothing&page=x"), 200)


@proves(QUERIES)
@ONCE
@pytest.mark.parametrize(
    "path",
    [
        "/pools/batch?ids=1&ids=1",
        "/pools/batch?ids=1&%69ds=2",
        "/events?q=a&q=b",
        "/events?limit=5&limit=5",
        "/events?q=%FF",
        "/events?q=%ED%A0%80",
        "/events?tag=a%00b",
        "/market/quote?market_id=1&market_id=1&token_type=YES&shares=1",
    ],
)
def test_a_repeated_or_broken_parameter_is_a_bad_request(service: Service, path: str) -> None:
    refused(service.client().get(path), 400, "bad_request")


@proves("decisions: exactly one of amount and shares")
@ONCE
@pytest.mark.parametrize(
    "query",
    [
        "token_type=YES&amount_kopecks=100",
        "market_id={}&amount_kopecks=100",
        "market_id={}&token_type=YES",
        "market_id={}&token_type=YES&amount_kopecks=100&shares=100",
        "market_id={}&token_type=yes&amount_kopecks=100",
        "market_id={}&token_type=&amount_kopecks=100",
    ],
)
def test_a_quote_needs_its_market_its_side_and_one_amount(service: Service, query: str) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]

    refused(service.client().get("/market/quote?" + query.format(market)), 400, "bad_request")


@proves("interface: Errors: 400 invalid_ids (ids missing or a non-integer value), 500 internal_error.")
@ONCE
@pytest.mark.parametrize(
    "query",
    [
        *("", "?", "?ids", "?ids=", "?ids=,", "?ids=1,", "?ids=,1", "?ids=1,,2", "?ids=abc", "?ids=1,abc", "?ids=1.0"),
        *("?ids=0", "?ids=-1", "?ids=+1", "?ids=%2B1", "?ids=01", "?ids=1%202", "?ids=1;2", "?ids=9223372036854775808"),
        *("?ids=%D9%A3", "?id=1", "?ids=" + ",".join(["1"] * 101)),
    ],
)
def test_a_batch_needs_a_list_of_ids(service: Service, query: str) -> None:
    refused(service.client().get("/pools/batch" + query), 400, "invalid_ids")


@proves("decisions: at most 100 ids as sent, none empty (else 400 `invalid_ids`).")
def test_a_batch_may_have_a_hundred_ids(service: Service) -> None:
    pool_id = service.event()["pools"][0]["id"]
    found = expect(service.client().get("/pools/batch?ids=" + ",".join([str(pool_id)] * 100)), 200)

    assert [each["id"] for each in found] == [pool_id]


@proves("decisions: `not_found` (no such route, or row without a code of its own)")
@ONCE
def test_a_path_is_matched_to_the_letter(service: Service) -> None:
    refused(service.client().get("/Health"), 404, "not_found")
    refused(httpx.get(f"{service.url}/API/v1/health", verify=NO_TLS), 404, "not_found")
