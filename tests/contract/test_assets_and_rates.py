"""Interface, GET /assets/{symbol}/price and /currency/rate; decisions, "Prices, rates, feed, administration"."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest

from foreknow.kernel.settings import Settings
from foreknow.market.assets import refresher
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.providers import BINANCE, CBR, ECB, Provider, Reply, provider
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until

ASSET_FIELDS = {"id", "symbol", "name", "asset_type", "price", "price_updated_at", "created_at"}
SET_ASSET = "decisions: PUT /admin/assets/{symbol} `{name, asset_type, price}` → 200 Asset"
SET_RATE = "decisions: PUT /admin/currency-rates `{from, to, rate}` → 200 the same."
CODES = (
    "decisions: Codes (1–10 letters, digits, `. _ -`; symbols 1–20) are case-insensitive and answered in upper case; a "
    "malformed one in a GET is 404; a rate is over 0 between two different currencies, setting a pair replaces its "
    "inverse, of several common bases the first by code counts."
)
CROSS = "decisions: A pair is answered directly, inverted, or across a common base; a currency to itself is 1."
PROVIDERS = (
    "decisions: Assets and currency rates come from providers named in settings (exchange tickers; central-bank "
    "tables), are stored, and can be set by an admin"
)


def code() -> str:
    """Return a currency's code that no other test uses."""
    return f"C{secrets.token_hex(4).upper()}"


def set_asset(service: Service, symbol: str, **fields: Any) -> dict[str, Any]:
    body = {"name": "Bitcoin", "asset_type": "crypto", "price": 64250.5} | fields
    asset: dict[str, Any] = expect(service.admin.put(f"/admin/assets/{symbol}", json=body), 200)
    return asset


def set_rate(service: Service, source: str, target: str, rate: float) -> None:
    expect(service.admin.put("/admin/currency-rates", json={"from": source, "to": target, "rate": rate}), 200)


def get_rate(service: Service, source: str, target: str) -> httpx.Response:
    return service.client().get("/currency/rate", params={"from": source, "to": target})


@proves(
    SET_ASSET,
    CODES,
    "interface: | GET | /api/v1/assets/{symbol}/price | None |",
    "interface: - 200: full Asset object.",
    "interface: - Path: symbol, string, required, asset symbol.",
    "interface: | id | integer | asset id |",
    "interface: | symbol | string | asset symbol |",
    "interface: | name | string | display name |",
    "interface: | asset_type | string | type, for example crypto |",
    "interface: | created_at | string ISO 8601 | record creation |",
    "interface: | price | number | current price in USD |",
    "interface: | price_updated_at | string ISO 8601 | last price update |",
)
def test_an_asset_is_set_and_shown(service: Service) -> None:
    symbol = f"t.{secrets.token_hex(4)}_-"
    made = set_asset(service, symbol)
    assert made.keys() == ASSET_FIELDS
    assert (made["symbol"], made["name"], made["asset_type"]) == (symbol.upper(), "Bitcoin", "crypto")
    assert made["price"] == 64250.5
    assert isinstance(made["id"], int)
    for field in ("price_updated_at", "created_at"):
        assert abs((datetime.now(UTC) - datetime.fromisoformat(made[field])).total_seconds()) < 60
    for spelled in (symbol, symbol.upper(), symbol.title()):
        assert expect(service.client().get(f"/assets/{spelled}/price"), 200) == made

    changed = set_asset(service, symbol.upper(), name="Другой", price=7)
    assert (changed["id"], changed["created_at"]) == (made["id"], made["created_at"])
    assert (changed["name"], changed["price"]) == ("Другой", 7)
    assert changed["price_updated_at"] > made["price_updated_at"]
    entry = expect(service.admin.get("/admin/log?limit=1"), 200)["entries"][0]
    assert (entry["action"], entry["target"]) == ("asset.set", f"asset:{symbol.upper()}")
    assert entry["details"] == {"name": "Другой", "asset_type": "crypto", "price": 7}


