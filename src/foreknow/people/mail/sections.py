"""The sections of a mail of several notices: what waits for its reader, what they won, what moved, what closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from foreknow.kernel.clock import millis
from foreknow.kernel.currency import Currency
from foreknow.kernel.time_zones import local_time
from foreknow.people.mail.messages import MailItem, MailSection, Tone
from foreknow.people.mail.section_texts import SECTION_TEXTS, SectionName, SectionTexts
from foreknow.people.notifications.messages import text_of
from foreknow.people.notifications.types import NotificationType, Params
from foreknow.people.users.schemas import UserLanguage

SECTION_OF: Mapping[NotificationType, SectionName] = {
    "resolution_needed": "waiting",
    "event_closed": "waiting",
    "series_waiting": "waiting",
    "operator_answer": "waiting",
    "position_settled": "results",
    "order_filled": "results",
    "orders_ended": "results",
    "price_alert": "moves",
    "event_moved": "moves",
    "event_closing": "closing",
    "event_resolved": "decided",
    "event_cancelled": "decided",
    "event_published": "published",
    "creator_published": "published",
    "tag_published": "published",
    "outcome_added": "published",
    "comment_reply": "talk",
    "event_comment": "talk",
}
_ARROW = "\u00a0→\u00a0"


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice of a mail, and the link that belongs to it."""

    type: NotificationType
    params: Params
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How the reader of a mail reads amounts, times and words."""

    language: UserLanguage
    zone: str
    currency: Currency


#: What stands below an event's name, and the figure beside it.
_Shown: TypeAlias = tuple[str, str, Tone]


def sections_of(notices: Sequence[ShownNotice], reader: Reader, *, is_whole: bool) -> list[MailSection]:
    """Return the sections of a mail, each with its notices, oldest first; equal ones are one, with their number.

    `is_whole`: the mail names all of its notices, so that what they brought can be added up.
    """
    texts = SECTION_TEXTS[reader.language]
    by_section: dict[SectionName, list[ShownNotice]] = {name: [] for name in texts.titles}
    for notice in notices:
        by_section[SECTION_OF[notice.type]].append(notice)
    found: list[MailSection] = []
    for name, held in by_section.items():
        if held:
            note = texts.zone.format(zone=reader.zone) if name == "closing" else ""
            total = _in_all(held, reader) if is_whole and name == "results" else None
            found.append(MailSection(title=texts.titles[name], items=_items(held, reader), note=note, total=total))
    return found


def day_of(at_ms: int, reader: Reader) -> str:
    """Return the day of a moment where the reader lives: 24 Nov."""
    local = local_time(at_ms, reader.zone)
    return f"{local.day}\u00a0{SECTION_TEXTS[reader.language].months[local.month - 1]}"


def _items(held: Sequence[ShownNotice], reader: Reader) -> list[MailItem]:
    found: dict[tuple[NotificationType, str], tuple[ShownNotice, int]] = {}
    for notice in held:
        # Comments come once an hour: their numbers are added up.
        is_counted = notice.type == "event_comment"
        key = (notice.type, notice.link if is_counted else notice.link + _sentence(notice, reader))
        first, times = found.get(key, (notice, 0))
        found[key] = (first, times + (int(notice.params["count"]) if is_counted else 1))
    return [
        _item(replace(first, params={**first.params, "count": times}), reader, times=1)
        if first.type == "event_comment"
        else _item(first, reader, times=times)
        for first, times in found.values()
    ]


def _item(notice: ShownNotice, reader: Reader, *, times: int) -> MailItem:
    params = notice.params
    name = str((reader.language == "ru" and params.get("event_name_ru")) or params.get("event_name", ""))
    detail, figure, tone = _shown(notice, reader) if name else ("", "", "")
    market = str((reader.language == "ru" and params.get("market_name_ru")) or params.get("market_name", ""))
    repeated = f"×{times}" if times > 1 else ""
    return MailItem(
        text=f"{_sentence(notice, reader)} {repeated}".rstrip(),
        link=notice.link,
        name=name or _sentence(notice, reader),
        detail=" · ".join(part for part in (market, detail) if part),
        figure=" ".join(part for part in (figure, repeated) if part),
        tone=tone,
    )


def _sentence(notice: ShownNotice, reader: Reader) -> str:
    return text_of(notice.type, notice.params, reader.currency, reader.language)


def _shown(notice: ShownNotice, reader: Reader) -> _Shown:
    texts, params = SECTION_TEXTS[reader.language], notice.params
    if notice.type in {"position_settled", "order_filled"}:
        return _money(notice, texts, reader)
    if notice.type in {"event_moved", "price_alert"}:
        return _move(notice, texts)
    if notice.type == "event_closing":
        return texts.trading_ends, _moment(str(params["finish_at"]), reader), ""
    if notice.type == "outcome_added":
        held = {"shares": params["shares"], "side": texts.sides[str(params["token_type"])]}
        return texts.outcome_added.format(**held), "", ""
    if notice.type == "event_comment":
        return texts.comments, str(params["count"]), ""
    details: Mapping[NotificationType, str] = {
        "orders_ended": texts.orders_ended,
        "resolution_needed": texts.resolution_needed,
        "event_closed": texts.event_closed,
        "series_waiting": texts.series_waiting,
        "event_resolved": texts.resolved,
        "event_cancelled": ": ".join(part for part in (texts.cancelled, str(params.get("note", ""))) if part),
        "event_published": texts.own_published,
        "creator_published": texts.creator_published,
        "tag_published": texts.tag_published.format(tag=params.get("tag", "")),
        "comment_reply": texts.reply,
    }
    return details.get(notice.type, ""), "", ""


def _money(notice: ShownNotice, texts: SectionTexts, reader: Reader) -> _Shown:
    params = notice.params
    shown = {"shares": params["shares"], "side": texts.sides[str(params["token_type"])]}
    if notice.type == "order_filled":
        text = texts.bought if params["action"] == "buy" else texts.sold
        return text.format(**shown), reader.currency.written(int(params["amount_kopecks"]), reader.language), ""
    payout = reader.currency.written(int(params["payout_kopecks"]), reader.language)
    profit, tone = _profit(int(params["pnl_kopecks"]), reader)
    return texts.settled.format(**shown, payout=payout), profit, tone


def _profit(kopecks: int, reader: Reader) -> tuple[str, Tone]:
    written = reader.currency.written(kopecks, reader.language)
    tone: Tone = "up" if kopecks > 0 else "down" if kopecks < 0 else ""
    return (f"+{written}" if kopecks > 0 else written), tone


def _in_all(held: Sequence[ShownNotice], reader: Reader) -> MailItem | None:
    """Return what the settled positions brought together; None where there are not several."""
    profits = [int(one.params["pnl_kopecks"]) for one in held if one.type == "position_settled"]
    if len(profits) == 1 or not profits:
        return None
    figure, tone = _profit(sum(profits), reader)
    title = SECTION_TEXTS[reader.language].in_all
    return MailItem(text=f"{title}: {figure}", link="", name=title, figure=figure, tone=tone)


def _move(notice: ShownNotice, texts: SectionTexts) -> _Shown:
    params = notice.params
    after = _percent(int(params["after_bps"]), texts)
    if notice.type == "event_moved":
        has_risen = int(params["after_bps"]) > int(params["before_bps"])
        return "", f"{_percent(int(params['before_bps']), texts)}{_ARROW}{after}", "up" if has_risen else "down"
    limit: Literal["above_bps", "below_bps"] = "above_bps" if "above_bps" in params else "below_bps"
    said = texts.alert.format(limit=_percent(int(params[limit]), texts))
    return said, after, "up" if limit == "above_bps" else "down"


def _percent(bps: int, texts: SectionTexts) -> str:
    number = f"{bps / 100:.2f}".rstrip("0").rstrip(".").replace(".", texts.decimal_point)
    return texts.percent.format(number=number)


def _moment(finish_at: str, reader: Reader) -> str:
    finish_at_ms = millis(datetime.fromisoformat(finish_at))
    local = local_time(finish_at_ms, reader.zone)
    return f"{day_of(finish_at_ms, reader)}, {local.hour:02}:{local.minute:02}"
