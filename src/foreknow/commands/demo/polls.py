"""The event of the demo's creator: two questions with several outcomes on the studies that are still open."""

from __future__ import annotations

import math
from typing import Any

from foreknow.commands.demo.calendar import PAST_MS
from foreknow.kernel.clock import DAY_MS, HOUR_MS, iso

TAG = "forecast"
_FINISH_MS = 76 * DAY_MS


def event(began_ms: int) -> dict[str, Any]:
    """Return the body of POST /events/create-full, for a past that begins at `began_ms`."""
    finish_ms = began_ms + PAST_MS + _FINISH_MS
    finish_at = iso(finish_ms - finish_ms % HOUR_MS)
    return {
        "name": "How many of the ten open studies will replicate?",
        "name_ru": "Сколько из десяти открытых исследований подтвердится?",
        "tags": [TAG, "psychology", "economics", "count"],
        "pools": [
            {
                "name": "Studies that replicate",
                "name_ru": "Сколько подтвердится",
                "rules": "The number of replications that succeed among the ten markets of this site that are open. "
                "The outcome that contains the number wins.",
                "finish_at": finish_at,
                "metadata": {
                    "market_names": ["0–2", "3–4", "5–6", "7–8", "9–10"],
                    "market_names_ru": ["0–2", "3–4", "5–6", "7–8", "9–10"],
                    "rules_ru": "Число удавшихся повторных исследований среди десяти открытых рынков этого сайта. "
                    "Выигрывает исход, в который попадает это число.",
                    "market_probabilities": [0.12, 0.28, 0.32, 0.2, 0.08],
                },
            },
            {
                "name": "Which field does better",
                "name_ru": "Чья область окажется надёжнее",
                "rules": "The field with the larger share of studies that replicate. “About equal” wins where the "
                "shares differ by less than five percentage points.",
                "finish_at": finish_at,
                "metadata": {
                    "market_names": ["Psychology", "Economics", "About equal"],
                    "market_names_ru": ["Психология", "Экономика", "Примерно поровну"],
                    "rules_ru": "Область, в которой подтвердится большая доля исследований. «Примерно поровну» — если "
                    "доли отличаются меньше чем на пять процентных пунктов.",
                    "market_probabilities": [0.3, 0.45, 0.25],
                },
            },
        ],
    }


def beliefs(start: list[float], part: float) -> list[float]:
    """Return what traders believe of each outcome when `part` (0 to 1) of the past is over; the sum is 1."""
    weights = [
        chance * math.exp(0.6 * math.sin(2 * math.pi * part * (0.7 + 0.4 * index) + 2.1 * index))
        for index, chance in enumerate(start)
    ]
    return [weight / sum(weights) for weight in weights]
