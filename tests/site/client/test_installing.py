"""What the installed client needs: a manifest with its icons, and a worker that keeps nothing of anyone."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from PIL import Image

from foreknow.site.client.files import SHORT_NAME_MAX
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.service import Service

PUBLIC = Path(__file__).parents[3] / "web" / "public"


def get(service: Service, path: str) -> httpx.Response:
    return httpx.get(service.url + path, trust_env=False, verify=NO_TLS, timeout=60)


@ON_SQLITE
@pytest.mark.parametrize("name", ["Foreknow", "Forecasts of the whole town"])
def test_the_manifest_names_the_site_and_icons_that_are_there(start_service: Callable[..., Service], name: str) -> None:
    service = start_service(site_name=name)
    answer = get(service, "/manifest.webmanifest")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/manifest+json")
    manifest = answer.json()
    assert (manifest["name"], manifest["start_url"], manifest["display"]) == (name, "/", "standalone")
    assert len(manifest["short_name"]) <= SHORT_NAME_MAX
    assert {icon.get("purpose", "any") for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        shown = get(service, icon["src"])
        assert shown.status_code == 200
        width, height = Image.open(io.BytesIO(shown.content)).size
        assert icon["sizes"] == f"{width}x{height}"


@ON_SQLITE
def test_the_page_without_a_connection_loads_nothing_and_names_no_one(service: Service) -> None:
    page = get(service, "/offline.html")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert not re.search(r"<(script|link|img)|url\(|@import", page.text)
    assert 'lang="ru"' in page.text
    worker = get(service, "/sw.js")
    assert (worker.status_code, worker.headers["cache-control"]) == (200, "no-cache")


def test_the_worker_keeps_one_page_and_puts_nothing_else_into_a_cache() -> None:
    worker = (PUBLIC / "sw.js").read_text(encoding="utf-8")
    assert re.findall(r"\.(add|addAll|put)\(", worker) == ["add"]
    assert 'cache.add(new Request(OFFLINE, { cache: "reload", credentials: "omit" }))' in worker
    assert 'if (event.request.mode !== "navigate") return;' in worker
