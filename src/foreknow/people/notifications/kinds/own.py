"""Notifications of what one does: comments, positions, orders, price alerts, questions to support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from foreknow.money.pricing import Side
from foreknow.people.notifications.kind import (
    About,
    Content,
    MailReason,
    Said,
    Texts,
    because,
    joined,
    tone_of,
)
from foreknow.people.notifications.reader import Reader

#: A path of the web client.
_ORDERS = "/portfolio?tab=orders&orders=all"


@dataclass(frozen=True, kw_only=True)
class CommentReply(
    Content,
    about=About(
        kind="comment_reply",
        group="own",
        section="talk",
        setting=Texts("Someone answers my comment", "На мой комментарий ответили"),
        listed=Texts(
            "{count, plural, one{Your comment has a reply.} other{Your comments have # replies.}}",
            "{count, plural, =1{На ваш комментарий ответили.} one{# ответ на ваши комментарии.} "
            "few{# ответа на ваши комментарии.} many{# ответов на ваши комментарии.} "
            "other{# ответа на ваши комментарии.}}",
        ),
    ),
):
    """A comment has a reply."""

    def _en(self, reader: Reader) -> Said:
        return Said(f"Your comment on “{self.event_name}” has a new reply.", "a reply to your comment")

    def _ru(self, reader: Reader) -> Said:
        return Said(f"На ваш комментарий к событию «{self.event_ru}» ответили.", "ответ на ваш комментарий")


@dataclass(frozen=True, kw_only=True)
class CommentMentioned(
    Content,
    about=About(
        kind="comment_mention",
        group="own",
        section="talk",
        setting=Texts("Someone names me in a comment", "Меня упомянули в комментарии"),
        listed=Texts(
            "{count, plural, one{A comment names you.} other{# comments name you.}}",
            "{count, plural, =1{Вас упомянули в комментарии.} one{Вас упомянули в # комментарии.} "
            "few{Вас упомянули в # комментариях.} many{Вас упомянули в # комментариях.} "
            "other{Вас упомянули в # комментариях.}}",
        ),
    ),
):
    """A comment names its reader."""

    def _en(self, reader: Reader) -> Said:
        return Said(f"A comment on “{self.event_name}” names you.", "a comment names you")

    def _ru(self, reader: Reader) -> Said:
        return Said(f"Вас упомянули в комментарии к событию «{self.event_ru}».", "вас упомянули в комментарии")


@dataclass(frozen=True, kw_only=True)
class OperatorAnswer(
    Content,
    about=About(
        kind="operator_answer",
        group="own",
        section="waiting",
        mailed="now",
        link="/support",
        setting=Texts("Support answers me", "Мне ответила поддержка"),
        listed=Texts("Support has answered you.", "Поддержка вам ответила."),
    ),
):
    """Support has answered in the chat."""

    def _en(self, reader: Reader) -> Said:
        return Said("Support has answered you in the chat.", "")

    def _ru(self, reader: Reader) -> Said:
        return Said("Поддержка ответила вам в чате.", "")


@dataclass(frozen=True, kw_only=True)
class PositionSettled(
    Content,
    about=About(
        kind="position_settled",
        group="own",
        section="results",
        mailed="now",
        link="/portfolio?tab=closed",
        setting=Texts("A position of mine is settled", "Моя позиция рассчитана"),
        listed=Texts(
            "{decided, select, yes{Result: {result}. } other{}}"
            "{count, plural, one{Your {held} paid {payout}.} other{Your # positions paid {payout}.}}",
            "{decided, select, yes{Итог: {result}. } other{}}"
            "{count, plural, =1{По «{held}» выплачено {payout}.} one{По # позиции выплачено {payout}.} "
            "few{По # позициям выплачено {payout}.} many{По # позициям выплачено {payout}.} "
            "other{По # позиции выплачено {payout}.}}",
        ),
    ),
):
    """A position was settled; its profit is below 0 for a loss."""

    pool_name: str
    pool_name_ru: str
    market_name: str
    token_type: Side
    shares: int
    payout_kopecks: int
    pnl_kopecks: int
    #: The name of what won, and what a YES share of each outcome was paid; of older rows None and ().
    result: str | None = None
    payouts: tuple[float, ...] | None = ()

    def _en(self, reader: Reader) -> Said:
        result = "loss" if self.pnl_kopecks < 0 else "profit"
        of, payout = self.within(self.market_name), reader.amount(self.payout_kopecks)
        return self._said(
            f"Your position was settled: {self.shares} {self.token_type} shares of {of} paid {payout}, {result} "
            f"{reader.amount(abs(self.pnl_kopecks))}.",
            f"{reader.side(self.token_type)}, {self.shares} shares: paid {payout}",
            reader,
        )

    def _ru(self, reader: Reader) -> Said:
        result = "убыток" if self.pnl_kopecks < 0 else "прибыль"
        of, payout = self.within_ru(self.market_name), reader.amount(self.payout_kopecks)
        side = reader.side(self.token_type)
        return self._said(
            f"Расчёт по позиции {side}, {of}: выплачено {payout}, {result} {reader.amount(abs(self.pnl_kopecks))}.",
            f"{side}, {self.shares} шт.: выплачено {payout}",
            reader,
        )

    def _said(self, sentence: str, short: str, reader: Reader) -> Said:
        pnl_kopecks = self.pnl_kopecks
        short = joined(self.market_name, short)
        return Said(sentence, short, reader.gain(pnl_kopecks), tone_of(pnl_kopecks), earned_kopecks=pnl_kopecks)


@dataclass(frozen=True, kw_only=True)
class OrderFilled(
    Content,
    about=About(
        kind="order_filled",
        group="own",
        section="results",
        link=_ORDERS,
        setting=Texts("An order of mine is filled", "Моя заявка исполнена"),
        listed=Texts(
            "{count, plural, one{Your order is filled: {action, select, sell{sold} other{bought}} {held} for "
            "{amount}.} other{# orders are filled: {action, select, sell{sold} other{bought}} for {amount}.}}",
            "{count, plural, =1{Ваша заявка исполнена: {action, select, sell{продано} other{куплено}} «{held}» за "
            "{amount}.} one{Исполнена # заявка: {action, select, sell{продано} other{куплено}} за {amount}.} "
            "few{Исполнены # заявки: {action, select, sell{продано} other{куплено}} за {amount}.} "
            "many{Исполнено # заявок: {action, select, sell{продано} other{куплено}} за {amount}.} "
            "other{Исполнено # заявки: {action, select, sell{продано} other{куплено}} за {amount}.}}",
        ),
    ),
):
    """A limit order is filled whole, for an amount in all."""

    pool_name: str
    pool_name_ru: str
    market_name: str
    token_type: Side
    action: Literal["buy", "sell"]
    shares: int
    amount_kopecks: int

    def _en(self, reader: Reader) -> Said:
        done, amount = ("bought" if self.action == "buy" else "sold"), reader.amount(self.amount_kopecks)
        of = self.within(self.market_name)
        return Said(
            f"Your order was filled: {done} {self.shares} {self.token_type} shares of {of} for {amount}.",
            joined(self.market_name, f"order filled: {done} {self.shares} {reader.side(self.token_type)}"),
            amount,
        )

    def _ru(self, reader: Reader) -> Said:
        done, amount = ("куплено" if self.action == "buy" else "продано"), reader.amount(self.amount_kopecks)
        done = f"{done} {self.shares} {reader.side(self.token_type)}"
        return Said(
            f"Ваша заявка исполнена: {done}, {self.within_ru(self.market_name)}, за {amount}.",
            joined(self.market_name, f"заявка исполнена: {done}"),
            amount,
        )


@dataclass(frozen=True, kw_only=True)
class OrdersEnded(
    Content,
    about=About(
        kind="orders_ended",
        group="own",
        section="results",
        link=_ORDERS,
        setting=Texts("Orders of mine end with their question", "Мои заявки закончились вместе с вопросом"),
        listed=Texts(
            "{order_count, plural, one{Your order has ended; what it held was given back.} "
            "other{Your # orders have ended; what they held was given back.}}",
            "{order_count, plural, =1{Ваша заявка закончилась; отложенное возвращено.} "
            "one{Закончилась # заявка; отложенное возвращено.} few{Закончились # заявки; отложенное возвращено.} "
            "many{Закончились # заявок; отложенное возвращено.} other{Закончились # заявки; отложенное возвращено.}}",
        ),
    ),
):
    """All limit orders of a pool have ended with it."""

    pool_name: str
    pool_name_ru: str
    order_count: int

    def _en(self, reader: Reader) -> Said:
        sentence = f"Your open orders in “{self.event_name}” have ended; what they held is back."
        return Said(sentence, "your open orders have ended")

    def _ru(self, reader: Reader) -> Said:
        sentence = f"Ваши открытые заявки в событии «{self.event_ru}» закрыты; удержанное возвращено."
        return Said(sentence, "ваши открытые заявки закрыты")


@dataclass(frozen=True, kw_only=True)
class OutcomeAdded(
    Content,
    about=About(
        kind="outcome_added",
        group="own",
        section="published",
        setting=Texts(
            "A list has a new outcome, taken out of one that I hold",
            "В списке новый исход, выделенный из того, что у меня есть",
        ),
        listed=Texts(
            "New outcome “{outcome}”, taken out of Other: you hold as much of it.",
            "Новый исход «{outcome}», выделенный из «Другого»: у вас его столько же.",
        ),
    ),
):
    """A list has a new outcome, of which one holds as many shares as of the one that it was taken out of."""

    pool_name: str
    pool_name_ru: str
    market_name: str
    market_name_ru: str
    token_type: Side
    shares: int

    def _en(self, reader: Reader) -> Said:
        return Said(
            f"“{self.market_name}” is a new outcome of “{self.event_name}”: your {self.shares} YES shares of the "
            f"others together count for it, too.",
            joined(self.market_name, f"a new outcome: you hold {self.shares} {reader.side(self.token_type)}"),
        )

    def _ru(self, reader: Reader) -> Said:
        market = self.market_name_ru or self.market_name
        return Said(
            f"В событии «{self.event_ru}» новый исход «{market}»: ваши {self.shares} ДА прочих исходов теперь "
            f"считаются и за него.",
            joined(market, f"новый исход: у вас {self.shares} {reader.side(self.token_type)}"),
        )


@dataclass(frozen=True, kw_only=True)
class PriceAlert(
    Content,
    about=About(
        kind="price_alert",
        group="own",
        section="moves",
        mailed="now",
        setting=Texts("A price reaches my alert", "Цена дошла до моего порога"),
        listed=Texts(
            "{named, select, yes{{outcome}: the chance} other{The chance}} "
            "{limit, select, above{rose} other{fell}} to {after}. Your alert was at {at}.",
            "{named, select, yes{{outcome}: шанс} other{Шанс}} "
            "{limit, select, above{вырос} other{упал}} до {after}. Ваше оповещение — {at}.",
        ),
    ),
):
    """A price has risen to an alert at `above_bps`, or fallen to one at `below_bps`; basis points of YES."""

    market_name: str
    above_bps: int | None = None
    below_bps: int | None = None
    after_bps: int

    @property
    def _limit_bps(self) -> int:
        limit_bps = self.below_bps if self.above_bps is None else self.above_bps
        assert limit_bps is not None
        return limit_bps

    def _en(self, reader: Reader) -> Said:
        after, limit = reader.percent(self.after_bps), reader.percent(self._limit_bps)
        way = "fallen" if self.above_bps is None else "risen"
        return Said(
            f"{self.within(self.market_name)} has {way} to {after}: your price alert was at {limit}.",
            joined(self.market_name, f"your price alert was at {limit}"),
            after,
            "down" if self.above_bps is None else "up",
        )

    def _ru(self, reader: Reader) -> Said:
        after, limit = reader.percent(self.after_bps), reader.percent(self._limit_bps)
        way = "упала" if self.above_bps is None else "выросла"
        of = self.within_ru(self.market_name)
        return Said(
            f"{of}: вероятность {way} до {after}, ваше оповещение — {limit}.",
            joined(self.market_name, f"ваше оповещение — {limit}"),
            after,
            "down" if self.above_bps is None else "up",
        )

    @property
    def mail_reason(self) -> MailReason:
        """Why it is mailed."""
        return "alert"


@dataclass(frozen=True, kw_only=True)
class ObjectionAnswered(
    Content,
    about=About(
        kind="objection_answered",
        group="own",
        section="results",
        mailed="now",
        setting=Texts("An objection of mine is answered", "На моё возражение ответили"),
        listed=Texts(
            "{state, select, upheld{Your objection was upheld: there is another result.} "
            "other{Your objection was rejected.}}",
            "{state, select, upheld{Ваше возражение принято: итог изменён.} other{Ваше возражение отклонено.}}",
        ),
    ),
):
    """An objection to a result was upheld or rejected."""

    pool_name: str
    pool_name_ru: str
    state: Literal["upheld", "rejected"]
    #: What the admin said, in mails alone; "" for nothing.
    answer: str = ""

    def _en(self, reader: Reader) -> Said:
        became = "upheld: there is another result" if self.state == "upheld" else "rejected: the result stays"
        return Said(
            f"Your objection to the result of {self.within(self.pool_name)} was {became}.",
            joined(self.pool_name, f"your objection was {became}"),
            why=because("Answer", self.answer),
        )

    def _ru(self, reader: Reader) -> Said:
        became = "принято: итог изменён" if self.state == "upheld" else "отклонено: итог остаётся"
        pool = self.pool_name_ru or self.pool_name
        return Said(
            f"Ваше возражение против итога {self.within_ru(self.pool_name, self.pool_name_ru)} {became}.",
            joined(pool, f"ваше возражение {became}"),
            why=because("Ответ", self.answer),
        )