@proves(CODES, "interface: - Errors: 404 not_found (unknown symbol), 500 internal_error.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("symbol", ["NONE", "x" * 21, "a%20b", "Ж", "a%2Fb", "%00", "%ff", "a+b", "a\u0131"])
def test_unknown_and_malformed_symbols_are_not_found(service: Service, symbol: str) -> None:
    refused(service.client().get(f"/assets/{symbol}/price"), 404, "not_found")


@proves(SET_ASSET, CODES)
@ONCE
def test_an_asset_is_checked(service: Service) -> None:
    good = {"name": "Bitcoin", "asset_type": "crypto", "price": 1}
    path = f"/admin/assets/{code()}"
    for wrong in (
        {"price": -1},
        {"price": "5"},
        {"price": True},
        {"price": None},
        {"name": ""},
        {"name": "  "},
        {"name": "x" * 201},
        {"asset_type": ""},
        {"symbol": "X"},
    ):
        refused(service.admin.put(path, json=good | wrong), 400, "bad_request")
    refused(service.admin.put(path, json={"name": "Bitcoin", "price": 1}), 400, "bad_request")
    for symbol in ("x" * 21, "a%20b", "%D0%96"):
        refused(service.admin.put(f"/admin/assets/{symbol}", json=good), 400, "bad_request")
    refused(service.user(operator=True).client.put(path, json=good), 403, "forbidden")
    refused(service.client().put(path, json=good), 401, "unauthorized")
    expect(service.admin.put(f"/admin/assets/{code()}".ljust(32, "x"), json=good), 200)


@proves("decisions: GET /assets lists.", "decisions: sessions, assets, prices, users, partners, entries`")
def test_assets_are_listed_newest_first(service: Service) -> None:
    made = [set_asset(service, code()) for _ in range(5)]
    page = expect(service.client().get("/assets?limit=2"), 200)
    assert page.keys() == {"assets", "next_cursor", "has_more"}
    assert page["assets"] == [made[4], made[3]]
    following = expect(service.client().get("/assets", params={"limit": 2, "cursor": page["next_cursor"]}), 200)
    assert following["assets"] == [made[2], made[1]]


@proves(
    SET_RATE,
    CROSS,
    CODES,
    "interface: | GET | /api/v1/currency/rate | None |",
    "interface: - 200: from (string), to (string), rate (number).",
)
def test_a_rate_is_set_and_answered(service: Service) -> None:
    dear, cheap = code(), code()
    body = {"from": dear.lower(), "to": cheap.lower(), "rate": 80}
    assert expect(service.admin.put("/admin/currency-rates", json=body), 200) == {"from": dear, "to": cheap, "rate": 80}
    assert expect(get_rate(service, dear, cheap), 200) == {"from": dear, "to": cheap, "rate": 80}
    assert expect(get_rate(service, cheap.lower(), dear), 200) == {"from": cheap, "to": dear, "rate": 0.0125}
    assert expect(get_rate(service, cheap.lower(), cheap), 200) == {"from": cheap, "to": cheap, "rate": 1}
    entry = expect(service.admin.get("/admin/log?limit=1"), 200)["entries"][0]
    assert (entry["action"], entry["target"]) == ("currency_rate.set", f"currency_rate:{dear}/{cheap}")
    modified = parsedate_to_datetime(get_rate(service, dear, cheap).headers["last-modified"])
    assert abs((datetime.now(UTC) - modified).total_seconds()) < 60


@proves(CODES)
def test_setting_a_pair_replaces_its_inverse(service: Service) -> None:
    one, other = code(), code()
    set_rate(service, one, other, 4)
    set_rate(service, other, one, 0.5)
    assert expect(get_rate(service, one, other), 200)["rate"] == 2
    set_rate(service, one, other, 8)
    assert expect(get_rate(service, other, one), 200)["rate"] == 0.125


@proves(CROSS, CODES)
def test_rates_cross_a_common_base(service: Service) -> None:
    one, other = code(), code()
    refused(get_rate(service, one, other), 404, "not_found")
    early, late = "A" + code(), "Z" + code()
    set_rate(service, one, late, 3)
    set_rate(service, other, late, 2)
    assert expect(get_rate(service, one, other), 200)["rate"] == 1.5
    set_rate(service, early, one, 4)
    set_rate(service, early, other, 8)
    assert expect(get_rate(service, one, other), 200)["rate"] == 2
    set_rate(service, one, other, 7)
    assert expect(get_rate(service, one, other), 200)["rate"] == 7


@proves(
    CODES,
    "interface: - Errors: 400 bad_request (from or to missing), 404 not_found (unsupported pair), 500 internal_error.",
    "interface: - Query: from (string, required, source currency code), to (string, required, target currency code).",
)
@ONCE
def test_missing_codes_are_bad_and_malformed_or_unknown_ones_are_not_found(service: Service) -> None:
    client = service.client()
    for query in ("", "?from=USD", "?to=USD", "?From=USD&TO=RUB", "?from=%20&", "?from=USD&from=USD&to=RUB"):
        refused(client.get(f"/currency/rate{query}"), 400, "bad_request")
    for source in ("", "x" * 11, "U S", "Ж", "US$", "USD\n", "ß", "ı"):
        refused(get_rate(service, source, "USD"), 404, "not_found")
        refused(get_rate(service, "USD", source), 404, "not_found")
        if source:
            refused(get_rate(service, source, source), 404, "not_found")
    refused(get_rate(service, code(), code()), 404, "not_found")


@proves(SET_RATE, CODES)
@ONCE
def test_a_rate_is_checked(service: Service) -> None:
    good = {"from": code(), "to": code(), "rate": 2.5}
    for wrong in (
        {"rate": 0},
        {"rate": -1},
        {"rate": "2"},
        {"rate": None},
        {"from": good["to"]},
        {"from": str(good["to"]).lower()},
        {"from": "x" * 11},
        {"from": ""},
        {"to": "US$"},
        {"to": "USD\n"},
        {"to": None},
        {"date": "today"},
    ):
        refused(service.admin.put("/admin/currency-rates", json=good | wrong), 400, "bad_request")
    refused(service.user().client.put("/admin/currency-rates", json=good), 403, "forbidden")
    refused(get_rate(service, str(good["from"]), str(good["to"])), 404, "not_found")
    for extreme in (5e-324, sys.float_info.max):
        set_rate(service, str(good["from"]), str(good["to"]), extreme)
        assert expect(get_rate(service, str(good["from"]), str(good["to"])), 200)["rate"] == extreme
        assert get_rate(service, str(good["to"]), str(good["from"])).status_code in {200, 404}


@proves(CODES)
def test_many_admins_at_once_leave_one_rate_of_a_pair(service: Service) -> None:
    one, other = code(), code()
    bodies = [{"from": one, "to": other, "rate": 4}, {"from": other, "to": one, "rate": 0.25}] * 6
    symbol = code()
    shots: list[Any] = [("PUT", "/admin/currency-rates", {"json": body}) for body in bodies]
    named = {"asset_type": "crypto", "price": 1}
    shots += [("PUT", f"/admin/assets/{symbol}", {"json": named | {"name": f"N{n}"}}) for n in range(6)]
    token = service.admin.headers["Authorization"].removeprefix("Bearer ")
    for answer in service.together(shots, tokens=[token]):
        expect(answer, 200)
    assert expect(get_rate(service, one, other), 200)["rate"] == 4
    assert expect(get_rate(service, other, one), 200)["rate"] == 0.25
    assert re.fullmatch("N[0-5]", expect(service.client().get(f"/assets/{symbol}/price"), 200)["name"])


@pytest.fixture
def served() -> Iterator[Provider]:
    with provider() as made:
        yield made


def wait_for(service: Service, path: str, wanted: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the answer once it comes, with the wanted fields."""
    answers: list[dict[str, Any]] = []

    def is_there() -> bool:
        answer = service.client().get(path)
        if answer.status_code == 200:
            answers.append(answer.json())
        return answer.status_code == 200 and (wanted or {}).items() <= answers[-1].items()

    wait_until(is_there)
    return answers[-1]


@proves(PROVIDERS, CROSS)
def test_providers_of_the_settings_tell_prices_and_rates(
    start_service: Callable[..., Service], served: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresher, "POLL_S", 0.05)
    served.replies |= {"/ticker": Reply(BINANCE), "/cbr": Reply(CBR), "/ecb": Reply(ECB)}
    wanted = {"BTC": {"pair": "BTCUSDT", "name": "Bitcoin"}, "ETH": {"pair": "ETHUSDT", "name": "Ether"}}
    given = {
        "asset_providers": [{"adapter": "binance", "url": f"{served.url}/ticker", "every_s": 1, "assets": wanted}],
        "rate_providers": [
            {"adapter": "cbr", "url": f"{served.url}/cbr"},
            {"adapter": "ecb", "url": f"{served.url}/ecb"},
        ],
    }
    read = Settings.model_validate(given)
    service = start_service(asset_providers=read.asset_providers, rate_providers=read.rate_providers)
    first = wait_for(service, "/assets/btc/price")
    assert (first["symbol"], first["name"], first["price"]) == ("BTC", "Bitcoin", 64250.01)
    assert wait_for(service, "/currency/rate?from=usd&to=rub")["rate"] == 90.125
    assert wait_for(service, "/currency/rate?from=eur&to=gbp")["rate"] == 0.8413
    assert wait_for(service, "/currency/rate?from=uzs&to=jpy")["rate"] == 0.00712345 / 0.610301
    assert wait_for(service, "/currency/rate?from=gbp&to=rub")["rate"] == pytest.approx(98.5066 / 0.8413)

    # An admin's word holds against them, here for a day.
    set_asset(service, "BTC", price=5)
    served.replies["/ticker"] = Reply(BINANCE.replace(b"3321.45000000", b"4000"))
    wait_for(service, "/assets/eth/price", {"price": 4000})
    assert wait_for(service, "/assets/btc/price")["price"] == 5
    service.clock.advance(24 * 3600 * 1000 + 5_000)
    service.restart()
    wait_for(service, "/assets/btc/price", {"price": 64250.01})

    # And when they fail, the last values stay, with their age.
    served.replies.clear()
    asked = len(served.asked)
    wait_until(lambda: len(served.asked) > asked)
    kept = wait_for(service, "/assets/btc/price")
    assert kept["price"] == 64250.01
    assert kept["price_updated_at"] > first["price_updated_at"]
