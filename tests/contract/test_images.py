"""Interface, DELETE /api/v1/events/{id}/image; decisions, PUT /events/{id}/image: cover images."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.pictures import HTML, SVG, image, opened, png_bomb
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused
from tests.support.stored_images import fetch, put, shown

UPLOAD = (
    "decisions: | PUT /events/{id}/image (its creator, admin) | raw image body (PNG, JPEG, WebP; ≤ 5 MiB) → 200 "
    "`{image_url}`; 400 `invalid_image`, 413."
)
OWN = (
    "decisions: A stored object belongs to the event it was uploaded to (and to the later instances of its series) "
    "and is deleted with that event's image only; an `image_url` sent at creation never counts as ours."
)
ADDRESS = (
    "decisions: Its address begins with `FOREKNOW_PUBLIC_URL` where set, else with `/`, never with the `Host` header"
)
MIB = 1024 * 1024


@proves(UPLOAD, ADDRESS)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("kind", "media_type"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "webp")])
def test_an_image_is_taken_and_served(service: Service, kind: str, media_type: str) -> None:
    event_id = service.event()["id"]
    host = {"Host": "evil.example"}
    answer = service.creator.client.put(f"/events/{event_id}/image", content=image(kind), headers=host)
    body = expect(answer, 200)

    assert body.keys() == {"image_url"}
    assert re.fullmatch(r"/[^/].*", body["image_url"])
    assert shown(service, event_id) == body["image_url"]
    served = fetch(service, body["image_url"])
    assert served.status_code == 200
    assert served.headers["content-type"] == f"image/{media_type}"
    assert served.headers["x-content-type-options"] == "nosniff"
    assert "immutable" in served.headers["cache-control"]
    assert opened(served.content).size == (64, 32)

    head = fetch(service, body["image_url"], "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(served.content))
    again = fetch(service, body["image_url"], **{"If-None-Match": served.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@proves(ADDRESS)
@ONCE
def test_its_address_begins_with_the_public_url(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url="https://foreknow.example/")
    event_id = service.event()["id"]
    address = expect(put(service, event_id, image()), 200)["image_url"]
    assert address.startswith("https://foreknow.example/images/")
    assert fetch(service, address.removeprefix("https://foreknow.example")).status_code == 200
    service.restart()
    assert shown(service, event_id) == address
    assert fetch(service, address.removeprefix("https://foreknow.example")).status_code == 200


@proves("decisions: the upload's Content-Type is not looked at")
@ONCE
@pytest.mark.parametrize("media_type", [None, "application/json", "image/svg+xml", "text/html", "nonsense"])
def test_the_content_type_is_not_looked_at(service: Service, media_type: str | None) -> None:
    headers = {"Content-Type": media_type} if media_type else {}
    path = f"/events/{service.event()['id']}/image"
    address = expect(service.creator.client.put(path, content=image("JPEG"), headers=headers), 200)["image_url"]
    assert fetch(service, address).headers["content-type"] == "image/jpeg"


@proves(UPLOAD)
@ONCE
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x",
        SVG,
        HTML,
        HTML + image("JPEG"),
        image("PNG")[:-1],
        image("JPEG")[:-1] + b"PK\x03\x04",
        png_bomb(9_000, 9_000),
    ],
)
def test_what_is_no_image_is_refused(service: Service, content: bytes) -> None:
    event_id = service.event()["id"]
    before = expect(put(service, event_id, image()), 200)["image_url"]
    refused(put(service, event_id, content), 400, "invalid_image")
    assert shown(service, event_id) == before
    assert fetch(service, before).status_code == 200
    # Before rows are looked for.
    refused(put(service, 999_999_999, content), 400, "invalid_image")


@proves(UPLOAD)
@ONCE
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_what_follows_the_image_is_not_kept(service: Service, kind: str) -> None:
    address = expect(put(service, service.event()["id"], image(kind) + HTML), 200)["image_url"]
    assert HTML not in fetch(service, address).content


@proves(UPLOAD)
@ONCE
def test_five_mebibytes_are_the_most(service: Service) -> None:
    event_id = service.event()["id"]
    # Zeros behind a JPEG are what cameras leave there.
    whole = image("JPEG").ljust(5 * MIB, b"\0")
    expect(put(service, event_id, whole), 200)
    refused(put(service, event_id, whole + b"\0"), 413, "payload_too_large")

    def pieces() -> Any:
        for _ in range(6):
            yield bytes(MIB)

    refused(service.creator.client.put(f"/events/{event_id}/image", content=pieces()), 413, "payload_too_large")


@proves(UPLOAD, "decisions: a stranger's action on it is 404 (image deletion: 403; signed out: 401")
@ONCE
def test_its_creator_and_admins_upload(service: Service) -> None:
    event_id, secret_id = service.event()["id"], service.event(publish=False)["id"]
    stranger = service.user(creator=True).client
    refused(put(service, event_id, image(), service.client()), 401, "unauthorized")
    refused(put(service, event_id, image(), stranger), 403, "forbidden")
    refused(put(service, secret_id, image(), stranger), 404, "event_not_found")
    refused(put(service, 999_999_999, image(), stranger), 404, "event_not_found")
    refused(service.creator.client.put("/events/0x7/image", content=image()), 400, "invalid_event_id")
    assert shown(service, event_id) == shown(service, secret_id) == ""
    for client in (service.creator.client, service.admin):
        expect(put(service, event_id, image(), client), 200)
        expect(put(service, secret_id, image(), client), 200)
    entry = expect(service.admin.get("/admin/log?limit=1"), 200)["entries"][0]
    assert (entry["action"], entry["target"]) == ("image.put", f"event:{secret_id}")


@proves(
    "interface: | DELETE | /api/v1/events/{id}/image | Required (event creator or admin) |",
    "interface: - Effect: the cover image is removed from object storage and the event's image_url is cleared.",
    "interface: - 200: empty JSON object.",
    "interface: and lets the event creator or an admin delete an event cover image.",
)
def test_deleting_clears_the_address_and_removes_the_object(service: Service) -> None:
    for client in (service.creator.client, service.admin):
        event_id = service.event()["id"]
        address = expect(put(service, event_id, image()), 200)["image_url"]
        assert expect(client.delete(f"/events/{event_id}/image"), 200) == {}
        assert shown(service, event_id) == ""
        refused(fetch(service, address), 404, "not_found")
        assert fetch(service, address, "HEAD").status_code == 404
        assert expect(client.delete(f"/events/{event_id}/image"), 200) == {}


@proves(
    "interface: - 403: body with error (string) when caller is neither the event creator nor an admin.",
    "interface: - 404: body with error (string) when the event does not exist.",
    "interface: - Some errors (403 and 404 of event creation and image deletion) carry a body with a single error "
    "string.",
    "decisions: The 403 and 404 of event creation and image deletion carry `error` alone (`forbidden`, "
    "`event_not_found`).",
    "decisions: (image deletion: 403; signed out: 401 as everywhere, checked first)",
    "interface: - Path: id, int64, required, numeric event id.",
)
@ONCE
def test_errors_of_a_deletion_carry_error_alone(service: Service) -> None:
    stranger = service.user(creator=True).client
    for publish in (True, False):
        event_id = service.event(publish=publish)["id"]
        address = expect(put(service, event_id, image()), 200)["image_url"]
        refused(service.client().delete(f"/events/{event_id}/image"), 401, "unauthorized")
        answer = stranger.delete(f"/events/{event_id}/image")
        assert (answer.status_code, answer.json()) == (403, {"error": "forbidden"})
        assert shown(service, event_id) == address
        assert fetch(service, address).status_code == 200
    for client in (stranger, service.admin):
        answer = client.delete("/events/999999999/image")
        assert (answer.status_code, answer.json()) == (404, {"error": "event_not_found"})
    refused(stranger.delete("/events/07/image"), 400, "invalid_event_id")


@proves(OWN)
def test_only_objects_of_ours_and_of_that_event_are_deleted(service: Service) -> None:
    theirs = expect(put(service, service.event()["id"], image()), 200)["image_url"]
    # An address that looks like another event's image, sent at creation.
    posing = service.event(pools=[pool()], image_url=service.url + theirs)
    assert posing["image_url"] == service.url + theirs
    expect(service.creator.client.delete(f"/events/{posing['id']}/image"), 200)
    assert shown(service, posing["id"]) == ""
    assert fetch(service, theirs).status_code == 200

    replaced = service.event(image_url=service.url + theirs)
    address = expect(put(service, replaced["id"], image()), 200)["image_url"]
    expect(service.creator.client.delete(f"/events/{replaced['id']}/image"), 200)
    assert fetch(service, address).status_code == 404
    assert fetch(service, theirs).status_code == 200


@proves(OWN)
def test_replacing_an_image_removes_the_one_before(service: Service) -> None:
    event_id = service.event()["id"]
    first = expect(put(service, event_id, image()), 200)["image_url"]
    second = expect(put(service, event_id, image("WEBP")), 200)["image_url"]
    assert first != second
    assert shown(service, event_id) == second
    assert fetch(service, first).status_code == 404
    assert fetch(service, second).status_code == 200


@proves(UPLOAD)
def test_uploads_and_deletions_at_once_leave_what_is_shown(service: Service) -> None:
    event_id = service.event()["id"]
    path = f"/events/{event_id}/image"
    shots: list[Any] = [("PUT", path, {"content": image(kind)}) for kind in ("PNG", "JPEG", "WEBP") * 2]
    answers = service.together([*shots, ("DELETE", path, {}), ("DELETE", path, {})], tokens=[service.creator.token])
    addresses = {expect(answer, 200).get("image_url") for answer in answers} - {None}
    assert len(addresses) == 6
    now = shown(service, event_id)
    assert {address for address in addresses if fetch(service, address).status_code == 200} == {now} - {""}


@proves("decisions: A session, role or key taken away is refused at once by that process")
@ONCE
def test_an_admin_no_more_deletes_no_more(service: Service) -> None:
    admin = service.user(admin=True)
    event_id = service.event()["id"]
    expect(put(service, event_id, image(), admin.client), 200)
    expect(service.admin.patch(f"/admin/users/{admin.id}", json={"is_admin": False}), 200)
    assert admin.client.delete(f"/events/{event_id}/image").status_code == 403
    assert shown(service, event_id) != ""


@ONCE
def test_images_answer_nothing_but_their_names(service: Service) -> None:
    for path in ("/images/", "/images/x", "/images/..%2f..%2fforeknow.sqlite3", "/images/1-" + "0" * 32 + ".png"):
        refused(fetch(service, path), 404, "not_found")
    address = expect(put(service, service.event()["id"], image()), 200)["image_url"]
    answer = fetch(service, address, "DELETE")
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"
