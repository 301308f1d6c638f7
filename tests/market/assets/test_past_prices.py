"""GET /assets/{symbol}/prices lists what providers returned and admins set, the newest first."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from foreknow.kernel.clock import iso
from foreknow.kernel.settings import Settings
from foreknow.market.assets import refresher
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.providers import BINANCE, Provider, Reply
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until


def new_symbol() -> str:
    """Return a symbol that no other test uses."""
    return f"P{secrets.token_hex(4).upper()}"


def set_price(service: Service, symbol: str, price: float) -> dict[str, Any]:
    body = {"name": "Bitcoin", "asset_type": "crypto", "price": price}
    asset: dict[str, Any] = expect(service.admin.put(f"/admin/assets/{symbol}", json=body), 200)
    return asset


def page(service: Service, symbol: str, **query: Any) -> dict[str, Any]:
    shown: dict[str, Any] = expect(service.client().get(f"/assets/{symbol}/prices", params=query), 200)
    return shown


@proves("lifecycle: or set is kept")
def test_prices_set_by_an_admin_are_listed_newest_first(service: Service) -> None:
    symbol = new_symbol()
    made = [set_price(service, symbol, price) for price in (1, 2.5, 0)]
    assert page(service, symbol.lower()) == {
        "prices": [
            {"price": asset["price"], "observed_at": asset["price_updated_at"], "source": "admin"}
            for asset in reversed(made)
        ],
        "next_cursor": None,
        "has_more": False,
    }


@proves("lifecycle: GET /assets/{symbol}/prices (none): a page.")
def test_pages_follow_each_other_while_prices_are_added(service: Service) -> None:
    symbol = new_symbol()
    for price in range(5):
        set_price(service, symbol, price)
    first = page(service, symbol, limit=2)
    set_price(service, symbol, 9)
    second = page(service, symbol, limit=2, cursor=first["next_cursor"])
    third = page(service, symbol, limit=100, cursor=second["next_cursor"])
    assert [[one["price"] for one in each["prices"]] for each in (first, second, third)] == [[4, 3], [2, 1], [0]]
    assert [each["has_more"] for each in (first, second, third)] == [True, True, False]


@ONCE
def test_a_cursor_belongs_to_its_asset(service: Service) -> None:
    one, other = new_symbol(), new_symbol()
    for symbol in (one, other):
        for price in range(3):
            set_price(service, symbol, price)
    cursor = page(service, one, limit=1)["next_cursor"]
    assert page(service, one.lower(), limit=1, cursor=cursor)["prices"][0]["price"] == 1
    refused(service.client().get(f"/assets/{other}/prices", params={"cursor": cursor}), 400, "invalid_cursor")
    refused(service.client().get("/assets", params={"cursor": cursor}), 400, "invalid_cursor")


@proves("lifecycle: GET /assets/{symbol}/prices (none):")
def test_unknown_assets_and_wrong_queries_are_refused(service: Service) -> None:
    symbol = new_symbol()
    for unknown in (symbol, "x" * 21, "a%20b", "%D0%96", "%00"):
        refused(service.client().get(f"/assets/{unknown}/prices"), 404, "not_found")
    set_price(service, symbol, 1)
    for limit in ("0", "101", "x"):
        refused(service.client().get(f"/assets/{symbol}/prices", params={"limit": limit}), 400, "invalid_limit")
    refused(service.client().get(f"/assets/{symbol}/prices", params={"cursor": "x"}), 400, "invalid_cursor")
    # A broken token is not looked at.
    expect(service.client(token="broken").get(f"/assets/{symbol}/prices"), 200)


def test_a_price_that_is_refused_is_not_kept(service: Service) -> None:
    symbol = new_symbol()
    set_price(service, symbol, 1)
    body = {"name": "Bitcoin", "asset_type": "crypto", "price": -1}
    refused(service.admin.put(f"/admin/assets/{symbol}", json=body), 400, "bad_request")
    refused(service.user().client.put(f"/admin/assets/{symbol}", json=body | {"price": 2}), 403, "forbidden")
    assert [one["price"] for one in page(service, symbol)["prices"]] == [1]


def test_many_admins_at_once_are_all_listed_and_the_newest_is_the_price(service: Service) -> None:
    symbol = new_symbol()
    body = {"name": "Bitcoin", "asset_type": "crypto"}
    shots: Sequence[tuple[str, str, Mapping[str, Any]]] = [
        ("PUT", f"/admin/assets/{symbol}", {"json": body | {"price": price}}) for price in range(8)
    ]
    token = service.admin.headers["Authorization"].removeprefix("Bearer ")
    for answer in service.together(shots, tokens=[token]):
        expect(answer, 200)
    listed = page(service, symbol)["prices"]
    assert sorted(one["price"] for one in listed) == list(range(8))
    asset = expect(service.client().get(f"/assets/{symbol}/price"), 200)
    assert (asset["price"], asset["price_updated_at"]) == (listed[0]["price"], listed[0]["observed_at"])
    times = [one["observed_at"] for one in listed]
    assert times == sorted(times, reverse=True)


def wait_for_prices(service: Service, count: int) -> list[dict[str, Any]]:
    """Return the observations of BTC once there are `count`."""

    def prices() -> list[dict[str, Any]]:
        answer = service.client().get("/assets/BTC/prices")
        return list(answer.json()["prices"]) if answer.status_code == 200 else []

    wait_until(lambda: len(prices()) >= count)
    return prices()


@proves(
    "lifecycle: as an observation `{price, observed_at, source}`: when its request began, the provider's name or "
    "`admin`.",
    "lifecycle: It counts where it became the asset's price.",
)
def test_a_response_to_a_request_from_before_an_admins_price_does_not_replace_it(
    start_service: Callable[..., Service], served: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresher, "POLL_S", 0.05)
    released = threading.Event()
    served.replies["/ticker"] = Reply(BINANCE, released=released)
    wanted = {"BTC": {"pair": "BTCUSDT"}}
    exchange = {"adapter": "binance", "url": f"{served.url}/ticker", "every_s": 3600, "assets": wanted}
    read = Settings.model_validate({"asset_providers": [exchange]})
    # The admin's price has no priority over the provider's next one.
    service = start_service(asset_providers=read.asset_providers, admin_price_hours=0)
    wait_until(lambda: served.asked)
    asked_by = iso(service.clock())
    admins = set_price(service, "BTC", 5)
    released.set()
    late, first = wait_for_prices(service, 2)
    assert (late["price"], late["source"]) == (64250.01, "binance")
    assert late["observed_at"] <= asked_by <= first["observed_at"]
    assert first == {"price": 5, "observed_at": admins["price_updated_at"], "source": "admin"}
    assert expect(service.client().get("/assets/BTC/price"), 200) == admins

    # A request made after it does.
    service.clock.advance(3600 * 1000 * 2)
    newest, *_ = wait_for_prices(service, 3)
    assert (newest["price"], newest["source"]) == (64250.01, "binance")
    assert expect(service.client().get("/assets/BTC/price"), 200)["price"] == 64250.01
