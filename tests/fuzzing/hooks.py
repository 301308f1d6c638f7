"""What schemathesis must know beyond the document: the rules of the contract that JSON Schema cannot say.

Only requests that are meant to be accepted are corrected, each for a reason that stands beside it; what is meant to be
refused is sent as it was made.
"""

from __future__ import annotations

import base64
import gc
import os
import secrets
from collections.abc import Callable
from typing import Any

import httpx
import jwt
import requests.sessions
import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.generation.meta import TestPhase
from schemathesis.openapi.checks import RejectedPositiveData

from tests.support.http import NO_TLS

#: The one who fuzzes, whose roles and session must last until the end.
CALLER_ID = int(os.environ["FUZZ_CALLER_ID"])
SESSION_ID = jwt.decode(os.environ["FUZZ_TOKEN"], options={"verify_signature": False})["sid"]
API_URL = os.environ["FUZZ_API_URL"]
#: Of requests that are to be refused for their shape, send each operation one of a kind.
IS_SHORT = os.environ["FUZZ_FORM"] == "short"
LOGIN = {"login": os.environ["FUZZ_EMAIL"], "password": os.environ["FUZZ_PASSWORD"]}
#: A number of shares or kopecks that is always worth a kopeck or a share; fewer may be refused.
ENOUGH = 1_000
#: Fields bounded by rows: lists as long as the pool has markets, the place of a pool in its event; by the path's end.
BOUNDED_BY_ROWS = {
    "/pools/{pool_id}": "market_names",
    "/events/{event_id}": "main_pool_index",
}
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
#: With names that differ, and few combinations of answers.
QUESTIONS = [{"name": name, "outcomes": ["Yes", "No"]} for name in ("A", "B")]


# No test asks a proxy, and to look in the environment for one takes a fifth of the time that one is sent in.
vars(requests.sessions)["get_environ_proxies"] = lambda *_args, **_more: {}
# What was imported stays; of what each request leaves, little is garbage that only a collection finds.
gc.freeze()
gc.set_threshold(100_000, 50, 1_000)


@schemathesis.hook
def filter_case(_context: Any, case: Any) -> bool:
    """Spare the caller: without one's roles or session, all that needs them would go untested. Spare time, too."""
    if IS_SHORT and _repeats(case):
        return False
    given = case.path_parameters or {}
    mine = {
        ("PATCH", "/admin/users/{user_id}"): str(given.get("user_id")) == str(CALLER_ID),
        ("POST", "/admin/users/{user_id}/delete"): str(given.get("user_id")) == str(CALLER_ID),
        ("DELETE", "/users/me/sessions/{session_id}"): str(given.get("session_id")) == str(SESSION_ID),
    }
    return not any(
        case.method == method and case.path.endswith(path) and is_it for (method, path), is_it in mine.items()
    )


#: Operations, and the kinds of wrong requests that were sent to them.
_sent: set[tuple[str, str, str]] = set()


def _repeats(case: Any) -> bool:
    """Tell whether a wrong request differs from one before in nothing but which wrong type, or which other method."""
    if case.meta is None or case.meta.phase.name is not TestPhase.COVERAGE or case.meta.generation.mode.is_positive:
        return False
    said = case.meta.phase.data
    # "name: Incorrect type", or "Unspecified HTTP method: TRACE".
    kind = f"{said.parameter_location} {said.parameter} {said.description}".partition(" HTTP method: ")[0]
    sent = (case.operation.method, case.path, kind)
    if sent in _sent:
        return True
    _sent.add(sent)
    return False


