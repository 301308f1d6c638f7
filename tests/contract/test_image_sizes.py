"""Client, 18: smaller sizes of stored images."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from foreknow.market.images.names import WIDTHS
from foreknow.market.images.tables import unused_images
from tests.support.kinds import ONCE
from tests.support.pictures import BLUE, RED, image, near, opened
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.stored_images import fetch, put, shown

pytestmark = ONCE

SIZES = "client: | 18 | GET /images/{object} `?w=160|640|1280` | WebP, made on upload |"


def uploaded(service: Service, content: bytes) -> tuple[int, str]:
    event_id = service.event()["id"]
    return event_id, str(expect(put(service, event_id, content), 200)["image_url"])


def folder(service: Service) -> Path:
    return Path(service.settings.data_dir) / "images"


def files_of(service: Service, address: str) -> set[str]:
    name = address.rpartition("/")[2]
    return {path.name.removeprefix(name) for path in folder(service).iterdir() if path.name.startswith(name)}


def forget_sizes(service: Service, address: str) -> None:
    """Leave an image as releases without sizes stored it."""
    for width in WIDTHS:
        (folder(service) / f"{address.rpartition('/')[2]}.{width}.webp").unlink()


@proves(SIZES)
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_an_image_has_three_widths(service: Service, kind: str) -> None:
    _, address = uploaded(service, image(kind, 2000, 500))
    whole = fetch(service, address)
    for width in WIDTHS:
        answer = fetch(service, f"{address}?w={width}")
        assert answer.status_code == 200
        picture = opened(answer.content)
        assert (picture.format, picture.size) == ("WEBP", (width, width // 4))
        assert near(picture.getpixel((5, 5)), RED)
        assert near(picture.getpixel((width - 5, 5)), BLUE)
        for name, value in {**whole.headers, "content-type": "image/webp"}.items():
            if name not in {"content-length", "etag", "x-request-id", "date"}:
                assert answer.headers[name] == value
        assert "immutable" in answer.headers["cache-control"]
        head = fetch(service, f"{address}?w={width}", "HEAD")
        assert head.headers["content-length"] == str(len(answer.content))
        again = fetch(service, f"{address}?w={width}", **{"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert len({fetch(service, f"{address}?w={width}").headers["etag"] for width in WIDTHS}) == 3


@proves(SIZES)
@pytest.mark.parametrize(("width", "height"), [(1, 1), (64, 3000), (160, 90), (641, 2)])
def test_none_is_larger_than_its_image(service: Service, width: int, height: int) -> None:
    _, address = uploaded(service, image("PNG", width, height))
    for wanted in WIDTHS:
        size = opened(fetch(service, f"{address}?w={wanted}").content).size
        assert size == ((width, height) if width <= wanted else (wanted, max(1, round(height * wanted / width))))


@proves(SIZES)
@pytest.mark.parametrize(
    "query", ["w=161", "w=0", "w=", "w=0160", "w=-160", "w=160&w=160", "w=160%00", "w=%ff", "w=1e3"]
)
def test_another_width_is_a_bad_request(service: Service, query: str) -> None:
    _, address = uploaded(service, image())
    refused(fetch(service, f"{address}?{query}"), 400, "bad_request")
    assert fetch(service, f"{address}?W=7&v=1").content == fetch(service, address).content


@proves(SIZES)
def test_sizes_of_no_image_are_not_found_and_go_with_it(service: Service) -> None:
    event_id, address = uploaded(service, image())
    assert files_of(service, address) == {"", ".160.webp", ".640.webp", ".1280.webp"}
    refused(fetch(service, "/images/1-" + "0" * 32 + ".png?w=160"), 404, "not_found")
    refused(fetch(service, f"{address}.160.webp"), 404, "not_found")
    expect(service.creator.client.delete(f"/events/{event_id}/image"), 200)
    refused(fetch(service, f"{address}?w=160"), 404, "not_found")
    assert files_of(service, address) == set()


def test_sizes_of_an_older_image_are_made_once_when_they_are_wanted(service: Service) -> None:
    event_id, address = uploaded(service, image("PNG", 2000, 500))
    forget_sizes(service, address)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: fetch(service, f"{address}?w=640"), range(8)))
    for answer in answers:
        assert answer.status_code == 200
        # Who comes while they are being made gets the image itself, to be kept for a minute.
        is_size = answer.headers["content-type"] == "image/webp"
        assert opened(answer.content).size == ((640, 160) if is_size else (2000, 500))
        assert ("immutable" in answer.headers["cache-control"]) is is_size
    assert opened(fetch(service, f"{address}?w=640").content).size == (640, 160)
    assert files_of(service, address) == {"", ".160.webp", ".640.webp", ".1280.webp"}
    noted = service.look(lambda tx: tx.execute(sa.select(unused_images.c.object)).scalars().all())
    assert not [name for name in noted if name.startswith(f"{event_id}-")]

    expect(service.creator.client.delete(f"/events/{event_id}/image"), 200)
    assert files_of(service, address) == set()


def test_an_older_image_that_no_event_shows_gets_no_sizes(service: Service) -> None:
    event_id, address = uploaded(service, image())
    forget_sizes(service, address)
    name = address.rpartition("/")[2]
    content = (folder(service) / name).read_bytes()
    expect(service.creator.client.delete(f"/events/{event_id}/image"), 200)
    # As while its deletion waits for the storage.
    (folder(service) / name).write_bytes(content)
    assert fetch(service, f"{address}?w=160").content == content
    assert files_of(service, address) == {""}
    assert shown(service, event_id) == ""
