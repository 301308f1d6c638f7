"""The looks of a site of one's own: what the folder may hold, and how it is served."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import httpx
import pytest
from PIL import Image

from foreknow.kernel.currency import Currency
from foreknow.kernel.startup import WrongSetting
from foreknow.site.looks.folder import read_looks
from foreknow.site.looks.markdown import page_html
from foreknow.site.looks.parts import PAGE_BYTES_MAX, contrast
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

FILES = (
    "site: `FOREKNOW_SITE_DIR`, read at the start: any of `logo.svg` (served to run nothing), "
    '`icon.png`, `theme.json` (`{"accent_light", "accent_dark"}`, contrast ≥ 4.5), '
    "`about|terms|privacy|rules.{en,ru}.md` (made safe by a library): pages so named, else the "
    'other language\'s, linked at the foot. GET /site + `logo, icon` (paths or ""), `theme, '
    "pages, terms` (its version, or null: sign-up needs and keeps it); GET /site/pages/{name} "
    "`?lang=` (None) → `{name, lang, html}`."
)
#: Begins what the client's page brings of its site.
BROUGHT = '<script id="site" type="application/json">'
LOGO = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
THEME = {"accent_light": "#7a1f5c", "accent_dark": "#f3a6d4"}


def icon(width: int = 64, height: int = 64) -> bytes:
    """Return a PNG."""
    written = io.BytesIO()
    Image.new("RGB", (width, height), "#123456").save(written, "PNG")
    return written.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one of everything, the terms in one language alone."""
    (tmp_path / "logo.svg").write_bytes(LOGO)
    (tmp_path / "icon.png").write_bytes(icon())
    (tmp_path / "theme.json").write_text(json.dumps(THEME))
    (tmp_path / "about.en.md").write_text("# Our class\n\nAsk [Ann](mailto:ann@example.org).")
    (tmp_path / "about.ru.md").write_text("# Наш класс", encoding="utf-8-sig")
    (tmp_path / "terms.ru.md").write_text("Играем честно.", encoding="utf-8")
    return tmp_path


def get(service: Service, path: str, method: str = "GET") -> httpx.Response:
    headers = {"Accept": "text/html"} if path == "/" else None
    return httpx.request(method, service.url + path, headers=headers, trust_env=False, verify=NO_TLS)


@proves(FILES)
@ON_SQLITE
def test_a_site_shows_its_own_logo_icon_colours_and_pages(folder: Path, start_service: Callable[..., Service]) -> None:
    service = start_service(site_dir=folder)
    client = service.client()
    site = expect(client.get("/site"), 200)

    assert (site["theme"], site["pages"]) == (THEME, ["about", "terms"])
    logo, drawn = get(service, site["logo"]), get(service, site["icon"])
    assert (logo.content, logo.headers["content-type"]) == (LOGO, "image/svg+xml")
    assert "sandbox" in logo.headers["content-security-policy"]
    assert "default-src 'none'" in logo.headers["content-security-policy"]
    assert logo.headers["x-content-type-options"] == "nosniff"
    assert "immutable" in logo.headers["cache-control"]
    # Another's digest, such as the next release's or the next look's while servers are replaced: this is not it.
    for query in ("", "?v=0123456789abcdef", "?x", f"?{site['logo'].partition('?')[2]}&x"):
        assert get(service, f"/site/logo.svg{query}").headers["cache-control"] == "no-cache"
    assert get(service, site["logo"], "HEAD").content == b""
    assert get(service, site["logo"], "POST").status_code == 405
    assert (drawn.content, drawn.headers["content-type"]) == (icon(), "image/png")
    assert b"light-dark(#7a1f5c,#f3a6d4)" in get(service, "/site/theme.css").content

    about = expect(client.get("/site/pages/about"), 200)
    assert about == {
        "name": "about",
        "lang": "en",
        "html": '<h1>Our class</h1>\n<p>Ask <a href="mailto:ann@example.org">Ann</a>.</p>\n',
    }
    assert expect(client.get("/site/pages/about?lang=ru"), 200)["html"] == "<h1>Наш класс</h1>\n"
    assert expect(client.get("/site/pages/terms?lang=en"), 200)["lang"] == "ru"
    refused(client.get("/site/pages/privacy"), 404, "not_found")
    refused(client.get("/site/pages/logo.svg"), 404, "not_found")
    refused(client.get("/site/pages/about?lang=de"), 400, "bad_request")


