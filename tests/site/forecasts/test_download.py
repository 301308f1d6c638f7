"""One's own forecasts as CSV: all of them, whatever a page would show."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from foreknow.site.forecasts import routes
from foreknow.site.forecasts.download import row_of
from foreknow.site.forecasts.schemas import UserForecast
from foreknow.web.downloads import csv_lines
from tests.support.kinds import ONCE
from tests.support.service import Person, Service, expect, pool, refused

CSV = {"Accept": "text/csv"}


def say(person: Person, pool_id: int, probabilities: list[float], **fields: str) -> Any:
    body = {"probabilities": probabilities, **fields}
    return expect(person.client.put(f"/pools/{pool_id}/forecast", json=body), 200)


def downloaded(person: Person, **query: Any) -> list[dict[str, str]]:
    answer = person.client.get("/users/me/forecasts", params=query, headers=CSV)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="forecasts.csv"'
    assert answer.content.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def test_a_person_downloads_all_of_their_forecasts(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "PIECE_LINES", 2)
    person = service.user()
    event = service.event(
        name="Who, and how?", name_ru="Кто, и как?", pools=[pool(["A", "B", "C"]), *(pool() for _ in range(4))]
    )
    three, *others = (one["id"] for one in event["pools"])
    say(person, three, [0.2, 0.3, 0.5], note='=1+1, said "Ann"\nand Bob')
    for pool_id in others:
        say(person, pool_id, [0.7])
    expect(person.client.delete(f"/pools/{others[0]}/forecast"), 200)

    rows = downloaded(person, limit=1)
    pages = expect(person.client.get("/users/me/forecasts"), 200)["forecasts"]
    assert [int(row["pool_id"]) for row in rows] == [one["pool_id"] for one in pages] == [*others[::-1], three]
    assert list(rows[0]) == list(pages[0])
    for row, one in zip(rows, pages, strict=True):
        assert [float(text) for text in row["probabilities"].split(" ")] == one["probabilities"]
        assert (row["stands"] == "true", row["created_at"]) == (one["stands"], one["created_at"])
        assert (row["won_side"], row["score"], row["coverage"]) == ("", "", "")
    assert rows[-1]["event_name_ru"] == "Кто, и как?"
    # A spreadsheet would run it.
    assert rows[-1]["note"] == "'" + pages[-1]["note"]


@ONCE
def test_who_has_said_nothing_downloads_the_head_alone(service: Service) -> None:
    person = service.user()
    assert downloaded(person) == []
    refused(service.client().get("/users/me/forecasts", headers=CSV), 401, "unauthorized")
    refused(person.client.get("/users/me/forecasts", params={"limit": 0}, headers=CSV), 400, "invalid_limit")
    head = person.client.head("/users/me/forecasts", headers=CSV)
    assert (head.status_code, head.content) == (200, b"")


def test_scores_are_numbers_below_0_too() -> None:
    said = UserForecast(
        event_id=3,
        event_name="-1 °C?",
        event_name_ru="",
        pool_id=5,
        pool_name="",
        pool_name_ru="",
        probabilities=(1 / 3, 2 / 3),
        note="",
        created_at="2026-03-01T18:00:00.000Z",
        stands=False,
        won_side=None,
        score=-12.25,
        coverage=0.1,
    )
    line = csv_lines([row_of(said)]).decode()
    assert line == (
        "3,'-1 °C?,,5,,,0.3333333333333333 0.6666666666666666,,2026-03-01T18:00:00.000Z,false,,-12.25,0.1\r\n"
    )
