"""Notifications of what one follows; those of an event's end go to its creator, too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from foreknow.people.notifications.kind import (
    About,
    Content,
    MailReason,
    Said,
    Texts,
    won_words,
)
from foreknow.people.notifications.reader import Reader

_ARROW = "\u00a0→\u00a0"


@dataclass(frozen=True, kw_only=True)
class EventResolved(
    Content,
    about=About(
        kind="event_resolved",
        group="followed",
        section="decided",
        setting=Texts(
            "A question of mine, or one that I follow, is resolved",
            "Подведён итог моего вопроса или того, за которым я слежу",
        ),
        listed=Texts(
            "{decided, select, yes{Result: {result}.} other{Resolved.}}",
            "{decided, select, yes{Итог: {result}.} other{Итог подведён.}}",
        ),
    ),
):
    """All pools of an event are settled: one's own, or one that one follows."""

    followed: bool = False
    #: Names of what won, and what a YES share of each outcome of its only pool was paid; of older rows None and ().
    result: str | None = None
    payouts: tuple[float, ...] | None = ()

    def _en(self, reader: Reader) -> Said:
        whose = "" if self.followed else "Your event "
        return Said(
            f"{whose}“{self.event_name}” is resolved: all its pools are settled.",
            "resolved, all its pools are settled",
            self._won(reader),
        )

    def _ru(self, reader: Reader) -> Said:
        whose = "По событию" if self.followed else "По вашему событию"
        return Said(
            f"{whose} «{self.event_ru}» подведён итог: все расчёты проведены.",
            "подведён итог, все расчёты проведены",
            self._won(reader),
        )

    def _won(self, reader: Reader) -> str:
        return won_words(self.result or "", self.payouts, (self.event_name,), reader)

    @property
    def mail_reason(self) -> MailReason:
        """Why it is mailed."""
        return "followed" if self.followed else "chosen"


@dataclass(frozen=True, kw_only=True)
class EventCancelled(
    Content,
    about=About(
        kind="event_cancelled",
        group="followed",
        section="decided",
        setting=Texts(
            "A question of mine, or one that I follow, is cancelled",
            "Отменён мой вопрос или тот, за которым я слежу",
        ),
        listed=Texts(
            "Cancelled{noted, select, yes{: {note}} other{.}}",
            "Рынок отменён{noted, select, yes{: {note}} other{.}}",
        ),
    ),
):
    """An event was cancelled, for the reason that the note gives: one's own, or one that one follows."""

    note: str = ""
    followed: bool = False

    def _en(self, reader: Reader) -> Said:
        whose = "" if self.followed else "Your event "
        return self._said(f"{whose}“{self.event_name}” was cancelled", "cancelled")

    def _ru(self, reader: Reader) -> Said:
        whose = "Событие" if self.followed else "Ваше событие"
        return self._said(f"{whose} «{self.event_ru}» отменено", "отменено")

    def _said(self, sentence: str, short: str) -> Said:
        return Said(f"{sentence}: {self.note}", f"{short}: {self.note}") if self.note else Said(f"{sentence}.", short)

    @property
    def mail_reason(self) -> MailReason:
        """Why it is mailed."""
        return "followed" if self.followed else "chosen"


@dataclass(frozen=True, kw_only=True)
class EventClosing(
    Content,
    about=About(
        kind="event_closing",
        group="followed",
        section="closing",
        setting=Texts(
            "A question that I follow closes within a day", "Вопрос, за которым я слежу, закроется в течение суток"
        ),
        listed=Texts("It closes {finish}.", "Закроется {finish}."),
    ),
):
    """An event closes at an ISO 8601 time, UTC; it may be one where no one trades."""

    finish_at: str

    def _en(self, reader: Reader) -> Said:
        return Said(f"“{self.event_name}” closes at {self._minute}.", "closes", reader.moment(self.finish_at))

    def _ru(self, reader: Reader) -> Said:
        return Said(
            f"Событие «{self.event_ru}» закроется {self._minute}.",
            "закроется",
            reader.moment(self.finish_at),
        )

    @property
    def _minute(self) -> str:
        """Where no zone stands beside it: 2026-03-01 18:00 UTC."""
        return f"{self.finish_at[:16].replace('T', ' ')} UTC"


