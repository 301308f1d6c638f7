"""What every kind of notification declares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

from foreknow.money.pricing import Side
from foreknow.people.notifications.reader import Reader

#: When a kind is mailed: never, at once, or with a day's others.
MailChoice: TypeAlias = Literal["off", "now", "daily"]
#: Under which heading of the settings a kind stands: what one does, follows, or runs.
Group: TypeAlias = Literal["own", "followed", "run"]
#: Under which title of a mail of several a kind stands, in their order; in the web client, what its filters choose.
Section: TypeAlias = Literal["waiting", "results", "moves", "closing", "decided", "published", "talk"]
#: Why a notification is mailed: the settings say so, one follows what it is about, or has set a price alert.
MailReason: TypeAlias = Literal["chosen", "followed", "alert"]
#: Whether a figure is good or bad news.
Tone: TypeAlias = Literal["", "up", "down"]


class Texts(NamedTuple):
    """A text in each language of the web client."""

    en: str
    ru: str


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a kind is, apart from its parameters and what they say."""

    #: As clients know it.
    kind: str
    group: Group
    section: Section
    #: Whether it is listed for who has not chosen, and when it is mailed to them.
    listed_first: bool = True
    mailed: MailChoice = "off"
    #: A path of the web client, for one that does not lead to its event.
    link: str = ""
    #: What one is notified of, in the settings.
    setting: Texts
    #: What the web client's list says, with the arguments of `web/src/screens/notifications/lines.ts` (ICU
    #: MessageFormat).
    listed: Texts


@dataclass(frozen=True, slots=True)
class Said:
    """What a notification says in one language."""

    #: A sentence that stands alone: the `text` of the interface, and the subject of a mail.
    sentence: str
    #: The same below the name of its event, with a figure beside it.
    short: str
    figure: str = ""
    tone: Tone = ""
    #: What it brought, which a mail of several adds up.
    earned_kopecks: int | None = None
    #: Why, which mails say below it; "" for nothing.
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Content(ABC):
    """What a notification holds: the parameters of its kind, and their words. Each kind is a subclass.

    Parameters are fields of `kinds.NotificationParams`, which clients get, or have a default and make the words
    alone. A text names no other person and quotes no content: what its author later hides must not survive here. Why
    a result is as it is, and the answer to an objection, no one hides.
    """

    about: ClassVar[About]
    #: Whether those of one event that come together are one, with the sum of their numbers.
    adds_up: ClassVar[bool] = False

    #: "" for a notification of no event, and of an event without a Russian name.
    event_name: str = ""
    event_name_ru: str = ""

    def __init_subclass__(cls, *, about: About) -> None:
        """Declare a kind."""
        cls.about = about

    @abstractmethod
    def _en(self, reader: Reader) -> Said:
        """Return what it says in English."""

    @abstractmethod
    def _ru(self, reader: Reader) -> Said:
        """Return what it says in Russian."""

    def said(self, reader: Reader) -> Said:
        """Return what it says to its reader."""
        return self._ru(reader) if reader.language == "ru" else self._en(reader)

    @property
    def event_ru(self) -> str:
        """The event's name in Russian."""
        return self.event_name_ru or self.event_name

    def within(self, market: str) -> str:
        """Return an outcome and the event in English; one that is called as its event is not named twice."""
        is_apart = market not in {"", self.event_name}
        return f"“{market}” in “{self.event_name}”" if is_apart else f"“{self.event_name}”"

    def within_ru(self, market: str, market_ru: str = "") -> str:
        """Return the same in Russian."""
        name = "" if market == self.event_name else market_ru or market
        return f"«{name}» в «{self.event_ru}»" if name not in {"", self.event_ru} else f"«{self.event_ru}»"

    @property
    def mail_reason(self) -> MailReason:
        """Why it is mailed."""
        return "followed" if self.about.group == "followed" else "chosen"

    def plus(self, other: Self) -> Self:
        """Return both as one line of a mail: this, or (`adds_up`) the sum of their numbers."""
        return self

    def params(self) -> Mapping[str, Any]:
        """Return the parameters as a row has them: without those that are as by default."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) != one.default}


#: Longest reason that a notification holds: the rest stands on the event's page.
WHY_MAX = 200


def shortened(why: str) -> str:
    """Return a reason as a notification holds it."""
    return why if len(why) <= WHY_MAX else why[: WHY_MAX - 1].rstrip() + "…"


def because(title: str, why: str) -> str:
    """Return a reason under its title; "" for none."""
    return f"{title}: {why}" if why else ""


def joined(*parts: str) -> str:
    """Return the parts that are there: an outcome, and what happened to it."""
    return " · ".join(filter(None, parts))


def tone_of(kopecks: int) -> Tone:
    """Return the tone of a profit or loss."""
    return "up" if kopecks > 0 else "down" if kopecks < 0 else ""


def won_words(result: str, payouts: tuple[float, ...] | None, questions: Collection[str], reader: Reader) -> str:
    """Return what won in words: of a single market, named as its question or NO, its side; "" without a winner."""
    if not result and payouts == (0, 1):
        return reader.side(Side.NO)
    return reader.side(Side.YES) if payouts == (1, 0) and result in questions else result
