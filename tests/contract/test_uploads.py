"""Decisions, PUT /events/{id}/image: whose bodies are received, and how many at once."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from tests.support.kinds import ONCE
from tests.support.pictures import image
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused
from tests.support.waiting import wait_until

MIB = 1024 * 1024
#: Zeros behind a JPEG are what cameras leave there.
LARGE = image("JPEG").ljust(MIB, b"\0")
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"


class Upload:
    """An upload whose body comes when the test wants it to."""

    def __init__(self, service: Service, person: Person, event_id: int, *, length: int | None = len(LARGE)) -> None:
        announced = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
        head = (
            f"PUT /api/v1/events/{event_id}/image HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {person.token}\r\n"
            f"Expect: 100-continue\r\n{announced}\r\nConnection: close\r\n\r\n"
        )
        self._socket = socket.create_connection(("127.0.0.1", service.server.port), timeout=60)
        self._socket.sendall(head.encode())

    def send(self, content: bytes) -> None:
        self._socket.sendall(content)

    def wanted(self) -> None:
        """Wait until the server asks for the body."""
        assert self._socket.recv(len(GO_ON), socket.MSG_WAITALL) == GO_ON

    def answer(self) -> bytes:
        """Return the answer, and hang up."""
        with self._socket, self._socket.makefile("rb") as answer:
            return answer.read()

    def close(self) -> None:
        self._socket.close()


@contextlib.contextmanager
def under_way(service: Service, person: Person, event_id: int) -> Iterator[Upload]:
    upload = Upload(service, person, event_id)
    try:
        upload.wanted()
        upload.send(LARGE[: MIB // 2])
        yield upload
    finally:
        upload.close()


@proves("decisions: rows 404; owner 403; state 409.")
@ONCE
def test_a_large_body_is_not_received_from_who_may_not_upload(service: Service) -> None:
    stranger, event_id = service.user(creator=True), service.event()["id"]
    for person, wanted_id, error in (
        (stranger, event_id, b"403"),
        (stranger, service.event(publish=False)["id"], b"404"),
        (service.creator, 999_999_999, b"404"),
    ):
        # Nothing of the body is sent, and nothing of it is requested.
        assert Upload(service, person, wanted_id).answer().startswith(b"HTTP/1.1 " + error)


@proves("decisions: ≤ 5 MiB) → 200 `{image_url}`; 400 `invalid_image`, 413.")
@ONCE
def test_a_body_announced_too_large_is_413_before_anything_is_looked_up(service: Service) -> None:
    upload = Upload(service, service.user(), 999_999_999, length=5 * MIB + 1)
    assert upload.answer().startswith(b"HTTP/1.1 413")


@ONCE
def test_of_a_body_without_a_length_only_the_beginning_is_received(service: Service) -> None:
    upload = Upload(service, service.user(), service.event()["id"], length=None)
    upload.wanted()
    upload.send(b"%x\r\n" % (128 * 1024) + bytes(128 * 1024) + b"\r\n")
    assert upload.answer().startswith(b"HTTP/1.1 403")


def test_a_large_body_comes_and_is_shown(service: Service) -> None:
    event_id = service.event()["id"]
    with under_way(service, service.creator, event_id) as upload:
        upload.send(LARGE[MIB // 2 :])
        assert upload.answer().startswith(b"HTTP/1.1 200")
    assert expect(service.admin.get(f"/events/{event_id}"), 200)["image_url"]


@proves("decisions: 429 with `Retry-After`")
@ONCE
def test_an_account_uploads_one_image_at_a_time(service: Service) -> None:
    creator, other = service.user(creator=True), service.user(creator=True)
    event_id = service.event(creator)["id"]
    path = f"/events/{event_id}/image"
    with under_way(service, creator, event_id) as upload:
        for content in (image(), LARGE):
            answer = creator.client.put(path, content=content)
            refused(answer, 429, "rate_limited")
            assert int(answer.headers["retry-after"]) >= 1
        expect(other.client.put(f"/events/{service.event(other)['id']}/image", content=LARGE), 200)
        upload.send(LARGE[MIB // 2 :])
        assert upload.answer().startswith(b"HTTP/1.1 200")
    expect(creator.client.put(path, content=image()), 200)


def test_an_upload_that_breaks_off_changes_nothing_and_gives_its_turn_back(service: Service) -> None:
    creator = service.user(creator=True)
    event_id = service.event(creator)["id"]
    path = f"/events/{event_id}/image"
    before = expect(creator.client.put(path, content=image()), 200)["image_url"]
    with under_way(service, creator, event_id):
        pass
    # Once the server has found out that the client sends no more, the next one may.
    answers = []

    def is_its_turn() -> bool:
        answers.append(creator.client.put(path, content=b"x" * 100_000))
        return answers[-1].status_code != 429

    wait_until(is_its_turn)
    refused(answers[-1], 400, "invalid_image")
    assert expect(creator.client.get(f"/events/{event_id}"), 200)["image_url"] == before


@ONCE
def test_a_process_takes_a_limited_number_of_large_images_at_a_time(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foreknow.market.images.routes.LARGE_MAX", 2)
    people = [service.user(creator=True) for _ in range(3)]
    ids = [service.event(person)["id"] for person in people]
    late = people[2].client
    with under_way(service, people[0], ids[0]), under_way(service, people[1], ids[1]) as second:
        refused(late.put(f"/events/{ids[2]}/image", content=LARGE), 429, "rate_limited")
        # Who may not upload hears of that first.
        refused(late.put(f"/events/{ids[0]}/image", content=LARGE), 403, "forbidden")
        second.send(LARGE[MIB // 2 :])
        assert second.answer().startswith(b"HTTP/1.1 200")
        expect(late.put(f"/events/{ids[2]}/image", content=LARGE), 200)
