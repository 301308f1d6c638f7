"""GET /openapi.json tells the truth about the service, all of it."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import jsonschema_rs
import pytest
import schemathesis

from foreknow.money.pricing import Lmsr, Side, prior_weights
from foreknow.service.api_groups import GROUPS
from foreknow.trading.desk.kinds.bet import price_bet
from foreknow.trading.desk.kinds.sale import price_sale
from foreknow.web.openapi import SocketPath, UngroupedEndpoint
from foreknow.web.openapi import document as write_document
from tests.support.service import Service, expect

METHODS = ("get", "post", "put", "patch", "delete")
#: What the name of an operation begins with.
VERBS = {
    *("add", "answer", "call", "cancel", "change", "close", "confirm", "count", "create", "credit", "delete"),
    *(
        "deposit",
        "end",
        "finish",
        "follow",
        "get",
        "hide",
        "invite",
        "list",
        "mark",
        "mute",
        "open",
        "pause",
        "pay",
        "place",
        "publish",
    ),
    *("quote", "react", "refresh", "request", "resend", "reset", "resolve", "resume", "revoke", "sell", "send"),
    *("set", "sign", "start", "stop", "stream", "unfollow", "update", "watch"),
    "withdraw",
}
#: What a field's description must say, by how its name ends or what it is.
UNITS = {
    r".*_kopecks$": "opeck|a kopeck",
    r"avg_price(_bps)?$|max_price_bps$": "basis points",
    r"(min_)?shares$|q_yes$|q_no$": "hares",
    r"volume$|b$": "opecks",
    r".*probability.*": "0 … 1|probabilit",
    r".*_at$|timestamp$": "UTC|milliseconds",
    r"expires_in$|.*_seconds$": "[Ss]econds",
    r".*_minutes$": "[Mm]inutes",
    r"margin$": "fraction",
    r"pnl$": "kopecks|units",
}


class Operation(NamedTuple):
    method: str
    path: str
    content: dict[str, Any]

    @property
    def codes(self) -> dict[str, set[str]]:
        """Every status with the codes it may carry."""
        return {
            status: set(answer["content"]["application/json"].get("examples", {}))
            for status, answer in self.content["responses"].items()
            if status >= "400"
        }


#: Of a schema to another.
REFERENCE = re.compile(r'"#/components/schemas/(\w+)"')


@pytest.fixture(scope="module")
def document(sqlite_service: Service) -> dict[str, Any]:
    content: dict[str, Any] = expect(sqlite_service.client().get(f"{sqlite_service.url}/openapi.json"), 200)
    return content


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> dict[str, Operation]:
    return {
        f"{method.upper()} {path.removeprefix('/api/v1')}": Operation(method, path, content)
        for path, item in document["paths"].items()
        for method, content in item.items()
        if method in METHODS
    }


def media(operation: Operation) -> Iterator[dict[str, Any]]:
    """All bodies and answers of an operation."""
    for place in (operation.content.get("requestBody", {}), *operation.content["responses"].values()):
        yield from place.get("content", {}).values()


def fields(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for struct, schema in document["components"]["schemas"].items():
        for name, field in schema.get("properties", {}).items():
            yield struct, name, field


def test_the_document_is_valid_openapi_of_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    schema = schemathesis.openapi.from_dict(document)
    schema.validate()
    assert sum(1 for _ in schema.get_all_operations()) == sum(len(item) for item in document["paths"].values())


def test_every_path_and_method_is_answered_and_no_other(
    sqlite_service: Service, operations: dict[str, Operation]
) -> None:
    client = sqlite_service.client()
    paths = {operation.path for operation in operations.values()}
    for path in paths:
        filled = re.sub(r"\{\w+\}", "7", path).removeprefix("/api/v1")
        described = {
            method.upper() for method in METHODS if f"{method.upper()} {path.removeprefix('/api/v1')}" in operations
        }
        allowed = set(client.request("OPTIONS", filled).headers["Allow"].split(", ")) - {"HEAD"}
        # A WebSocket's address answers an upgrade only; a plain GET of it is described as 400.
        assert described == allowed or ("/ws/" in path and described == {"GET"}), path


def test_operations_stand_in_groups_for_newcomers_with_a_sentence_each(
    document: dict[str, Any], operations: dict[str, Operation]
) -> None:
    names = [tag["name"] for tag in document["tags"]]
    tags = {name: operation.content["tags"] for name, operation in operations.items()}

    assert names[:4] == ["Sign-in", "Events", "Markets", "Trading"]
    assert len(set(names)) == len(names) <= 20
    assert all(re.fullmatch(r"[A-Z].{20,}\.", tag["description"]) for tag in document["tags"])
    assert {tag for (tag,) in tags.values()} == set(names)
    examples = {
        "GET /events/{event_id}": "Events",
        "GET /events/{event_id}/comments": "Comments",
        "PATCH /events/{event_id}": "Event management",
        "PUT /events/{event_id}/image": "Event management",
        "GET /market/orderbook/{market_id}": "Markets",
        "POST /market/bets": "Trading",
        "GET /users/{id}": "Traders",
        "GET /users/me": "Account",
        "POST /users/me/keys": "API keys",
        "GET /admin/chat/sessions": "Support desk",
    }
    assert {name: tags[name][0] for name in examples} == examples
    keys = {path for group in GROUPS for path in group.paths}
    paths = {key for name in tags for key in (name, name.partition(" ")[2])}
    assert [key for key in keys if not any(f"{path}/".startswith(f"{key}/") for path in paths)] == []


def test_an_endpoint_without_a_group_is_found_when_the_document_is_written() -> None:
    stranger = SocketPath("/elsewhere/{id}", "watch_elsewhere", "Elsewhere", "What is of no group.")
    with pytest.raises(UngroupedEndpoint, match=r"GET /elsewhere/\{id\}"):
        write_document([], [stranger], GROUPS, version="1")


def test_the_document_names_every_route_of_the_interface(operations: dict[str, Operation]) -> None:
    interface = {
        "GET /users/{id}/pnl/chart",
        "GET /users/me/pnl/chart",
        "GET /comments/{comment_id}/replies",
        "GET /pools/batch",
        "GET /pools/{pool_id}/charts",
        "GET /markets/{market_id}/chart",
        "GET /market/orderbook/{market_id}",
        "GET /market/positions/completed",
        "GET /health",
        "GET /notifications/unread/count",
        "POST /events/create-full",
        "GET /partner/users/{external_user_id}",
        "GET /partner/balance",
        "GET /ws/trades",
    }

    assert interface <= operations.keys()


def test_operations_have_names_of_their_own(operations: dict[str, Operation]) -> None:
    names = [operation.content["operationId"] for operation in operations.values()]

    assert len(set(names)) == len(names)
    assert [name for name in names if name.split("_")[0] not in VERBS] == []
    assert all(operation.content["summary"] and operation.content["description"] for operation in operations.values())


def test_every_operation_says_who_may_call_it(operations: dict[str, Operation]) -> None:
    signed_in: list[dict[str, list[str]]] = [{"bearer": []}, {"accessCookie": []}]
    expected: dict[str, tuple[str, list[dict[str, list[str]]]]] = {
        "GET /health": ("None", []),
        "GET /events": ("Optional", [{}, *signed_in]),
        "GET /users/me": ("Required", signed_in),
        "POST /events/create-full": ("Creator", signed_in),
        "GET /admin/stats": ("StatsViewer", signed_in),
        "GET /admin/users": ("Admin", signed_in),
        "GET /partner/balance": ("Partner key", [{"partnerKey": []}]),
        "POST /auth/refresh": ("None", [{"refreshCookie": []}]),
    }
    for name, (level, security) in expected.items():
        content = operations[name].content
        assert (content["x-auth-level"], content["security"]) == (level, security), name
    assert all("x-auth-level" in operation.content for operation in operations.values())


def test_a_bet_lists_every_way_it_may_be_refused(operations: dict[str, Operation]) -> None:
    assert operations["POST /market/bets"].codes == {
        "400": {"bad_request", "invalid_idempotency_key", "amount_too_small"},
        "401": {"unauthorized"},
        "403": {"cross_site", "email_not_verified", "forbidden", "own_event", "trading_off"},
        "404": {"market_not_found"},
        "409": {
            *("market_resolved", "market_closed", "market_paused", "market_limit", "slippage", "insufficient_funds"),
            "balance_limit",
        },
        "413": {"payload_too_large"},
        "415": {"unsupported_media_type"},
        "422": {"idempotency_key_reused"},
        "429": {"rate_limited"},
        "500": {"internal_error"},
        "503": {"unavailable"},
    }


def test_codes_are_written_as_the_endpoint_writes_them(operations: dict[str, Operation]) -> None:
    assert operations["GET /market/positions/completed"].codes["401"] == {"UNAUTHORIZED"}
    assert operations["GET /market/positions"].codes["401"] == {"unauthorized"}
    assert operations["GET /users/{id}/pnl/chart"].codes["400"] == {"invalid_id"}
    assert operations["GET /partner/users/{external_user_id}"].codes["400"] == {"INVALID_EXTERNAL_USER_ID"}
    assert "INSUFFICIENT_FLOAT" in operations["POST /partner/bets"].codes["409"]
    for name, operation in operations.items():
        for codes in operation.codes.values():
            if name.split(" ")[1].startswith("/partner/"):
                assert all(code.isupper() for code in codes), name
    for answer in (operations["POST /events/create-full"].content["responses"][status] for status in ("403",)):
        assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/BareError")


def test_every_error_has_its_code_in_the_schema_and_an_example(operations: dict[str, Operation]) -> None:
    for operation in operations.values():
        for status, codes in operation.codes.items():
            schema = operation.content["responses"][status]["content"]["application/json"]["schema"]
            if "/ws/" in operation.path:
                continue
            assert codes == set(schema["properties"]["error"]["enum"]), operation


def events(stream: str | dict[str, Any]) -> list[Any]:
    """Return the events that a stream's example spells, as the schema describes them; errors are no streams."""
    if not isinstance(stream, str):
        return [stream]
    return [dict(line.split(": ", 1) for line in event.splitlines()) for event in stream.strip().split("\n\n")]


