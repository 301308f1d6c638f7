"""Client, 15: PUT /users/me/avatar."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.pictures import HTML, SVG, image, opened, png_bomb
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused
from tests.support.stored_images import fetch
from tests.support.waiting import wait_until

AVATAR = "client: PUT /users/me/avatar (raw image)"
MIB = 1024 * 1024


def put(person: Person, content: bytes) -> httpx.Response:
    return person.client.put("/users/me/avatar", content=content)


def files(service: Service) -> set[str]:
    folder = Path(service.settings.data_dir) / "images"
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


@proves(AVATAR)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("kind", "ending"), [("PNG", "png"), ("JPEG", "jpg"), ("WEBP", "webp")])
def test_an_avatar_is_taken_and_shown(service: Service, kind: str, ending: str) -> None:
    person, event = service.user(balance_kopecks=700), service.event()
    user = expect(put(person, image(kind, 400, 400)), 200)
    assert user == expect(person.client.get("/users/me"), 200)
    address = user["avatar_url"]
    # It tells nothing of whose it is.
    assert re.fullmatch(rf"/images/a-[0-9a-f]{{32}}\.{ending}", address)
    assert opened(fetch(service, address).content).size == (400, 400)
    assert opened(fetch(service, f"{address}?w=160").content).size == (160, 160)
    comment = expect(person.client.post("/comments", json={"event_id": event["id"], "content": "Ah"}), 201)
    assert address in str(comment)


@proves(AVATAR)
@ONCE
@pytest.mark.parametrize("content", [b"", b"x", SVG, HTML, png_bomb(9_000, 9_000)])
def test_what_is_no_image_is_refused(service: Service, content: bytes) -> None:
    person = service.user()
    before = expect(put(person, image()), 200)["avatar_url"]
    refused(put(person, content), 400, "invalid_image")
    assert expect(person.client.get("/users/me"), 200)["avatar_url"] == before
    assert fetch(service, before).status_code == 200


@proves(AVATAR)
@ONCE
def test_it_needs_an_account_and_has_the_bounds_of_images(service: Service) -> None:
    refused(service.client().put("/users/me/avatar", content=image()), 401, "unauthorized")
    person = service.user()
    refused(put(person, image("JPEG").ljust(5 * MIB + 1, b"\0")), 413, "payload_too_large")
    expect(put(person, image("JPEG").ljust(5 * MIB, b"\0")), 200)


@proves(AVATAR)
def test_another_avatar_replaces_the_one_before(service: Service) -> None:
    person = service.user()
    first = expect(put(person, image()), 200)["avatar_url"]
    second = expect(put(person, image("WEBP")), 200)["avatar_url"]
    assert first != second
    assert fetch(service, first).status_code == 404
    assert fetch(service, f"{first}?w=160").status_code == 404
    assert fetch(service, second).status_code == 200


@proves(AVATAR)
@ONCE
def test_an_address_from_elsewhere_or_none_takes_its_place(fresh_service: Service) -> None:
    service = fresh_service
    for url in ("https://example.org/a.png", ""):
        person = service.user()
        uploaded = expect(put(person, image()), 200)["avatar_url"]
        assert len(files(service)) == 4
        assert expect(person.client.patch("/users/me", json={"avatar_url": url}), 200)["avatar_url"] == url
        service.server.run(service.app.services.images.clear())
        # The service's own worker may be the one that deletes it.
        wait_until(lambda: not files(service))
        assert fetch(service, uploaded).status_code == 404


@ONCE
def test_a_profile_sent_back_as_it_came_keeps_its_avatar(service: Service) -> None:
    person = service.user()
    uploaded = expect(put(person, image()), 200)["avatar_url"]
    profile = {"name": "Another", "avatar_url": uploaded}
    assert expect(person.client.patch("/users/me", json=profile), 200)["avatar_url"] == uploaded
    service.server.run(service.app.services.images.clear())
    assert fetch(service, uploaded).status_code == 200
    # An uploaded avatar of another person is an address like any other, here without a host.
    refused(service.user().client.patch("/users/me", json={"avatar_url": uploaded}), 400, "bad_request")


@ONCE
def test_a_hidden_profile_shows_none(service: Service) -> None:
    person, event = service.user(), service.event()
    expect(put(person, image()), 200)
    expect(person.client.patch("/users/me", json={"profile_hidden": True}), 200)
    expect(person.client.post("/comments", json={"event_id": event["id"], "content": "Ah"}), 201)
    assert "/images/a-" not in service.client().get(f"/events/{event['id']}/comments").text


@ONCE
def test_its_address_follows_the_public_url(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url="https://foreknow.example")
    person = service.user()
    address = expect(put(person, image()), 200)["avatar_url"]
    assert address.startswith("https://foreknow.example/images/a-")
    service.settings = service.settings.model_copy(update={"public_url": ""})
    service.restart()
    token = service.sign_in(person.email, person.password)
    moved = expect(service.client(token).get("/users/me"), 200)["avatar_url"]
    assert moved == address.removeprefix("https://foreknow.example")
    assert fetch(service, moved).status_code == 200


@proves(AVATAR)
def test_uploads_at_once_leave_the_one_that_is_shown(fresh_service: Service) -> None:
    service = fresh_service
    person = service.user()
    shots = [("PUT", "/users/me/avatar", {"content": image(kind)}) for kind in ("PNG", "JPEG", "WEBP") * 2]
    for answer in service.together(shots, tokens=[person.token]):
        expect(answer, 200)
    service.server.run(service.app.services.images.clear())
    wait_until(lambda: len(files(service)) == 4)
    (shown,) = {name for name in files(service) if name.count(".") == 1}
    assert expect(person.client.get("/users/me"), 200)["avatar_url"] == f"/images/{shown}"


def test_an_upload_whose_process_died_leaves_nothing(fresh_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service, person = fresh_service, fresh_service.user()
    before = expect(put(person, image()), 200)["avatar_url"]
    images = service.app.services.images
    genuine = images._store

    async def store_and_die(*given: object) -> None:
        await genuine(*given)  # type: ignore[arg-type] # as they came
        raise ConnectionAbortedError

    with monkeypatch.context() as patched:
        patched.setattr(images, "_store", store_and_die)
        assert put(person, image()).status_code == 500
    assert len(files(service)) == 8
    assert service.server.run(images.clear()) == 0, "it might still be at work"
    service.clock.advance(3_600_000)
    service.server.run(images.clear())
    # The service's own worker may be the one that deletes it.
    wait_until(lambda: len(files(service)) == 4)
    assert {name.partition(".")[0] for name in files(service)} == {before.rpartition("/")[2].partition(".")[0]}
    assert fetch(service, before).status_code == 200