@schemathesis.hook
def filter_failure(_context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Do not report an optional body that is left out as a wrong one that was accepted, nor as right ones that were
    refused a token that was never made, and a basket of markets that no basket can have.
    """
    left_out = case.path.endswith("/notifications/read") and not response.request.body
    made_up = case.path.endswith(("/auth/reset", "/auth/setup")) and "invalid_token" in response.text
    is_basket = case.path.endswith(("/baskets", "/baskets/quote"))
    made_up |= is_basket and any(part in response.text for part in ("one market", "one pool", "all of the pool"))
    return not (
        (left_out and isinstance(failure, AcceptedNegativeData))
        or (made_up and isinstance(failure, RejectedPositiveData))
    )


@schemathesis.hook
def before_call(_context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Correct what is meant to be accepted; sign out of a session made for it; delete no account."""
    if case.method == "DELETE" and case.path.endswith("/auth/logout") and _is_ours(case.headers):
        answer = httpx.post(f"{API_URL}/auth/sign-in", json=LOGIN, verify=NO_TLS)
        case.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    if case.path.endswith("/admin/users/{user_id}/delete") and str(case.path_parameters.get("user_id")) == str(
        CALLER_ID
    ):
        # Whatever the filter of cases has seen of it.
        case.path_parameters["user_id"] = 10**12
    if case.path.endswith("/users/me/delete") and isinstance(case.body, dict) and "password" in case.body:
        # The document's example of a password is the caller's, too.
        case.body["password"] = f"not {case.body['password']}" if case.body["password"] else "none"
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    case.body = _corrected_body(case)
    if case.headers and "Idempotency-Key" in case.headers:
        # A key stands for one request; examples and shrunk headers would send one for many.
        case.headers["Idempotency-Key"] = secrets.token_urlsafe(16)
    query = case.query or {}
    # Cursors come from answers and nowhere else.
    query.pop("cursor", None)
    if case.path.endswith("/quote"):
        # A quote is for a stake or for shares.
        query.pop("amount_kopecks", None)
        query.pop("stake_kopecks", None)
        query["shares"] = max(int(query.get("shares", 0)), ENOUGH)
    if case.path.endswith("/charts"):
        # Quantiles are of a number or a date: none of those that `fill` put there.
        query.pop("as", None)


def _is_ours(headers: Any) -> bool:
    return bool(headers) and headers.get("Authorization") == f"Bearer {os.environ['FUZZ_TOKEN']}"


def _corrected_body(case: Any) -> Any:
    if case.path.endswith("/image") and case.method == "PUT":
        return PICTURE
    body = _whole(case.body)
    if not isinstance(body, dict):
        return body
    if case.path.endswith(("/bets", "/sell")):
        for amount in ("amount_kopecks", "stake_kopecks", "shares"):
            if body.get(amount) is not None:
                body[amount] = max(body[amount], ENOUGH)
    if case.path.endswith("/comments") and body.get("parent_id"):
        # A reply is to a comment on the same event: `fill` put the first three on the first three events.
        body["event_id"] = body["parent_id"] = min(body["parent_id"], 3)
    if case.path.endswith("/currency-rates") and body.get("from") == body.get("to"):
        # A rate is between two currencies.
        body["to"] = f"{body['from'][:8]}2"
    if case.path.endswith("/events/create-full"):
        _correct_event(body, recurs=bool(body.get("loop_interval_minutes")))
    if case.path.endswith("/series/{series_id}") and body.get("pools"):
        _correct_event(body, recurs=True)
    for end, correct in CORRECTIONS.items():
        if case.path.endswith(end):
            return correct(body, case.path_parameters or {})
    body |= {field: None for path, field in BOUNDED_BY_ROWS.items() if case.path.endswith(path) and body.get(field)}
    return body


def _at_no_address(body: dict[str, Any], _path_parameters: dict[str, Any]) -> dict[str, Any]:
    """A webhook's address is a name that never resolves: nothing is posted to strangers."""
    return body | {"url": "https://hook.invalid/"} if body.get("url") else body


def _at_prices(body: dict[str, Any], path_parameters: dict[str, Any]) -> dict[str, Any]:
    """Liquidity is added at the pool's prices, as many as it has markets."""
    headers = {"Authorization": f"Bearer {os.environ['FUZZ_TOKEN']}"}
    answer = httpx.get(f"{API_URL}/pools/{path_parameters.get('pool_id')}", headers=headers, verify=NO_TLS)
    if answer.is_success and body.get("probabilities"):
        body["probabilities"] = [market["yes_probability"] for market in answer.json()["markets"]]
    return body


def _as_priced(body: dict[str, Any], path_parameters: dict[str, Any]) -> dict[str, Any]:
    """A forecast sums to 1 and has as many probabilities as its pool has markets; `outcomes` may say nothing else."""
    return _at_prices(body | {"probabilities": [0.5], "outcomes": None}, path_parameters)


def _corrected_resolution(body: dict[str, Any], _path_parameters: dict[str, Any]) -> dict[str, Any]:
    """Payouts sum to 1 and are as many as the outcomes, who won is one of them, a moment is after the publication,
    and a value is of a pool with a shape, such as `fill` put none there.
    """
    if any(body.get(form) is not None for form in ("payouts", "at", "value", "values")):
        return {"void": True}
    if body.get("won_side"):
        body["won_side"] %= 2
    return body


def _corrected_proposal(body: dict[str, Any], _path_parameters: dict[str, Any]) -> dict[str, Any]:
    """What is proposed is one result, of any pool."""
    return body | {"proposal": {"void": True}} if body.get("proposal") is not None else body


def _of_a_form(body: dict[str, Any], _path_parameters: dict[str, Any]) -> dict[str, Any]:
    """A limit order is of whole lots at a whole percent, and only one that rests may say how long or never to trade."""
    body["shares"] = 100 * max(10, body["shares"] // 100)
    body["price_bps"] = 100 * max(1, body["price_bps"] // 100)
    return body | {"time_in_force": "gtc", "expires_at": None}


def _one_basket(body: dict[str, Any], _path_parameters: dict[str, Any]) -> dict[str, Any]:
    """A basket of changes names each market once, and buys or sells of each."""
    changes = {change["market_id"]: change for change in body.pop("changes", None) or [{"market_id": 1, "shares": 1}]}
    own = {name: body[name] for name in ("external_user_id", "min_net_kopecks", "outcomes") if name in body}
    return own | {"changes": [change | {"shares": change["shares"] or 1} for change in changes.values()]}


def _one_stake(body: dict[str, Any], path_parameters: dict[str, Any]) -> dict[str, Any]:
    """A basket with markets is a stake on each of them once, without a condition, any other one changes."""
    stake = next((name for name in ("amount_kopecks", "stake_kopecks") if body.get(name)), None)
    if stake is None or not body.get("market_ids"):
        return _one_basket(body, path_parameters)
    once = {"market_ids": list(dict.fromkeys(body["market_ids"])), "given": None}
    return body | once | {"changes": None, "min_net_kopecks": None}


def _muted_until(body: dict[str, Any], _path_parameters: dict[str, Any]) -> dict[str, Any]:
    """A member is muted until a moment to come, and not until one that an answer named."""
    return body | {"until": "2031-01-01T00:00:00Z"} if body.get("until") else body


def _corrected_template(body: dict[str, Any], _path_parameters: dict[str, Any]) -> dict[str, Any]:
    """Numbers ascend, days begin their step, questions differ, and probabilities are as many as the outcomes."""
    if "probabilities" in body:
        body["probabilities"] = None
    if body.get("thresholds"):
        # And trading begins before it ends.
        body["thresholds"], body["live_at"] = _ascending(body["thresholds"]), None
    if body.get("edges"):
        body["edges"] = _ascending(body["edges"])
    if body.get("questions"):
        body["questions"] = QUESTIONS
    if body.get("step"):
        # A day, month, quarter and year begin at once; a week on Monday. A date's event does not recur.
        first = "2029-01-01"
        body |= {"first": first, "last": first, "zone": None, "loop_interval_minutes": None}
    return body


def _legible(body: dict[str, Any], _path_parameters: dict[str, Any]) -> dict[str, Any]:
    """Colours can be read on the client's grounds."""
    return body | {"accent_light": "#00606c", "accent_dark": "#5fd0de"}


#: By the path's end.
CORRECTIONS: dict[str, Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]] = {
    "/webhook": _at_no_address,
    "/resolve": _corrected_resolution,
    "/objections": _corrected_proposal,
    "/liquidity": _at_prices,
    "/forecast": _as_priced,
    "/muted": _muted_until,
    "/looks/theme": _legible,
    "/market/orders": _of_a_form,
    "/partner/orders": _of_a_form,
    "/baskets": _one_stake,
    "/baskets/quote": _one_stake,
    "/events/from-template": _corrected_template,
}


def _correct_event(body: dict[str, Any], *, recurs: bool) -> None:
    """Rules between fields: the main pool exists, trading begins before it ends, names and probabilities match."""
    if body.get("main_pool_index"):
        body["main_pool_index"] %= len(body["pools"])
    for pool in body["pools"]:
        if pool.get("live_at") and pool.get("finish_at") and pool["live_at"] >= pool["finish_at"]:
            pool["live_at"] = None
        metadata = pool.get("metadata") or {}
        if metadata.get("shape"):
            _correct_shape(metadata, recurs=recurs)
        if metadata.get("market_probabilities") is not None:
            count = len(metadata.get("market_names") or ["one"])
            metadata["market_probabilities"] = [0.5] if count == 1 else [round(1 / count, 12)] * count
        _correct_rule(body, pool, metadata)
        if metadata.get("odds"):
            # The keys are the names of this pool's markets.
            metadata["odds"]["names"] = None
    rules = [(pool.get("metadata") or {}).get("resolution") or {} for pool in body["pools"]]
    if recurs or any(rule.get("kind") == "price" for rule in rules):
        _without_braces(body)


def _correct_shape(metadata: dict[str, Any], *, recurs: bool) -> None:
    """A shape tells its markets; it stands beside no price rule, which has its own numbers, and no date recurs."""
    shape = metadata["shape"]
    has_price_rule = (metadata.get("resolution") or {}).get("kind") == "price"
    if has_price_rule or (recurs and shape["kind"] == "date"):
        metadata["shape"] = None
        return
    metadata["market_names"] = metadata["market_probabilities"] = None
    if shape["kind"] == "list":
        metadata["market_names"] = ["One", "Other"]
    elif shape["kind"] == "joint":
        shape["questions"] = QUESTIONS
    elif shape["kind"] == "number":
        shape["edges"] = _ascending(shape.get("edges") or [0])
    else:
        shape["edges"] = [f"{2030 + index}-01-01T00:00:00Z" for index in range(len(shape["edges"]))]
        shape["zone"] = None


def _ascending(numbers: list[Any]) -> list[int]:
    """Return as many numbers that ascend, all above 0, as a logarithm needs them."""
    return list(range(1, len(numbers) + 1))


def _correct_rule(body: dict[str, Any], pool: dict[str, Any], metadata: dict[str, Any]) -> None:
    """A rule needs a finish_at, intervals that hold every number once, or the page of a known source."""
    rule = metadata.get("resolution") or {"kind": "manual"}
    if rule["kind"] != "manual":
        pool["live_at"], pool["finish_at"] = None, pool.get("finish_at") or "2031-01-01T00:00:00Z"
    if rule["kind"] == "external":
        body["external_event_url"] = "https://polymarket.com/event/fed-decision"
    if rule["kind"] == "price":
        lows = [{}, *({"from": low} for low in range(1, len(metadata.get("market_names") or ["one"])))]
        highs = [*({"below": high} for high in range(1, len(lows))), {}]
        rule["outcomes"] = [low | high for low, high in zip(lows, highs, strict=True)]


def _without_braces(body: dict[str, Any]) -> None:
    """In an event that recurs or has a price rule braces stand for placeholders."""
    for texts in (body, *body["pools"], *(pool.get("metadata") or {} for pool in body["pools"])):
        for field in ("name", "name_ru", "rules", "versus_names", "market_names"):
            if isinstance(texts.get(field), str):
                texts[field] = texts[field].replace("{", "(").replace("}", ")")
            elif isinstance(texts.get(field), list):
                texts[field] = [name.replace("{", "(").replace("}", ")") for name in texts[field]]


def _whole(value: Any) -> Any:
    """Write 5.0 as 5: to JSON Schema both are integers, to the contract only the second."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
        return int(value)
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    return value