def test_every_example_is_what_its_schema_allows(document: dict[str, Any], operations: dict[str, Operation]) -> None:
    texts = {name: json.dumps(schema) for name, schema in document["components"]["schemas"].items()}

    @functools.cache
    def validator_for(text: str) -> Any:
        # With what it refers to alone: to read all schemas takes longer than to check an example.
        named: dict[str, Any] = {}
        pending = REFERENCE.findall(text)
        while pending:
            if (name := pending.pop()) not in named:
                named[name] = document["components"]["schemas"][name]
                pending += REFERENCE.findall(texts[name])
        return jsonschema_rs.validator_for(json.loads(text) | {"components": {"schemas": named}})

    for operation in operations.values():
        for each in media(operation):
            schema = each["schema"]
            # Errors of one code have one schema, in many operations.
            validator = validator_for(json.dumps(schema))
            examples = (
                [each["example"]] if "example" in each else [e["value"] for e in each.get("examples", {}).values()]
            )
            assert examples or schema.get("format") == "binary" or "/ws/" in operation.path, operation
            for example in examples:
                for one in events(example) if operation.path.endswith("/stream") else [example]:
                    assert list(validator.iter_errors(one)) == [], operation


def test_the_examples_of_orders_are_one_true_story(operations: dict[str, Operation]) -> None:
    def example(name: str) -> dict[str, Any]:
        content: dict[str, Any] = operations[name].content
        answer = content["responses"].get("201") or content["responses"]["200"]
        given: dict[str, Any] = answer["content"]["application/json"]["example"]
        return given

    before = Lmsr.of(b=100_000, weights=prior_weights([0.6]), q_yes=[0], q_no=[0])
    bought = price_bet(before, outcome=0, side=Side.YES, margin=0.02, stake_kopecks=1000)
    sold = price_sale(bought.after, outcome=0, side=Side.YES, shares=bought.shares)
    prices = (0.6, bought.after.probability(0))
    for bet in (example("POST /market/bets"), example("GET /market/quote")):
        assert (bet["token_type"], bet["amount_kopecks"], bet["fee_kopecks"]) == ("YES", 1000, bought.fee_kopecks)
        assert (bet["shares"], bet["avg_price"]) == (bought.shares, bought.avg_price_bps)
        assert (bet["probability_before"], bet["probability_after"]) == prices
    sale = example("POST /market/positions/sell")
    assert (sale["shares"], sale["payout_kopecks"]) == (bought.shares, sold.money_kopecks)
    assert sale["avg_price"] == sold.avg_price_bps
    assert (sale["pnl"], sale["balance_kopecks"]) == (sold.money_kopecks - 1000, 99_000 + sold.money_kopecks)
    assert (sale["probability_before"], sale["probability_after"]) == prices[::-1]
    bet, sale = example("POST /partner/bets"), example("POST /partner/positions/sell")
    assert (bet["side"], bet["stake_kopecks"], bet["shares"]) == ("yes", 1000, bought.shares)
    assert (sale["payout_kopecks"], sale["avg_price_bps"]) == (sold.money_kopecks, sold.avg_price_bps)


