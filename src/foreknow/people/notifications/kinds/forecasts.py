"""Notifications of one's forecasts: what they earned, and that one has stood for long."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.people.notifications.kind import About, Content, Said, Texts, Tone, joined
from foreknow.people.notifications.reader import Reader


@dataclass(frozen=True, kw_only=True)
class ForecastScored(
    Content,
    about=About(
        kind="forecast_scored",
        group="own",
        section="results",
        setting=Texts("A forecast of mine is scored", "Мой прогноз получил оценку"),
        listed=Texts(
            "Your forecast scored {score}, over {coverage} of the time.",
            "Оценка вашего прогноза: {score}, за {coverage} времени.",
        ),
    ),
):
    """A pool is final: what one's forecasts of it earned against its prices, and the part of its time that counted."""

    pool_name: str
    pool_name_ru: str
    #: The name of what won; "" for NO of a single market.
    result: str
    score: float
    coverage: float

    def _en(self, reader: Reader) -> Said:
        score, coverage = reader.score(self.score), reader.share(self.coverage)
        return Said(
            f"Your forecast of {self.within(self.pool_name)} scored {score}, over {coverage} of the time.",
            joined(self.pool_name, f"your forecast, over {coverage} of the time"),
            score,
            _tone(self.score),
        )

    def _ru(self, reader: Reader) -> Said:
        score, coverage = reader.score(self.score), reader.share(self.coverage)
        return Said(
            f"Оценка вашего прогноза {self.within_ru(self.pool_name, self.pool_name_ru)}: {score}, "
            f"за {coverage} времени.",
            joined(self.pool_name_ru or self.pool_name, f"ваш прогноз, за {coverage} времени"),
            score,
            _tone(self.score),
        )


@dataclass(frozen=True, kw_only=True)
class ForecastOld(
    Content,
    about=About(
        kind="forecast_old",
        group="own",
        section="waiting",
        listed_first=False,
        setting=Texts(
            "A forecast of mine has stood for 30 days without a change", "Мой прогноз стоит 30 дней без изменений"
        ),
        listed=Texts(
            "Your forecast has stood for 30 days. Do you still think so?",
            "Ваш прогноз стоит уже 30 дней. Вы думаете так же?",
        ),
    ),
):
    """A forecast of an open pool was last said 30 days ago."""

    pool_name: str
    pool_name_ru: str

    def _en(self, reader: Reader) -> Said:
        return Said(
            f"Your forecast of {self.within(self.pool_name)} has stood for 30 days. Do you still think so?",
            joined(self.pool_name, "your forecast has stood for 30 days"),
        )

    def _ru(self, reader: Reader) -> Said:
        return Said(
            f"Ваш прогноз {self.within_ru(self.pool_name, self.pool_name_ru)} стоит уже 30 дней. Вы думаете так же?",
            joined(self.pool_name_ru or self.pool_name, "ваш прогноз стоит уже 30 дней"),
        )


def _tone(score: float) -> Tone:
    return "up" if score > 0 else "down" if score < 0 else ""
