"""Notifications of what one runs: events and series of one's own."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.people.notifications.kind import About, Content, Said, Texts
from foreknow.people.notifications.reader import Reader


@dataclass(frozen=True, kw_only=True)
class EventPublished(
    Content,
    about=About(
        kind="event_published",
        group="run",
        section="published",
        setting=Texts("A question of mine is published", "Мой вопрос опубликован"),
        listed=Texts("Published: your question is open.", "Опубликовано: ваш вопрос открыт."),
    ),
):
    """An event was published."""

    def _en(self, reader: Reader) -> Said:
        return Said(f"Your event “{self.event_name}” was published.", "your event was published")

    def _ru(self, reader: Reader) -> Said:
        return Said(f"Ваше событие «{self.event_ru}» опубликовано.", "ваше событие опубликовано")


@dataclass(frozen=True, kw_only=True)
class EventClosed(
    Content,
    about=About(
        kind="event_closed",
        group="run",
        section="waiting",
        setting=Texts("A question of mine closes", "Мой вопрос закрылся"),
        listed=Texts("It has closed: what is the result?", "Вопрос закрыт: каков итог?"),
    ),
):
    """Trading in an event has ended, and it has no result yet."""

    def _en(self, reader: Reader) -> Said:
        return Said(f"Your event “{self.event_name}” has closed: resolve it.", "closed: resolve it")

    def _ru(self, reader: Reader) -> Said:
        sentence = f"Ваше событие «{self.event_ru}» закрылось: подведите итог."
        return Said(sentence, "закрылось: подведите итог")


@dataclass(frozen=True, kw_only=True)
class ResolutionNeeded(
    Content,
    about=About(
        kind="resolution_needed",
        group="run",
        section="waiting",
        mailed="now",
        setting=Texts("A question of mine needs a result", "Моему вопросу нужен итог"),
        listed=Texts("It needs you to decide its result.", "Нужно ваше решение об итоге."),
    ),
):
    """A pool could not be resolved by its rule."""

    def _en(self, reader: Reader) -> Said:
        sentence = f"A pool of your event “{self.event_name}” could not be resolved by its rule: resolve it by hand."
        return Said(sentence, "could not be resolved by its rule")

    def _ru(self, reader: Reader) -> Said:
        sentence = f"Итог в вашем событии «{self.event_ru}» не удалось подвести по правилу: подведите его сами."
        return Said(sentence, "не удалось подвести итог по правилу")


@dataclass(frozen=True, kw_only=True)
class SeriesWaiting(
    Content,
    about=About(
        kind="series_waiting",
        group="run",
        section="waiting",
        setting=Texts("A series of mine cannot go on", "Моя серия не может продолжиться"),
        listed=Texts(
            "The series waits: its next question could not open.",
            "Серия ждёт: следующий рынок не смог открыться.",
        ),
    ),
):
    """The next instance of a series cannot open, for a reason in English."""

    reason: str = ""

    def _en(self, reader: Reader) -> Said:
        why = f": {self.reason}" if self.reason else ""
        return Said(f"The next instance of “{self.event_name}” cannot open{why}.", "the next instance cannot open")

    def _ru(self, reader: Reader) -> Said:
        sentence = f"Следующее событие серии «{self.event_ru}» не может открыться."
        return Said(sentence, "следующее событие серии не может открыться")


@dataclass(frozen=True, kw_only=True)
class SettingsChanged(
    Content,
    about=About(
        kind="settings_changed",
        group="run",
        section="decided",
        mailed="now",
        link="/admin",
        setting=Texts("The site's settings change", "Меняются настройки сайта"),
        listed=Texts("The site's settings were changed.", "Настройки сайта изменены."),
    ),
):
    """Another admin, or a command, has changed the site's settings."""

    def _en(self, reader: Reader) -> Said:
        return Said("The site's settings were changed: the admin log says how.", "")

    def _ru(self, reader: Reader) -> Said:
        return Said("Настройки сайта изменены: что именно, видно в журнале.", "")