def test_every_field_has_a_meaning_and_an_example(document: dict[str, Any]) -> None:
    for struct, name, field in fields(document):
        assert field.get("description"), f"{struct}.{name} has no description in its schemas.py"
        closed = "enum" in field or "const" in field
        assert closed or "examples" in field or "$ref" in str(field), f"{struct}.{name} has no example"


def test_every_number_has_its_unit(document: dict[str, Any]) -> None:
    for struct, name, field in fields(document):
        for pattern, unit in UNITS.items():
            if re.match(pattern, name):
                assert re.search(unit, field["description"]), f"{struct}.{name}: {field['description']}"


def test_every_parameter_has_a_meaning(operations: dict[str, Operation]) -> None:
    for operation in operations.values():
        for parameter in operation.content.get("parameters", ()):
            assert parameter["description"], operation
            assert parameter["schema"], operation


def test_times_are_described_as_times(document: dict[str, Any]) -> None:
    for struct, name, field in fields(document):
        if re.match(r".*_at$|timestamp$", name) and "integer" not in str(field):
            assert "'format': 'date-time'" in str(field), f"{struct}.{name}"


def test_what_moves_money_takes_an_idempotency_key(operations: dict[str, Operation]) -> None:
    takes = {
        name
        for name, operation in operations.items()
        if any(parameter["name"] == "Idempotency-Key" for parameter in operation.content.get("parameters", ()))
    }

    assert takes == {
        "POST /market/baskets",
        "POST /market/bets",
        "POST /market/orders",
        "POST /market/positions/sell",
        "POST /partner/baskets",
        "POST /partner/bets",
        "POST /partner/orders",
        "POST /partner/positions/sell",
        "POST /partner/users/{external_user_id}/withdraw",
        "POST /admin/users/{user_id}/credit",
        "POST /admin/partners/{partner_name}/deposit",
        "POST /admin/partners/{partner_name}/payout",
    }
    for name in takes:
        success = operations[name].content["responses"]
        assert "Idempotency-Replayed" in success.get("201", success.get("200"))["headers"]


def test_no_two_types_share_a_name(document: dict[str, Any]) -> None:
    # msgspec spells out the module where they would.
    assert not [name for name in document["components"]["schemas"] if "foreknow" in name]
