"""The event of the demo's creator: how many of the studies that are open will replicate, and in which field."""

from __future__ import annotations

import math
from typing import Any

from foreknow.commands.demo.calendar import PAST_MS
from foreknow.kernel.clock import DAY_MS, HOUR_MS, iso

TAG = "forecast"
STUDIES = 10
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
                "The outcome that contains the number wins: “3 – 4” is three, “3 – 6” three to five.",
                "finish_at": finish_at,
                "metadata": {
                    "shape": {"kind": "number", "edges": list(range(1, STUDIES + 1))},
                    "rules_ru": "Число удавшихся повторных исследований среди десяти открытых рынков этого сайта. "
                    "Выигрывает исход, в который попадает это число: «3 – 4» — это три, «3 – 6» — от трёх до пяти.",
                    "market_probabilities": [0.02, 0.04, 0.08, 0.13, 0.17, 0.18, 0.15, 0.11, 0.07, 0.03, 0.02],
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
