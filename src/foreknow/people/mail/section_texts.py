"""What stands in the sections of a mail of several notices, in the languages of the web client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from foreknow.people.users.schemas import UserLanguage

SectionName: TypeAlias = Literal["waiting", "results", "moves", "closing", "decided", "published", "talk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionTexts:
    """The sections' titles, in their order, and what stands below the name of an event.

    `{…}` are a notification's params, amounts as text.
    """

    titles: Mapping[SectionName, str]
    sides: Mapping[str, str]
    #: Of an end of trading: `{zone}` is its reader's time zone.
    zone: str
    settled: str
    #: What all settled positions of a mail brought.
    in_all: str
    bought: str
    sold: str
    outcome_added: str
    orders_ended: str
    alert: str
    trading_ends: str
    resolution_needed: str
    event_closed: str
    series_waiting: str
    resolved: str
    cancelled: str
    own_published: str
    creator_published: str
    tag_published: str
    reply: str
    comments: str
    #: A part of a whole, such as 62.5.
    percent: str
    decimal_point: str
    months: tuple[str, ...]


SECTION_TEXTS: Mapping[UserLanguage, SectionTexts] = {
    "en": SectionTexts(
        titles={
            "waiting": "Waiting for you",
            "results": "Your results",
            "moves": "What moved",
            "closing": "Closing soon",
            "decided": "Decided",
            "published": "New",
            "talk": "Replies and comments",
        },
        sides={"YES": "YES", "NO": "NO"},
        zone="times of {zone}",
        settled="{side}, {shares} shares: paid {payout}",
        in_all="In all",
        bought="order filled: bought {shares} {side}",
        sold="order filled: sold {shares} {side}",
        outcome_added="a new outcome: you hold {shares} {side}",
        orders_ended="your open orders have ended",
        alert="your price alert was at {limit}",
        trading_ends="trading ends",
        resolution_needed="could not be resolved by its rule",
        event_closed="trading has ended: resolve it",
        series_waiting="the next instance cannot open",
        resolved="resolved, all its pools are settled",
        cancelled="cancelled",
        own_published="your event was published",
        creator_published="by a creator you follow",
        tag_published="tag: {tag}",
        reply="a reply to your comment",
        comments="new comments",
        percent="{number}%",
        decimal_point=".",
        months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    ),
    "ru": SectionTexts(
        titles={
            "waiting": "Ждёт вас",
            "results": "Ваши результаты",
            "moves": "Что изменилось",
            "closing": "Скоро закончатся торги",
            "decided": "Итоги",
            "published": "Новое",
            "talk": "Ответы и комментарии",
        },
        sides={"YES": "ДА", "NO": "НЕТ"},
        zone="время: {zone}",
        settled="{side}, {shares} шт.: выплачено {payout}",
        in_all="Всего",
        bought="заявка исполнена: куплено {shares} {side}",
        sold="заявка исполнена: продано {shares} {side}",
        outcome_added="новый исход: у вас {shares} {side}",
        orders_ended="ваши открытые заявки закрыты",
        alert="ваше оповещение — {limit}",
        trading_ends="конец торгов",
        resolution_needed="не удалось подвести итог по правилу",
        event_closed="торги закончились: подведите итог",
        series_waiting="следующее событие серии не может открыться",
        resolved="подведён итог, все расчёты проведены",
        cancelled="отменено",
        own_published="ваше событие опубликовано",
        creator_published="от автора, за которым вы следите",
        tag_published="метка: {tag}",
        reply="ответ на ваш комментарий",
        comments="новые комментарии",
        percent="{number}\u00a0%",
        decimal_point=",",
        months=("янв.", "фев.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сен.", "окт.", "ноя.", "дек."),
    ),
}
