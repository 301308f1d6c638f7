"""Storages: S3 over its real protocol, and what becomes of settings that name none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from moto.server import ThreadedMotoServer

from foreknow.kernel.settings import Settings
from foreknow.market.images import WrongImageStore, open_store
from foreknow.market.images.names import objects_of
from foreknow.market.images.objects import STORAGE_FAILURES
from foreknow.market.images.store import LEASE_MS
from tests.support.http import NO_TLS
from tests.support.pictures import image, opened
from tests.support.service import Service, expect, refused

KEYS = {"access_key_id": "testing", "secret_access_key": "testing", "region": "us-east-1"}


class Bucket:
    """An S3 service with a bucket, which can be switched off and on again."""

    def __init__(self) -> None:
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        _, self.port = self._server.get_host_and_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.url = "s3://covers/of/events"
        httpx.put(f"{self.endpoint}/covers", trust_env=False, verify=NO_TLS).raise_for_status()

    def objects(self) -> set[str]:
        listed = (
            httpx.get(f"{self.endpoint}/covers?list-type=2", trust_env=False, verify=NO_TLS).raise_for_status().text
        )
        return {piece.partition("</Key>")[0] for piece in listed.split("<Key>")[1:]}

    def content_type(self, key: str) -> str:
        signed = (
            "AWS4-HMAC-SHA256 Credential=testing/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
        )
        answer = httpx.head(f"{self.endpoint}/covers/{key}", headers={"Authorization": signed}, trust_env=False)
        return str(answer.raise_for_status().headers["content-type"])

    def stop(self) -> None:
        self._server.stop()

    def go_on(self) -> None:
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=self.port, verbose=False)
        self._server.start()


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    made = Bucket()
    httpx.post(f"{made.endpoint}/moto-api/reset", trust_env=False, verify=NO_TLS)
    httpx.put(f"{made.endpoint}/covers", trust_env=False, verify=NO_TLS).raise_for_status()
    yield made
    made.stop()


def start(start_service: Callable[..., Service], bucket: Bucket) -> Service:
    text = json.dumps({**KEYS, "endpoint": bucket.endpoint})
    options = Settings.model_validate({"image_store_options": text}).image_store_options
    return start_service(image_store_url=bucket.url, image_store_options=options)


def test_images_are_kept_in_s3(start_service: Callable[..., Service], bucket: Bucket) -> None:
    service = start(start_service, bucket)
    client = service.creator.client
    event_id = service.event()["id"]

    address = expect(client.put(f"/events/{event_id}/image", content=image("WEBP")), 200)["image_url"]
    key = "of/events/" + address.removeprefix("/images/")
    assert bucket.objects() == set(objects_of(key))
    for stored in objects_of(key):
        assert bucket.content_type(stored) == "image/webp"
    small = httpx.get(f"{service.url}{address}?w=160", trust_env=False, verify=NO_TLS)
    assert opened(small.content).size == (64, 32)
    served = httpx.get(service.url + address, trust_env=False, verify=NO_TLS)
    assert opened(served.content).size == (64, 32)
    assert served.headers["content-type"] == "image/webp"
    assert httpx.head(service.url + address, trust_env=False).headers["content-length"] == str(len(served.content))

    expect(client.put(f"/events/{event_id}/image", content=image("PNG")), 200)
    assert len(bucket.objects()) == 4
    assert key not in bucket.objects()
    assert httpx.get(service.url + address, trust_env=False, verify=NO_TLS).status_code == 404
    assert httpx.head(service.url + address, trust_env=False).status_code == 404

    expect(client.delete(f"/events/{event_id}/image"), 200)
    assert bucket.objects() == set()


@pytest.mark.slow
def test_while_s3_is_down_rows_tell_the_truth_and_objects_go_later(
    start_service: Callable[..., Service], bucket: Bucket
) -> None:
    service = start(start_service, bucket)
    client = service.creator.client
    event_id = service.event()["id"]
    expect(client.put(f"/events/{event_id}/image", content=image()), 200)
    bucket.stop()

    refused(client.put(f"/events/{event_id}/image", content=image()), 500, "internal_error")
    assert expect(client.get(f"/events/{event_id}"), 200)["image_url"] != ""
    expect(client.delete(f"/events/{event_id}/image"), 200)
    assert expect(client.get(f"/events/{event_id}"), 200)["image_url"] == ""

    bucket.go_on()
    assert len(bucket.objects()) == 4
    service.clock.advance(LEASE_MS)
    service.server.run(service.app.services.images.clear())
    assert bucket.objects() == set()


@pytest.mark.parametrize("url", ["s3://", "http://example.org/x", "memory:///", "ftp://example.org/", "images"])
def test_settings_that_name_no_storage_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(WrongImageStore):
        open_store(url, {}, data_dir=tmp_path)


def test_a_wrong_option_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(WrongImageStore) as wrong:
        open_store("s3://covers", {"secret_acces_key": "hush"}, data_dir=tmp_path)
    assert "hush" not in str(wrong.value)


async def test_credentials_may_come_from_the_environment(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**KEYS, "endpoint_url": bucket.endpoint}.items():
        monkeypatch.setenv(f"AWS_{name.upper()}", value)
    store = open_store(bucket.url, {}, data_dir=tmp_path)
    await store.put("x.png", b"content", "image/png")
    assert bucket.objects() == {"of/events/x.png"}


async def test_a_folder_may_be_named_by_a_url(tmp_path: Path) -> None:
    folder = tmp_path / "обложки и прочее#1"
    store = open_store("file://" + quote(str(folder)), {}, data_dir=tmp_path)
    assert await store.find("x.png") is None
    assert await store.size("x.png") is None
    await store.delete("x.png")
    await store.put("x.png", b"content", "image/png")
    assert (folder / "x.png").read_bytes() == b"content"
    assert await store.size("x.png") == 7
    await store.delete("x.png")
    assert list(folder.iterdir()) == []


async def test_a_folder_that_cannot_be_written_fails_as_a_storage_does(tmp_path: Path) -> None:
    (tmp_path / "images").write_text("a file where the folder should be")
    with pytest.raises(STORAGE_FAILURES):
        await open_store("", {}, data_dir=tmp_path).put("x.png", b"content", "image/png")
