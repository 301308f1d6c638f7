"""Administration, "Looks": what an admin sets, what refuses it, and what it goes before."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from foreknow.people.users.tables import users
from tests.contract.mailed_site import _later as _later  # noqa: PLC0414 - a fixture
from tests.contract.mailed_site import mailbox as mailbox  # noqa: PLC0414 - a fixture
from tests.contract.mailed_site import site as site  # noqa: PLC0414 - a fixture
from tests.contract.site_setting import send, settle
from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.mailbox import Mailbox, text_of
from tests.support.pictures import RED, SVG, encoded, image, near, opened, png_bomb, two_colours
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused
from tests.support.sign_in import make_key
from tests.support.waiting import wait_until

LOGO, ICON, THEME, PAGES = (f"/admin/looks/{name}" for name in ("logo", "icon", "theme", "pages"))
ACCENTS = {"accent_light": "#7a1f5c", "accent_dark": "#f3a6d4"}
BOUNDS = (
    "administration: **Looks** (admin, likewise; logo and icon: sides 16 … 1,024, the icon square, else 400 "
    "`invalid_image`; over 512 KiB 413)."
)
PICTURES = (
    "administration: PUT /admin/looks/logo, /icon (raw PNG or WebP, drawn anew as covers are; SVG through "
    "`FOREKNOW_SITE_DIR` alone) → 200 `{url}`;"
)
COLOURS = "administration: PUT /admin/looks/theme `{accent_light, accent_dark}` (contrast under 4.5: 400);"
TEXTS = (
    "administration: PUT /admin/looks/pages/{about|terms|privacy|rules} `{lang, markdown (≤ 262,144 bytes; body ≤ 2 "
    "MiB)}`; GET there → `{en, ru}` as stored (null: none);"
)
DELETED = "administration: DELETE of each (a page's with `?lang=`) 200 `{}`, twice too."
LOGGED = "administration: Kept in the database; each change a line in the log."
BEFORE_THE_FOLDER = (
    "administration: What is stored goes before the folder; of a page with a stored language the folder's does not "
    "count."
)
VERSIONS = (
    "administration: A changed `terms` is a new version; each version's text is kept, GET /site/pages/terms "
    "`?version=` (the folder's too, since it was read; else 404)."
)


def get(service: Service, path: str, **headers: str) -> httpx.Response:
    return httpx.get(service.url + path, headers=headers, trust_env=False, verify=NO_TLS)


def site_of(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = expect(service.client().get("/site"), 200)
    return found


def write(service: Service, name: str, markdown: str, lang: str = "en") -> None:
    assert expect(service.admin.put(f"{PAGES}/{name}", json={"lang": lang, "markdown": markdown}), 200) == {}
    settle(service)


def lines_of(service: Service) -> list[tuple[str, str]]:
    found = expect(service.admin.get("/admin/log"), 200)["entries"]
    return [(one["action"], one["target"]) for one in found if one["target"].startswith("looks:")]


@proves(PICTURES, LOGGED, "administration: all else, `read` too, holds within 1 s everywhere;")
def test_every_server_shows_what_an_admin_set_within_a_second(start_service: Callable[..., Service]) -> None:
    here, there = start_service(), start_service()
    before = get(there, "/", Accept="text/html").text
    logo = expect(here.admin.put(LOGO, content=image("WEBP", 120, 40)), 200)["url"]
    icon = expect(here.admin.put(ICON, content=image("PNG", 64, 64)), 200)["url"]
    expect(here.admin.put(THEME, json=ACCENTS), 200)
    write(here, "about", "# Our club")
    # A page that one server brings names pictures that another has not seen yet.
    for address in (logo, icon):
        shown = get(there, address)
        assert (shown.status_code, "immutable" in shown.headers["cache-control"]) == (200, True)
    time.sleep(1)
    for service in (here, there):
        site = site_of(service)
        assert (site["logo"], site["icon"], site["theme"], site["pages"]) == (logo, icon, ACCENTS, ["about"])
        page = get(service, "/", Accept="text/html").text
        assert page != before
        assert icon in page
        manifest = get(service, "/manifest.webmanifest").json()
        assert [one["src"] for one in manifest["icons"]] == [icon]
        drawn = get(service, logo)
        assert (drawn.headers["content-type"], "sandbox" in drawn.headers["content-security-policy"]) == (
            "image/webp",
            True,
        )
        assert near(opened(drawn.content).convert("RGB").getpixel((10, 10)), RED, most=25)
        assert expect(service.client().get("/site/pages/about"), 200)["html"] == "<h1>Our club</h1>\n"
        assert expect(service.admin.get("/admin/first-hour"), 200)["looks"] is True
    assert lines_of(here) == [
        ("looks.put", "looks:about.en"),
        ("looks.put", "looks:theme"),
        ("looks.put", "looks:icon"),
        ("looks.put", "looks:logo"),
    ]
    # As it is.
    expect(here.admin.put(THEME, json=ACCENTS), 200)
    assert len(lines_of(here)) == 4


@proves(PICTURES)
def test_no_cache_keeps_a_picture_at_the_address_of_another(start_service: Callable[..., Service]) -> None:
    service = start_service()
    old = expect(service.admin.put(LOGO, content=image("PNG", 48, 48)), 200)["url"]
    settle(service)
    new = expect(service.admin.put(LOGO, content=image("WEBP", 60, 30)), 200)["url"]
    settle(service)
    assert "immutable" in get(service, new).headers["cache-control"]
    # A page that was open before asks for its own address: it has the new picture, and keeps it no longer than now.
    former = get(service, old)
    assert former.content == get(service, new).content
    assert former.headers["cache-control"] == "no-cache"
    assert get(service, "/site/icon.png?v=0123456789abcdef").status_code == 404


@proves(PICTURES)
def test_pictures_are_drawn_again(start_service: Callable[..., Service]) -> None:
    service = start_service()
    turned = two_colours(64, 32).getexif()
    turned[0x0112] = 6
    raw = image("PNG", 64, 32, exif=turned.tobytes()) + b"more"
    url = expect(service.admin.put(LOGO, content=raw), 200)["url"]
    drawn = opened(get(service, url).content)
    assert (drawn.size, dict(drawn.getexif()), drawn.info) == ((32, 64), {}, {})
    frames = [two_colours(32, 32), two_colours(32, 32).rotate(90)]
    moving = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    url = expect(service.admin.put(ICON, content=moving), 200)["url"]
    still = get(service, url)
    assert still.headers["content-type"] == "image/png"
    assert getattr(opened(still.content), "n_frames", 1) == 1


@proves(BOUNDS, PICTURES)
@pytest.mark.parametrize(
    ("raw", "is_icon_alone"),
    [
        (image("PNG", 64, 32), True),
        (image("PNG", 15, 15), False),
        (image("WEBP", 1025, 1025), False),
        (image("JPEG", 64, 64), False),
        (encoded(two_colours(64, 64, "CMYK"), "JPEG"), False),
        (image("GIF", 64, 64), False),
        (png_bomb(16_000, 1_500), False),
        (image("PNG", 64, 64)[:-20], False),
        (SVG, False),
        (b"", False),
    ],
)
def test_other_pictures_are_refused(sqlite_service: Service, raw: bytes, *, is_icon_alone: bool) -> None:
    refused(sqlite_service.admin.put(ICON, content=raw), 400, "invalid_image")
    if is_icon_alone:
        expect(sqlite_service.admin.put(LOGO, content=raw), 200)
        expect(sqlite_service.admin.delete(LOGO), 200)
    else:
        refused(sqlite_service.admin.put(LOGO, content=raw), 400, "invalid_image")


@proves(BOUNDS, COLOURS, TEXTS)
def test_bounds_of_bodies_colours_and_pages(fresh_service: Service) -> None:
    admin = fresh_service.admin
    for path in (LOGO, ICON):
        refused(admin.put(path, content=bytes(512 * 1024 + 1)), 413, "payload_too_large")
        for side in (16, 1024):
            expect(admin.put(path, content=image("PNG", side, side)), 200)
        expect(admin.delete(path), 200)
    wrong = {"accent_light": ("#cccccc", "red", "#12345"), "accent_dark": ("#333333",)}
    for name, colours in wrong.items():
        for colour in colours:
            error = refused(admin.put(THEME, json=ACCENTS | {name: colour}), 400, "bad_request")
            assert error["details"]["fields"].keys() == {name}
    for body in ({}, {"accent_light": "#7a1f5c"}, [ACCENTS]):
        refused(admin.put(THEME, json=body), 400, "bad_request")
    page = f"{PAGES}/rules"
    expect(admin.put(page, json={"lang": "ru", "markdown": "я" * 131_072}), 200)
    refused(admin.put(page, json={"lang": "ru", "markdown": "я" * 131_072 + "x"}), 400, "bad_request")
    escaped = json.dumps({"lang": "ru", "markdown": "я" * 131_072}).encode()
    headers = {"Content-Type": "application/json"}
    expect(admin.put(page, content=escaped, headers=headers), 200)
    refused(admin.put(page, content=escaped + bytes(2 * 1024 * 1024), headers=headers), 413, "payload_too_large")
    for wrong_body in (
        {"lang": "de", "markdown": "x"},
        {"markdown": "x"},
        {"lang": "en"},
        {"lang": "en", "markdown": "\0"},
    ):
        refused(admin.put(page, json=wrong_body), 400, "bad_request")
    expect(admin.delete(page, params={"lang": "ru"}), 200)
    for name in ("logo", "about.en", "TERMS"):
        for answer in (
            admin.get(f"{PAGES}/{name}"),
            admin.put(f"{PAGES}/{name}", json={"lang": "en", "markdown": "x"}),
            admin.delete(f"{PAGES}/{name}", params={"lang": "en"}),
        ):
            refused(answer, 404, "not_found")
    refused(admin.delete(page), 400, "bad_request")


@proves(BOUNDS)
def test_admins_alone_set_them_and_verified_or_not(start_service: Callable[..., Service]) -> None:
    service = start_service(
        email_verification="on",
        smtp_url="smtp://127.0.0.1:9",
        email_from="site@foreknow.test",
        public_url="https://foreknow.test",
    )
    admin, person = service.user(admin=True), service.user(operator=True)
    for path, body in ((THEME, ACCENTS), (f"{PAGES}/about", {"lang": "en", "markdown": "x"})):
        for client in (person.client, service.client(make_key(service.admin)["key"])):
            refused(client.put(path, json=body), 403, "forbidden")
        refused(service.client().put(path, json=body), 401, "unauthorized")
        expect(admin.client.put(path, json=body), 200)
    refused(person.client.put(LOGO, content=image("PNG")), 403, "forbidden")
    refused(service.client(make_key(service.admin)["key"]).get(f"{PAGES}/about"), 403, "forbidden")
    expect(admin.client.put(LOGO, content=image("PNG")), 200)


@proves(TEXTS, DELETED, BEFORE_THE_FOLDER, LOGGED)
def test_what_is_stored_goes_before_the_folder(start_service: Callable[..., Service], tmp_path: Path) -> None:
    (tmp_path / "logo.svg").write_bytes(SVG)
    (tmp_path / "icon.png").write_bytes(image("PNG", 32, 32))
    (tmp_path / "theme.json").write_text(json.dumps({"accent_light": "#00606c", "accent_dark": "#63cbd6"}))
    (tmp_path / "about.en.md").write_text("Folder")
    (tmp_path / "about.ru.md").write_text("Папка", encoding="utf-8")
    (tmp_path / "rules.en.md").write_text("Rules")
    service = start_service(site_dir=tmp_path)
    admin, client, folder = service.admin, service.client(), site_of(service)
    assert folder["logo"].startswith("/site/logo.svg?v=")
    assert expect(admin.get(f"{PAGES}/about"), 200) == {"en": None, "ru": None}

    logo = expect(admin.put(LOGO, content=image("PNG")), 200)["url"]
    icon = expect(admin.put(ICON, content=image("PNG", 48, 48)), 200)["url"]
    expect(admin.put(THEME, json=ACCENTS), 200)
    write(service, "about", "Наш клуб", lang="ru")
    site = site_of(service)
    assert (site["logo"], site["icon"], site["theme"]) == (logo, icon, ACCENTS)
    assert site["pages"] == ["about", "rules"]
    assert expect(admin.get(f"{PAGES}/about"), 200) == {"en": None, "ru": "Наш клуб"}
    # English is not the folder's.
    for lang in ("en", "ru"):
        page = expect(client.get("/site/pages/about", params={"lang": lang}), 200)
        assert (page["lang"], page["html"]) == ("ru", "<p>Наш клуб</p>\n")
    assert expect(client.get("/site/pages/rules"), 200)["html"] == "<p>Rules</p>\n"
    # A start finds it.
    service.restart()
    assert site_of(service) == site

    for _ in range(2):
        for path in (LOGO, ICON, THEME):
            assert expect(service.admin.delete(path), 200) == {}
        assert expect(service.admin.delete(f"{PAGES}/about", params={"lang": "ru"}), 200) == {}
    settle(service)
    assert site_of(service) == folder
    assert expect(service.client().get("/site/pages/about"), 200)["html"] == "<p>Folder</p>\n"
    assert lines_of(service)[:4] == [
        ("looks.delete", f"looks:{name}") for name in ("about.ru", "theme", "icon", "logo")
    ]


@proves(VERSIONS, LOGGED)
def test_every_version_of_the_terms_is_kept(start_service: Callable[..., Service], tmp_path: Path) -> None:
    (tmp_path / "terms.en.md").write_text("Folder")
    service = start_service(site_dir=tmp_path)
    versions = [site_of(service)["terms"]]
    for markdown, lang in (("# One", "en"), ("# Один", "ru"), ("# Two", "en")):
        write(service, "terms", markdown, lang)
        versions.append(site_of(service)["terms"])
    assert len({*versions}) == 4
    # A text that is put back is what was agreed to before.
    write(service, "terms", "# One", "en")
    assert site_of(service)["terms"] == versions[2]
    write(service, "terms", "# Two", "en")
    entry = expect(service.admin.get("/admin/log", params={"action": "looks.put"}), 200)["entries"][0]
    assert entry["details"] == {"version": versions[-1]}
    write(service, "about", "Other")
    assert site_of(service)["terms"] == versions[-1]
    service.stop()
    # The folder's is known, too, where there is no folder any more.
    service = start_service()
    client = service.client()
    shown = [
        expect(client.get("/site/pages/terms", params={"version": version, "lang": lang}), 200)
        for version, lang in zip(versions, ("en", "ru", "ru", "en"), strict=True)
    ]
    assert [(page["lang"], page["html"]) for page in shown] == [
        ("en", "<p>Folder</p>\n"),
        ("en", "<h1>One</h1>\n"),
        ("ru", "<h1>Один</h1>\n"),
        ("en", "<h1>Two</h1>\n"),
    ]
    for _ in range(2):
        refused(client.get("/site/pages/terms", params={"version": versions[0] + "0"}), 404, "not_found")
    refused(client.get("/site/pages/about", params={"version": versions[-1]}), 404, "not_found")
    for lang in ("en", "ru"):
        expect(service.admin.delete(f"{PAGES}/terms", params={"lang": lang}), 200)
    settle(service)
    assert site_of(service)["terms"] is None
    assert expect(client.get("/site/pages/terms", params={"version": versions[-1]}), 200)["html"] == "<h1>Two</h1>\n"


def sign_up(service: Service, name: str, terms: str | None) -> httpx.Response:
    body = {"email": f"{name}@example.org", "password": PASSWORD, "name": name, "terms": terms}
    return service.client().post("/auth/sign-up", json=body)


@proves("administration: and the terms' version", "administration: are read in the transaction that they decide;")
def test_sign_ups_agree_to_the_terms_of_their_transaction(start_service: Callable[..., Service]) -> None:
    here, there = start_service(), start_service()
    expect(sign_up(there, "first", None), 201)
    # Stored here, and in no process yet.
    expect(here.admin.put(f"{PAGES}/terms", json={"lang": "en", "markdown": "Be fair."}), 200)
    version = refused(sign_up(there, "second", None), 409, "terms_required")["details"]["terms"]
    made = expect(sign_up(there, "second", version), 201)
    kept = sa.select(users.c.terms_version).where(users.c.id == made["user"]["id"])
    assert there.look(lambda tx: tx.execute(kept).scalar_one()) == version
    expect(here.admin.put(f"{PAGES}/terms", json={"lang": "ru", "markdown": "Честно."}), 200)
    refused(sign_up(there, "third", version), 409, "terms_required")
    for lang in ("en", "ru"):
        expect(here.admin.delete(f"{PAGES}/terms", params={"lang": lang}), 200)
    expect(sign_up(there, "third", None), 201)


@proves(LOGGED, BEFORE_THE_FOLDER)
@ONCE
def test_pictures_of_links_embeds_and_feeds_follow(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url="http://127.0.0.1:1")
    event = service.event()
    card, embed = f"/images/cards/{event['id']}.png", f"/embed/events/{event['id']}"
    before = get(service, card).content
    expect(service.admin.put(THEME, json=ACCENTS), 200)
    settle(service)
    coloured = get(service, card).content
    logo = expect(service.admin.put(LOGO, content=image("PNG", 120, 40)), 200)["url"]
    settle(service)
    marked = get(service, card).content
    assert len({before, coloured, marked}) == 3
    # Where the product's mark stood.
    assert near(opened(marked).convert("RGB").getpixel((70, 66)), RED)
    assert "light-dark(#7a1f5c,#f3a6d4)" in get(service, embed).text
    assert f"<logo>http://127.0.0.1:1{logo}</logo>" in get(service, "/feeds/new.atom").text


@proves(LOGGED, BEFORE_THE_FOLDER)
@ONCE
def test_mails_follow(site: Service, mailbox: Mailbox) -> None:
    expect(site.admin.put(THEME, json=ACCENTS), 200)
    settle(site)
    ann = site.user()
    mail = text_of(mailbox.wait(ann.email), "html")
    for colour in ACCENTS.values():
        assert f"a{{color:{colour}}}" in mail
        assert f"background:{colour};" in mail


@ONCE
def test_no_setting_waits_for_looks_that_take_long_to_draw(start_service: Callable[..., Service]) -> None:
    service, may_draw = start_service(), threading.Event()
    drawing = service.app.services.looks._thread.submit(may_draw.wait)
    expect(service.admin.put(f"{PAGES}/about", json={"lang": "en", "markdown": "# Us"}), 200)
    expect(send(service.admin, {"read": "members"}), 200)

    stranger = service.client()
    wait_until(lambda: stranger.get("/events").status_code == 401)

    assert site_of(service)["pages"] == []
    may_draw.set()
    assert drawing.result()
    settle(service)
    assert site_of(service)["pages"] == ["about"]


@ONCE
def test_texts_of_pages_are_as_all_texts(fresh_service: Service) -> None:
    admin, path = fresh_service.admin, f"{PAGES}/about"
    for body in ({"markdown": "a\u202eb"}, {"markdown": "a", "more": 1}):
        refused(admin.put(path, json={"lang": "en", **body}), 400, "bad_request")
    write(fresh_service, "about", " e\u0301\n")
    assert expect(admin.get(path), 200) == {"en": " é\n", "ru": None}