@proves(FILES)
@ON_SQLITE
def test_a_site_without_looks_has_none(service: Service) -> None:
    assert get(service, "/site/theme.css").status_code == 404
    assert BROUGHT not in get(service, "/").text
    refused(service.client().get("/site/pages/about"), 404, "not_found")


@ON_SQLITE
def test_the_page_brings_what_was_set_of_the_site(start_service: Callable[..., Service]) -> None:
    for setting in ({"currency": Currency(sign="pts", name="points", decimals=0)}, {"sign_up": "invite"}):
        service = start_service(**setting)
        found = re.search(f"{BROUGHT}(.*?)</script>", get(service, "/").text)
        assert found
        # Whether creators trade at home is in no answer.
        assert json.loads(found[1]) == expect(service.client().get("/site"), 200) | {"creators_trade": True}


def test_the_version_of_the_terms_changes_with_their_text_alone(folder: Path) -> None:
    before = read_looks(folder).terms_version
    (folder / "about.en.md").write_text("Other")
    assert read_looks(folder).terms_version == before
    (folder / "terms.en.md").write_text("Play fair.")
    changed = read_looks(folder).terms_version
    assert None not in {before, changed}
    assert changed != before


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("logo.svg", b"<html/>", "is no SVG"),
        ("logo.svg", b"<svg", "is no SVG"),
        ("logo.svg", b'<!DOCTYPE s [<!ENTITY a "b">]><svg>&a;</svg>', "declares entities"),
        ("logo.svg", b" " * 70_000, "has over 65,536 bytes"),
        ("icon.png", b"GIF89a", "is no PNG"),
        ("icon.png", icon(64, 32), "64 × 32 pixels"),
        ("icon.png", icon(8, 8), "8 × 8 pixels"),
        ("theme.json", b"{", "theme.json: "),
        ("theme.json", b'{"accent_light": "#123456"}', "accent_dark"),
        ("theme.json", json.dumps(THEME | {"accent": "#123456"}).encode(), "unknown field"),
        ("theme.json", json.dumps(THEME | {"accent_light": "red"}).encode(), "accent_light is no colour"),
        ("theme.json", json.dumps(THEME | {"accent_light": "#cccccc"}).encode(), "accent_light has a contrast of 1."),
        ("theme.json", json.dumps(THEME | {"accent_dark": "#333333"}).encode(), "accent_dark has a contrast of 1."),
        ("rules.en.md", "Правила".encode("cp1251"), "is not UTF-8"),
    ],
)
def test_a_wrong_file_is_named(folder: Path, name: str, content: bytes, said: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(WrongSetting, match="FOREKNOW_SITE_DIR is wrong: ") as wrong:
        read_looks(folder)
    assert name in str(wrong.value)
    assert said in str(wrong.value)


def test_a_folder_that_is_not_there_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(WrongSetting, match="there is no folder"):
        read_looks(tmp_path / "none")


@pytest.mark.parametrize(
    "source",
    ["<script>alert(1)</script>", "[x](javascript:alert(1))", "![x](https://example.org/x.png)", "<a onclick=x>y</a>"],
)
def test_a_page_runs_and_loads_nothing(source: str) -> None:
    html = page_html(source)
    assert not any(tag in html for tag in ("<script", "<img", 'href="javascript', "<a onclick"))


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("[" * PAGE_BYTES_MAX, id="brackets"),
        pytest.param("- a\n" * (PAGE_BYTES_MAX // 4), id="a list"),
        pytest.param("|" + "a|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + "|x|\n" * 9_000, id="a table"),
        pytest.param(f"[r]: /{'u' * 100_000}\n\n" + "[r] " * 5_000, id="a long address that is named often"),
        pytest.param("> " * 100 + "a", id="quotes in quotes"),
    ],
)
def test_what_takes_long_or_nests_deep_is_shown_as_it_was_written(source: str) -> None:
    assert page_html(source) == f"<pre>{escape(source)}</pre>\n"


def test_a_long_page_is_drawn() -> None:
    root = Path(__file__).parents[3]
    text = "\n\n".join(path.read_text() for path in sorted((root / "docs" / "contract").glob("*.md")))
    html = page_html((text * 2).encode()[:PAGE_BYTES_MAX].decode(errors="ignore"))
    assert html.count("<p>") + html.count("<li>") > 300


def test_contrast_equals_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == 21
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