@dataclass(frozen=True, kw_only=True)
class EventComment(
    Content,
    about=About(
        kind="event_comment",
        group="followed",
        section="talk",
        setting=Texts("A question that I follow is discussed", "Обсуждают вопрос, за которым я слежу"),
        listed=Texts(
            "{count, plural, one{# new comment} other{# new comments}}.",
            "{count, plural, one{# новый комментарий} few{# новых комментария} many{# новых комментариев} "
            "other{# нового комментария}}.",
        ),
    ),
):
    """An event has some new comments."""

    adds_up = True

    count: int

    def _en(self, reader: Reader) -> Said:
        return Said(f"New comments on “{self.event_name}”: {self.count}.", "new comments", str(self.count))

    def _ru(self, reader: Reader) -> Said:
        sentence = f"Новые комментарии к событию «{self.event_ru}»: {self.count}."
        return Said(sentence, "новые комментарии", str(self.count))

    def plus(self, other: Self) -> Self:
        """Return both as one: they come once an hour."""
        return replace(self, count=self.count + other.count)


@dataclass(frozen=True, kw_only=True)
class EventMoved(
    Content,
    about=About(
        kind="event_moved",
        group="followed",
        section="moves",
        setting=Texts(
            "The chance in a question that I follow moves by 10 points",
            "Шанс в вопросе, за которым я слежу, сдвинулся на 10 пунктов",
        ),
        listed=Texts(
            "{named, select, yes{{outcome}: the chance} other{The chance}} moved from {before} to {after}.",
            "{named, select, yes{{outcome}: шанс} other{Шанс}} был {before}, стал {after}.",
        ),
    ),
):
    """A price of an event has moved far; basis points of YES."""

    market_name: str
    before_bps: int
    after_bps: int

    def _en(self, reader: Reader) -> Said:
        before, after = reader.percent(self.before_bps), reader.percent(self.after_bps)
        return self._said(f"{self.within(self.market_name)} moved from {before} to {after}.", reader)

    def _ru(self, reader: Reader) -> Said:
        before, after = reader.percent(self.before_bps), reader.percent(self.after_bps)
        return self._said(f"{self.within_ru(self.market_name)}: было {before}, стало {after}.", reader)

    def _said(self, sentence: str, reader: Reader) -> Said:
        figure = f"{reader.percent(self.before_bps)}{_ARROW}{reader.percent(self.after_bps)}"
        return Said(sentence, self.market_name, figure, "up" if self.after_bps > self.before_bps else "down")


@dataclass(frozen=True, kw_only=True)
class CreatorPublished(
    Content,
    about=About(
        kind="creator_published",
        group="followed",
        section="published",
        setting=Texts("Someone whom I follow publishes a question", "Тот, за кем я слежу, опубликовал вопрос"),
        listed=Texts("New from a creator you follow.", "Новое от автора, за которым вы следите."),
    ),
):
    """A creator whom one follows has published an event."""

    def _en(self, reader: Reader) -> Said:
        return Said(f"A creator you follow has published “{self.event_name}”.", "by a creator you follow")

    def _ru(self, reader: Reader) -> Said:
        sentence = f"Автор, за которым вы следите, открыл событие «{self.event_ru}»."
        return Said(sentence, "от автора, за которым вы следите")


@dataclass(frozen=True, kw_only=True)
class TagPublished(
    Content,
    about=About(
        kind="tag_published",
        group="followed",
        section="published",
        setting=Texts(
            "A question on a topic that I follow is published", "Опубликован вопрос на тему, за которой я слежу"
        ),
        listed=Texts("New with the topic {tag}.", "Новое на тему {tag}."),
    ),
):
    """An event with a tag that one follows was published."""

    tag: str

    def _en(self, reader: Reader) -> Said:
        return Said(f"A new event with the tag “{self.tag}”: “{self.event_name}”.", f"tag: {self.tag}")

    def _ru(self, reader: Reader) -> Said:
        return Said(f"Новое событие с меткой «{self.tag}»: «{self.event_ru}».", f"метка: {self.tag}")
