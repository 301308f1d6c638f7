"""What each kind of notification declares is whole, and all that follows from it is current."""

from __future__ import annotations

import runpy
from dataclasses import MISSING, fields
from pathlib import Path
from typing import NamedTuple

import pytest

from foreknow.kernel.currency import ROUBLES
from foreknow.people.notifications.kind import Content
from foreknow.people.notifications.kinds import KINDS, AnyContent, NotificationParams, stored_content
from foreknow.people.notifications.kinds.followed import EventCancelled, EventResolved
from foreknow.people.notifications.kinds.run import EventPublished
from foreknow.people.notifications.kinds.verdicts import VerdictHeld
from foreknow.people.notifications.messages import NewNotifications
from foreknow.people.notifications.reader import Reader

ENGLISH, RUSSIAN = Reader(currency=ROUBLES), Reader(currency=ROUBLES, language="ru")
SCRIPT = runpy.run_path(str(Path(__file__).parents[3] / "bin" / "write_notifications.py"))


class Named(NamedTuple):
    id: int
    name: str
    name_ru: str


def test_each_kind_that_is_declared_is_among_those_that_are_sent() -> None:
    assert {*Content.__subclasses__()} == {*KINDS.values()}, "not in `AnyContent`"


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_clients_get_each_parameter_that_a_kind_cannot_do_without(kind: type[AnyContent]) -> None:
    needed = {one.name for one in fields(kind) if one.default is MISSING}

    assert needed - {*NotificationParams.__struct_fields__} == set(), "no fields of `NotificationParams`"


def test_what_the_web_client_has_of_kinds_is_current() -> None:
    for path, text in SCRIPT["files"]().items():
        assert path.read_text() == text, "run `just openapi`"


def test_what_a_name_holds_is_no_part_of_the_texts_form() -> None:
    event = Named(7, "{event_name} {0} %s", "")
    (published,) = NewNotifications(event, at_ms=1).add(3, EventPublished())

    assert published.content.said(ENGLISH).sentence == "Your event “{event_name} {0} %s” was published."
    assert published.content.said(RUSSIAN).sentence == "Ваше событие «{event_name} {0} %s» опубликовано."
    assert (published.event_id, published.content.params()) == (7, {"event_name": event.name})


def test_a_question_that_is_called_as_its_event_is_named_once() -> None:
    names = {"pool_name": "Rain?", "pool_name_ru": "Дождь?", "held_until": "2026-03-01T18:00:00.000Z"}
    alone = VerdictHeld(event_name="Rain?", event_name_ru="Дождь?", **names)
    among = VerdictHeld(event_name="Weather", event_name_ru="Погода", **names)

    for content, english, russian in (
        (alone, "“Rain?”", "«Дождь?»"),
        (among, "“Rain?” in “Weather”", "«Дождь?» в «Погода»"),
    ):
        assert content.said(ENGLISH).sentence == (
            f"Someone objects to the result of {english}: payment waits for the team, until 2026-03-01 18:00 UTC at "
            "the latest."
        )
        assert content.said(RUSSIAN).sentence == (
            f"Есть возражение против итога {russian}: выплата ждёт решения команды, самое позднее до 2026-03-01 18:00 "
            "UTC."
        )
    # An outcome has no Russian name here; that of a single market is its question's.
    assert alone.within_ru("Rain?") == "«Дождь?»"


def test_what_another_release_wrote_has_no_words_and_is_no_error() -> None:
    assert stored_content("event_renamed", {"event_name": "Cup"}) is None
    assert stored_content("event_moved", {"event_name": "Cup"}) is None
    assert stored_content("event_moved", None) is None
    assert stored_content("event_resolved", {"followed": 1, "oddity": 2}) == EventResolved(followed=True)


def test_who_follows_an_event_is_mailed_of_its_end_for_that_reason_and_its_creator_is_not() -> None:
    assert [EventResolved(followed=one).mail_reason for one in (True, False)] == ["followed", "chosen"]
    assert [EventCancelled(followed=one).mail_reason for one in (True, False)] == ["followed", "chosen"]
