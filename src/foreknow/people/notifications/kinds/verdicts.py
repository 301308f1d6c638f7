"""Notifications of verdicts to who holds shares, and of rules that were made clearer."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.people.notifications.kind import (
    About,
    Content,
    Said,
    Texts,
    because,
    joined,
    won_words,
)
from foreknow.people.notifications.reader import Reader


def _minute(time: str) -> str:
    """Where no zone stands beside it: 2026-03-01 18:00 UTC."""
    return f"{time[:16].replace('T', ' ')} UTC"


@dataclass(frozen=True, kw_only=True)
class VerdictDecided(
    Content,
    about=About(
        kind="verdict_decided",
        group="own",
        section="results",
        mailed="now",
        setting=Texts("A question in which I hold shares is decided", "Решён вопрос, доли в котором у меня есть"),
        listed=Texts(
            "{decided, select, yes{Decided: {result}.} other{Decided without a winner.}} Your shares will be paid "
            "{payout}; you can object until {disputable_until}.",
            "{decided, select, yes{Решено: {result}.} other{Решено без победителя.}} По вашим долям будет выплачено "
            "{payout}; возразить можно до {disputable_until}.",
        ),
    ),
):
    """A pool has a result that can be corrected until a moment (ISO 8601); what one's shares will be paid."""

    pool_name: str
    pool_name_ru: str
    #: The name of what won; "" for NO of a single market, and without a winner.
    result: str
    #: What a YES share of each outcome is paid; None for a void.
    payouts: tuple[float, ...] | None
    payout_kopecks: int
    disputable_until: str
    #: Why, in mails alone; "" where it is not said.
    why: str = ""
    why_ru: str = ""

    def _won(self, reader: Reader) -> str:
        return won_words(self.result, self.payouts, (self.pool_name, self.event_name), reader)

    def _en(self, reader: Reader) -> Said:
        won, payout = self._won(reader), reader.amount(self.payout_kopecks)
        how = f"decided: {won}" if won else "decided without a winner"
        return Said(
            f"{self.within(self.pool_name)} is {how}. Your shares will be paid {payout}; you can object "
            f"until {_minute(self.disputable_until)}.",
            joined(self.pool_name, f"{how}, objections until {reader.moment(self.disputable_until)}"),
            payout,
            why=because("Reason", self.why or self.why_ru),
        )

    def _ru(self, reader: Reader) -> Said:
        won, payout = self._won(reader), reader.amount(self.payout_kopecks)
        how = f"итог — {won}" if won else "решено без победителя"
        pool = self.pool_name_ru or self.pool_name
        of = self.within_ru(self.pool_name, self.pool_name_ru)
        return Said(
            f"{of}: {how}. По вашим долям будет выплачено {payout}; возразить можно до "
            f"{_minute(self.disputable_until)}.",
            joined(pool, f"{how}, возражения до {reader.moment(self.disputable_until)}"),
            payout,
            why=because("Причина", self.why_ru or self.why),
        )


@dataclass(frozen=True, kw_only=True)
class VerdictHeld(
    Content,
    about=About(
        kind="verdict_held",
        group="own",
        section="results",
        setting=Texts(
            "An objection holds a result in which I hold shares",
            "Возражение остановило итог вопроса, доли в котором у меня есть",
        ),
        listed=Texts(
            "Someone objects: the result waits for the team, until {held_until} at the latest.",
            "Есть возражение: итог ждёт решения команды, самое позднее до {held_until}.",
        ),
    ),
):
    """An objection keeps a result from being final, at the latest until a moment (ISO 8601)."""

    pool_name: str
    pool_name_ru: str
    held_until: str

    def _en(self, reader: Reader) -> Said:
        return Said(
            f"Someone objects to the result of {self.within(self.pool_name)}: payment waits for the team, "
            f"until {_minute(self.held_until)} at the latest.",
            joined(self.pool_name, "an objection holds the result"),
            reader.moment(self.held_until),
        )

    def _ru(self, reader: Reader) -> Said:
        pool = self.pool_name_ru or self.pool_name
        of = self.within_ru(self.pool_name, self.pool_name_ru)
        return Said(
            f"Есть возражение против итога {of}: выплата ждёт решения команды, самое позднее до "
            f"{_minute(self.held_until)}.",
            joined(pool, "итог ждёт: есть возражение"),
            reader.moment(self.held_until),
        )


@dataclass(frozen=True, kw_only=True)
class RulesClarified(
    Content,
    about=About(
        kind="rules_clarified",
        group="own",
        section="results",
        setting=Texts(
            "The rules of a question that I take part in or follow are made clearer",
            "Уточнены правила вопроса, в котором я участвую или за которым слежу",
        ),
        listed=Texts("Its rules were made clearer.", "Правила уточнены."),
    ),
):
    """A pool's rules were made clearer."""

    pool_name: str
    pool_name_ru: str

    def _en(self, reader: Reader) -> Said:
        return Said(
            f"The rules of {self.within(self.pool_name)} were made clearer.",
            joined(self.pool_name, "its rules were made clearer"),
        )

    def _ru(self, reader: Reader) -> Said:
        pool = self.pool_name_ru or self.pool_name
        return Said(
            f"Уточнены правила вопроса {self.within_ru(self.pool_name, self.pool_name_ru)}.",
            joined(pool, "правила уточнены"),
        )
