"""Names of events as people write them, some words in many and some in few; and the tags."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import NamedTuple

from foreknow.market.events.search import name_suffixes, search_key

_WHO = (
    "the Senate", "Spartak Moscow", "the central bank", "Brazil", "an outsider", "the largest miner", "Zenit",
    "the incumbent", "Real Madrid", "the committee", "a new party", "Kazakhstan", "the old champion", "no one",
)  # fmt: skip
_DOES = (
    "win the cup", "raise the rate", "lose the vote", "break the record", "launch a rocket", "sign the treaty",
    "leave the league", "open the bridge", "publish the report", "cut the price",
)  # fmt: skip
_WHO_RU = ("Сенат", "Спартак", "Центральный банк", "Бразилия", "Новичок", "Зенит", "Комитет", "Казахстан", "Никто")
_DOES_RU = ("выиграет кубок", "поднимет ставку", "побьёт рекорд", "запустит ракету", "подпишет договор", "откроет мост")
_MONTHS = ("January", "March", "May", "June", "August", "October", "December")


class EventName(NamedTuple):
    """An event as its notifications name it."""

    id: int
    name: str
    name_ru: str = ""


class EventNames:
    """Names by the event's id: the same at every call."""

    def english(self, event_id: int) -> str:
        """Return a name of which a part (the number) is in no other."""
        rng = random.Random(event_id)
        who, does, month = rng.choice(_WHO), rng.choice(_DOES), rng.choice(_MONTHS)
        return f"Will {who} {does} by {month} {rng.randint(2024, 2030)}? #{event_id}"

    def russian(self, event_id: int) -> str:
        """Return a Russian name; every third event has none."""
        rng = random.Random(-event_id)
        if event_id % 3 == 0:
            return ""
        return f"{rng.choice(_WHO_RU)} {rng.choice(_DOES_RU)} к {rng.randint(2024, 2030)} году?"

    def search_key(self, name: str, name_ru: str) -> str:
        """Return what the search looks into."""
        return search_key(name, name_ru)

    def tags(self, event_id: int) -> list[str]:
        """Return tags: one common, one of two hundred, now and then a rare one."""
        rng = random.Random(event_id * 31)
        rare = [f"rare-{event_id}"] if event_id % 50 == 0 else []
        return [rng.choice(("sports", "politics", "crypto")), f"topic-{rng.randint(1, 200)}", *rare]

    def name_suffixes(self, name: str, name_ru: str) -> Iterable[bytes]:
        """Return what the search's index holds."""
        return name_suffixes(search_key(name, name_ru))
