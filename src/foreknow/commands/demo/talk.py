"""What the demo's people say to each other, and to support."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on one of the open markets (by its number, from 0 on; -1: the creator's event)."""

    market: int
    who: str
    text: str
    #: An answer, and whose.
    answer: str = ""
    answered_by: str = ""
    #: Who likes it.
    liked_by: tuple[str, ...] = ()


#: From the oldest to the newest.
REMARKS = (
    Remark(
        0,
        "vera",
        "A small sample and a surprising effect: I lean towards No.",
        "Small, yes, but it was registered in advance.",
        "nora",
        ("max", "trader"),
    ),
    Remark(
        1,
        "max",
        "Three studies in a row point the same way, so I hold Yes.",
        "Three by the same laboratory, though.",
        "cora",
        ("rita",),
    ),
    Remark(-1, "nora", "Four of ten would be what such projects found before.", "", "", ("vera", "pavel", "trader")),
    Remark(2, "pavel", "Выборка маленькая, эффект большой — обычно это плохой знак.", "Поэтому я и продаю.", "nora"),
    Remark(
        3,
        "rita",
        "Who has read the materials? The instructions look hard to repeat.",
        "I have. They are clearer than the paper.",
        "vera",
    ),
    Remark(
        -1,
        "trader",
        "Economics did better last time. I expect the same here.",
        "By how much? The rule asks for five points.",
        "cora",
        ("max",),
    ),
    Remark(4, "cora", "The price has run ahead of the evidence."),
    Remark(5, "vera", "Effects of this kind halve when they are measured again, and a half may still count."),
    Remark(
        0,
        "trader",
        "I sold half of mine. What is left pays for the wait.",
        "Sensible at this price.",
        "max",
        ("nora",),
    ),
)
#: What a trader writes to an operator.
QUESTION = "Hello! My study closed yesterday. When is a market resolved after it has closed?"
