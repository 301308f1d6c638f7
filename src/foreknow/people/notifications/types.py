"""The types of notifications: what each says, in English and Russian, and whether it is mailed unless its user chooses.

A further type is one entry of `NotificationType` and one of `TYPES`. A text names no other person and quotes no
content: what its author later hides or deletes must not survive here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeGuard

#: The types of the contract (decisions.md, "Comments, chat, notifications"; site.md, "Following").
NotificationType: TypeAlias = Literal[
    "comment_reply",
    "position_settled",
    "event_published",
    "event_resolved",
    "event_cancelled",
    "event_closed",
    "resolution_needed",
    "series_waiting",
    "operator_answer",
    "order_filled",
    "orders_ended",
    "outcome_added",
    "event_closing",
    "event_comment",
    "event_moved",
    "price_alert",
    "creator_published",
    "tag_published",
]
#: When a type is mailed: never, at once, or with a day's others.
MailChoice: TypeAlias = Literal["off", "now", "daily"]
#: What a text says, for clients that write their own: fields of `schemas.NotificationParams`, which `record` checks.
Params: TypeAlias = Mapping[str, str | int]
#: Makes a text of the params, those that are amounts as text and without a sign (`payout` of `payout_kopecks`), and
#: `event`: the event's name in the text's language.
NoticeText: TypeAlias = Callable[[Params], str]


def is_type(text: str) -> TypeGuard[NotificationType]:
    """Return whether this release knows a type."""
    return text in TYPES


def _settled(params: Params) -> str:
    result = "loss" if int(params["pnl_kopecks"]) < 0 else "profit"
    return (
        f"Your position was settled: {params['shares']} {params['token_type']} shares of {_subject(params)} "
        f"paid {params['payout']}, {result} {params['pnl']}."
    )


def _settled_ru(params: Params) -> str:
    result = "убыток" if int(params["pnl_kopecks"]) < 0 else "прибыль"
    side = {"YES": "ДА", "NO": "НЕТ"}[str(params["token_type"])]
    return f"Расчёт по позиции {side}, {_subject_ru(params)}: выплачено {params['payout']}, {result} {params['pnl']}."


def _filled(params: Params) -> str:
    done = "bought" if params["action"] == "buy" else "sold"
    return (
        f"Your order was filled: {done} {params['shares']} {params['token_type']} shares of {_subject(params)} "
        f"for {params['amount']}."
    )


def _filled_ru(params: Params) -> str:
    done = "куплено" if params["action"] == "buy" else "продано"
    side = {"YES": "ДА", "NO": "НЕТ"}[str(params["token_type"])]
    return f"Ваша заявка исполнена: {done} {params['shares']} {side}, {_subject_ru(params)}, за {params['amount']}."


def _cancelled(params: Params) -> str:
    subject = f"“{params['event']}”" if params.get("followed") else f"Your event “{params['event']}”"
    return f"{subject} was cancelled" + _noted(params)


def _cancelled_ru(params: Params) -> str:
    subject = "Событие" if params.get("followed") else "Ваше событие"
    return f"{subject} «{params['event']}» отменено" + _noted(params)


def _waiting(params: Params) -> str:
    # Rows of earlier releases have no reason.
    reason = params.get("reason")
    return f"The next instance of “{params['event']}” cannot open" + (f": {reason}." if reason else ".")


def _subject(params: Params) -> str:
    market, event = params["market_name"], params["event"]
    return f"“{market}” in “{event}”" if market else f"“{event}”"


def _subject_ru(params: Params) -> str:
    market, event = params["market_name"], params["event"]
    return f"«{market}» в «{event}»" if market else f"«{event}»"


def _noted(params: Params) -> str:
    note = params.get("note")
    return f": {note}" if note else "."


def _resolved(params: Params) -> str:
    subject = "“{event}”" if params.get("followed") else "Your event “{event}”"
    return f"{subject} is resolved: all its pools are settled.".format_map(params)


def _resolved_ru(params: Params) -> str:
    subject = "По событию «{event}»" if params.get("followed") else "По вашему событию «{event}»"
    return f"{subject} подведён итог: все расчёты проведены.".format_map(params)


def _market(params: Params) -> str:
    market = params["market_name"]
    return f"“{market}” in “{params['event']}”" if market else f"“{params['event']}”"


def _market_ru(params: Params) -> str:
    market = params["market_name"]
    return f"«{market}» в «{params['event']}»" if market else f"«{params['event']}»"


def _percent(params: Params, name: str) -> str:
    """Return basis points as per cent: 6250 is 62.5."""
    return f"{int(params[name]) / 100:.2f}".rstrip("0").rstrip(".")


def _percent_ru(params: Params, name: str) -> str:
    return _percent(params, name).replace(".", ",")


def _moment(params: Params) -> str:
    """Return the end of trading to the minute: 2026-03-01 18:00 UTC."""
    return f"{str(params['finish_at'])[:16].replace('T', ' ')} UTC"


def _moved(params: Params) -> str:
    return f"{_market(params)} moved from {_percent(params, 'before_bps')}% to {_percent(params, 'after_bps')}%."


def _moved_ru(params: Params) -> str:
    before, after = _percent_ru(params, "before_bps"), _percent_ru(params, "after_bps")
    return f"{_market_ru(params)}: было {before} %, стало {after} %."


def _reached(params: Params) -> str:
    limit = "above_bps" if "above_bps" in params else "below_bps"
    way = "risen" if limit == "above_bps" else "fallen"
    reached = f"{_market(params)} has {way} to {_percent(params, 'after_bps')}%"
    return f"{reached}: your price alert was at {_percent(params, limit)}%."


def _reached_ru(params: Params) -> str:
    limit = "above_bps" if "above_bps" in params else "below_bps"
    way = "выросла" if limit == "above_bps" else "упала"
    reached = f"{_market_ru(params)}: вероятность {way} до {_percent_ru(params, 'after_bps')} %"
    return f"{reached}, ваше оповещение — {_percent_ru(params, limit)} %."


def _added(params: Params) -> str:
    return (
        f"“{params['market_name']}” is a new outcome of “{params['event']}”: your {params['shares']} YES shares of the "
        f"others together count for it, too."
    )


def _added_ru(params: Params) -> str:
    market = params.get("market_name_ru") or params["market_name"]
    return (
        f"В событии «{params['event']}» новый исход «{market}»: ваши {params['shares']} ДА прочих исходов теперь "
        f"считаются и за него."
    )


@dataclass(frozen=True, slots=True)
class TypeTexts:
    """What a type says, and when it is mailed to who has not chosen."""

    en: NoticeText
    ru: NoticeText
    mailed: MailChoice = "off"


TYPES: Mapping[NotificationType, TypeTexts] = {
    "comment_reply": TypeTexts(
        "Your comment on “{event}” has a new reply.".format_map,
        "На ваш комментарий к событию «{event}» ответили.".format_map,
    ),
    "position_settled": TypeTexts(_settled, _settled_ru, "now"),
    "event_published": TypeTexts(
        "Your event “{event}” was published.".format_map, "Ваше событие «{event}» опубликовано.".format_map
    ),
    "event_resolved": TypeTexts(_resolved, _resolved_ru),
    "event_cancelled": TypeTexts(_cancelled, _cancelled_ru),
    "event_closed": TypeTexts(
        "Trading in your event “{event}” has ended: resolve it.".format_map,
        "Торги в вашем событии «{event}» закончились: подведите итог.".format_map,
    ),
    "resolution_needed": TypeTexts(
        "A pool of your event “{event}” could not be resolved by its rule: resolve it by hand.".format_map,
        "Итог в вашем событии «{event}» не удалось подвести по правилу: подведите его сами.".format_map,
        "now",
    ),
    "series_waiting": TypeTexts(
        _waiting,
        "Следующее событие серии «{event}» не может открыться.".format_map,
    ),
    "operator_answer": TypeTexts(
        "Support has answered you in the chat.".format_map, "Поддержка ответила вам в чате.".format_map, "now"
    ),
    "order_filled": TypeTexts(_filled, _filled_ru),
    "orders_ended": TypeTexts(
        "Your open orders in “{event}” have ended; what they held is back.".format_map,
        "Ваши открытые заявки в событии «{event}» закрыты; удержанное возвращено.".format_map,
    ),
    "outcome_added": TypeTexts(_added, _added_ru),
    "event_closing": TypeTexts(
        lambda params: f"Trading in “{params['event']}” ends at {_moment(params)}.",
        lambda params: f"Торги в событии «{params['event']}» закончатся {_moment(params)}.",
    ),
    "event_comment": TypeTexts(
        "New comments on “{event}”: {count}.".format_map, "Новые комментарии к событию «{event}»: {count}.".format_map
    ),
    "event_moved": TypeTexts(_moved, _moved_ru),
    "price_alert": TypeTexts(_reached, _reached_ru, "now"),
    "creator_published": TypeTexts(
        "A creator you follow has published “{event}”.".format_map,
        "Автор, за которым вы следите, открыл событие «{event}».".format_map,
    ),
    "tag_published": TypeTexts(
        "A new event with the tag “{tag}”: “{event}”.".format_map,
        "Новое событие с меткой «{tag}»: «{event}».".format_map,
    ),
}
