"""Decisions, "JSON input", "Fractions" and "Amounts": what bodies are refused, always with 400 and nothing done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

STRICT = "decisions: strict: wrong types"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def bettor(service: Service) -> Person:
    return service.user(balance_kopecks=1_000_000)


@pytest.fixture(scope="module")
def market_id(service: Service) -> int:
    return int(service.event()["pools"][0]["markets"][0]["id"])


def raw_bet(market: int, **replaced: str) -> str:
    fields = {"market_id": str(market), "token_type": '"YES"', "amount_kopecks": "100"} | replaced
    return "{" + ",".join(f'"{name}":{value}' for name, value in fields.items()) + "}"


@proves(
    STRICT,
    "decisions: (a string or 1.0 for an integer, a boolean for a number), NaN, Infinity, 1e400, integers outside int64",
    "decisions: An amount of money or shares in a request is 1 … 9·10^15",
    "decisions: `min_shares`, `min_payout_kopecks` and `max_price_bps` are 1 … 9·10^15.",
)
@ONCE
@pytest.mark.parametrize("field", ["amount_kopecks", "min_shares", "max_price_bps"])
@pytest.mark.parametrize(
    "value",
    [
        *('"100"', "100.0", "1e2", "true", "[100]", "{}", "NaN", "Infinity", "-Infinity", "1e400", "-1e400"),
        *("9223372036854775808", "-9223372036854775809", "1" + "0" * 400, "0", "-1", "-0", "9000000000000001"),
        *("0100", "+100", "0x64", "100n", "1_00", ".5", "1.", "''", ""),
    ],
)
def test_a_wrong_number_is_refused(bettor: Person, market_id: int, field: str, value: str) -> None:
    body = raw_bet(market_id, **{field: value})

    refused(bettor.client.post("/market/bets", content=body, headers=JSON), 400, "bad_request")


@proves(STRICT)
@ONCE
@pytest.mark.parametrize("value", ['"yes"', '"MAYBE"', '""', "1", "true", "null", "[]", '"YES "', '"YЕS"'])
def test_a_wrong_side_is_refused(bettor: Person, market_id: int, value: str) -> None:
    body = raw_bet(market_id, token_type=value)

    refused(bettor.client.post("/market/bets", content=body, headers=JSON), 400, "bad_request")


@proves(STRICT)
@ONCE
@pytest.mark.parametrize("value", ["null", "0", "-1", "9223372036854775808", '"7"', "7.0"])
def test_a_wrong_market_id_in_a_body_is_refused(bettor: Person, market_id: int, value: str) -> None:
    body = raw_bet(market_id, market_id=value)

    refused(bettor.client.post("/market/bets", content=body, headers=JSON), 400, "bad_request")


@proves(STRICT, "decisions: A needed body that is missing is 400")
@ONCE
@pytest.mark.parametrize(
    "body",
    [
        *("", " ", "null", "true", "1", '"x"', "[]", "[{}]", "{}", "{", "}", "nul", "{'a':1}", '{"a":1,}', "//"),
        "{} {}",
        "\ufeff{}",
        "[" * 5_000 + "]" * 5_000,
        '{"a":' * 5_000 + "1" + "}" * 5_000,
        "[" * 60_000,
    ],
    ids=range(20),
)
def test_a_body_that_is_no_order_is_refused(bettor: Person, body: str) -> None:
    refused(bettor.client.post("/market/bets", content=body, headers=JSON), 400, "bad_request")


@proves("decisions: unknown fields", "decisions: repeated keys")
@ONCE
@pytest.mark.parametrize(
    "addition",
    [
        '"unknown":1',
        '"unknown":null',
        '"Amount_kopecks":100',
        '"amount_kopecks":100',
        '"amount_kopecks":null',
        r'"\u0061mount_kopecks":100',
    ],
)
def test_an_unknown_or_repeated_key_is_refused(bettor: Person, market_id: int, addition: str) -> None:
    body = raw_bet(market_id)[:-1] + "," + addition + "}"

    refused(bettor.client.post("/market/bets", content=body, headers=JSON), 400, "bad_request")


@proves("decisions: lone surrogates, NUL in text, deep nesting: all 400")
@ONCE
@pytest.mark.parametrize(
    "name",
    [r'"\ud800"', r'"a\udc00"', r'"\udc00\ud800"', r'"\u0000"', r'"a\u0000b"', '"a\0b"', '"a\nb"', '"\\x"', '"\t"'],
)
def test_text_that_no_text_can_be_is_refused(bettor: Person, name: str) -> None:
    refused(bettor.client.patch("/users/me", content=f'{{"name":{name}}}', headers=JSON), 400, "bad_request")


@proves("decisions: lone surrogates, NUL in text, deep nesting: all 400")
@ONCE
def test_a_body_that_is_no_utf8_is_refused(bettor: Person) -> None:
    for name in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", "имя".encode("cp1251")):
        body = b'{"name":"' + name + b'"}'
        refused(bettor.client.patch("/users/me", content=body, headers=JSON), 400, "bad_request")
    refused(bettor.client.patch("/users/me", content='{"name":"x"}'.encode("utf-16"), headers=JSON), 400, "bad_request")


@proves(STRICT)
@ONCE
def test_nothing_that_was_refused_moved_money(service: Service, market_id: int) -> None:
    person = service.user(balance_kopecks=700)
    for body in (raw_bet(market_id, amount_kopecks="100.0"), raw_bet(market_id)[:-1] + ',"x":1}'):
        refused(person.client.post("/market/bets", content=body, headers=JSON), 400, "bad_request")

    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 700


@proves("decisions: null for an optional field means left out.")
@ONCE
def test_null_for_an_optional_field_means_left_out(service: Service, bettor: Person, market_id: int) -> None:
    order = {
        "market_id": market_id,
        "token_type": "YES",
        "amount_kopecks": 100,
        "min_shares": None,
        "max_price_bps": None,
    }
    expect(bettor.client.post("/market/bets", json=order), 201)

    optional = ("name_ru", "tags", "versus_names", "versus_images", "has_draw", "image_url", "external_event_url")
    body = {"name": "Nulls", **dict.fromkeys((*optional, "main_pool_index", "loop_interval_minutes"))}
    of_pool = dict.fromkeys(("name", "name_ru", "margin", "finish_at", "live_at", "rules", "metadata"))
    created = expect(service.creator.client.post("/events/create-full", json={**body, "pools": [of_pool]}), 201)
    assert created["name_ru"] == created["image_url"] == ""
    assert created["tags"] == created["versus_names"] == created["versus_images"] == []
    assert created["has_draw"] is False
    assert created["pools"][0]["finish_at"] is None
    assert created["pools"][0]["margin"] == 0
    inner = dict.fromkeys(("market_names", "market_probabilities", "lmsr_b_kopecks"))
    body = {"name": "Inner nulls", "pools": [{"metadata": inner}]}
    market = expect(service.creator.client.post("/events/create-full", json=body), 201)["pools"][0]["markets"][0]
    assert (market["yes_probability"], market["b"]) == (0.5, 100_000)


@proves("decisions: null for an optional field means left out.")
@ONCE
@pytest.mark.parametrize("field", ["market_id", "token_type", "amount_kopecks"])
def test_null_for_a_required_field_is_refused(bettor: Person, market_id: int, field: str) -> None:
    body = raw_bet(market_id, **{field: "null"})

    refused(bettor.client.post("/market/bets", content=body, headers=JSON), 400, "bad_request")


@proves("decisions: bodies over 64 KiB: 413; never 500.")
@ONCE
def test_a_body_may_have_64_kib_and_not_one_byte_more(bettor: Person, market_id: int) -> None:
    def padded(size: int) -> bytes:
        return raw_bet(market_id).encode().ljust(size)

    expect(bettor.client.post("/market/bets", content=padded(65_536), headers=JSON), 201)
    refused(bettor.client.post("/market/bets", content=padded(65_537), headers=JSON), 413, "payload_too_large")

    def in_pieces(size: int) -> Iterator[bytes]:
        whole = padded(size)
        yield from (whole[start : start + 4_096] for start in range(0, size, 4_096))

    expect(bettor.client.post("/market/bets", content=in_pieces(65_536), headers=JSON), 201)
    refused(bettor.client.post("/market/bets", content=in_pieces(65_537), headers=JSON), 413, "payload_too_large")


@proves("decisions: Every JSON body, of PUT and PATCH too, needs `application/json` (else 415).")
@ONCE
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/json5", "", None])
def test_a_body_needs_the_media_type_of_json(bettor: Person, market_id: int, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}

    answer = bettor.client.post("/market/bets", content=raw_bet(market_id), headers=headers)
    refused(answer, 415, "unsupported_media_type")
    answer = bettor.client.patch("/users/me", content='{"name":"Other"}', headers=headers)
    refused(answer, 415, "unsupported_media_type")


@proves("decisions: Every JSON body, of PUT and PATCH too, needs `application/json` (else 415).")
@ONCE
@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/json;x=y"])
def test_the_media_type_may_have_parameters_and_any_case(bettor: Person, market_id: int, kind: str) -> None:
    expect(bettor.client.post("/market/bets", content=raw_bet(market_id), headers={"Content-Type": kind}), 201)


@proves("decisions: endpoints without one ignore it")
@ONCE
def test_endpoints_without_a_body_ignore_one(service: Service) -> None:
    event = service.event(publish=False)
    junk: dict[str, Any] = {"content": b"\xff{" * 40_000, "headers": {"Content-Type": "text/plain"}}

    expect(service.creator.client.post(f"/events/{event['id']}/publish", **junk), 200)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/pause", **junk), 200)
    expect(service.client().request("GET", f"/events/{event['id']}", **junk), 200)


@proves("decisions: `PATCH {}` changes nothing.")
@ONCE
def test_an_empty_patch_changes_nothing(service: Service) -> None:
    person = service.user()
    before = expect(person.client.get("/users/me"), 200)

    assert expect(person.client.patch("/users/me", json={}), 200) == before
    assert expect(service.admin.patch(f"/admin/users/{person.id}", json={}), 200) == before | {"is_active": True}


@proves("decisions: (`metadata` apart: it is given back as sent;")
def test_metadata_is_given_back_as_sent(service: Service) -> None:
    metadata = {
        "zeta": [1, 2.5, -3e-7, None, True, {"deep": {"er": []}}],
        "alpha": "e\u0301 is not composed here, <b>not escaped</b> there",
        "market_names": ["Да", "Нет"],
        "": {"largest": 2**63 - 1, "smallest": -(2**63)},
        "lmsr_b_kopecks": 5_000,
    }
    event = service.event(pools=[{"metadata": metadata}])
    shown = expect(service.client().get(f"/pools/{event['pools'][0]['id']}"), 200)["metadata"]

    assert shown == event["pools"][0]["metadata"] == metadata
    assert list(shown) == list(metadata)


@proves(STRICT)
@ONCE
@pytest.mark.parametrize(
    "value",
    [
        *("9223372036854775808", "1e400", "NaN", r'"\ud800"', r'"\u0000"', r'{"\u0000":1}', '{"a":1,"a":2}'),
        *("[" * 1_000 + "]" * 1_000,),
    ],
    ids=range(8),
)
def test_metadata_must_be_strict_json_too(service: Service, value: str) -> None:
    body = f'{{"name":"Strict","pools":[{{"metadata":{{"mine":{value}}}}}]}}'

    refused(service.creator.client.post("/events/create-full", content=body, headers=JSON), 400, "bad_request")


@proves(STRICT)
@ONCE
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("has_draw",), 1),
        (("has_draw",), "true"),
        (("tags",), "football"),
        (("tags",), [1]),
        (("tags",), [None]),
        (("name",), 7),
        (("name",), None),
        (("pools",), {}),
        (("pools",), [None]),
        (("main_pool_index",), 0.0),
        (("pools", 0, "margin"), True),
        (("pools", 0, "margin"), "0.02"),
        (("pools", 0, "metadata"), []),
        (("pools", 0, "metadata", "lmsr_b_kopecks"), 1000.0),
        (("pools", 0, "metadata", "market_names"), "Yes"),
        (("pools", 0, "metadata", "market_names"), [1]),
        (("pools", 0, "metadata", "market_probabilities"), ["0.5"]),
        (("pools", 0, "metadata", "market_probabilities"), [True]),
        (("pools", 0, "metadata", "market_probabilities"), 0.5),
        (("pools", 0, "unknown"), 1),
        (("unknown",), 1),
    ],
)
def test_wrong_types_in_a_created_event_are_refused(service: Service, path: tuple[Any, ...], value: object) -> None:
    body: Any = {"name": "Wrong", "pools": [pool()]}
    place = body
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value

    refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")


@proves(
    "decisions: A fraction in JSON (margin, probability, payout) means the shortest decimal that reads as the same "
    "double: 0.07 is seven hundredths, so a margin of 0.07 on 100 is 7",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("margin", "stake", "fee"),
    [
        (0.07, 100, 7),
        (0.29, 100, 29),
        (0.1, 10, 1),
        (0.1, 11, 2),
        (0.02, 1, 1),
        (0.5, 3, 2),
        (0, 100, 0),
        (1e-9, 100, 1),
    ],
)
def test_a_margin_means_its_shortest_decimal(
    service: Service, bettor: Person, margin: float, stake: int, fee: int
) -> None:
    event = service.event(pools=[pool(margin=margin, b=1_000)])
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": stake}
    answer = bettor.client.get("/market/quote", params=order)

    if stake > fee:
        assert expect(answer, 200)["fee_kopecks"] == fee
    else:
        refused(answer, 400, "amount_too_small")


@proves(
    "decisions: (a credit may be negative), else 400 `bad_request`; a balance that would pass 9·10^15 is 409 "
    "`balance_limit`."
)
def test_a_balance_never_passes_its_limit(service: Service) -> None:
    person = service.user(balance_kopecks=9 * 10**15)
    path = f"/admin/users/{person.id}/credit"

    refused(service.admin.post(path, json={"amount_kopecks": 1, "note": ""}), 409, "balance_limit")
    refused(service.admin.post(path, json={"amount_kopecks": 9 * 10**15 + 1, "note": ""}), 400, "bad_request")
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 9 * 10**15
    expect(service.admin.post(path, json={"amount_kopecks": -(9 * 10**15), "note": ""}), 201)
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 0


@ONCE
def test_a_long_body_of_one_string_is_refused_in_good_time(bettor: Person) -> None:
    body = json.dumps({"name": "\\" * 30_000})

    refused(bettor.client.patch("/users/me", content=body, headers=JSON), 400, "bad_request")
