"""Names, rules and metadata of the replayed markets."""

from __future__ import annotations

from typing import Any

from foreknow.commands.replay.history import History
from foreknow.kernel.clock import iso_or_none

#: The tag of replayed events, and the key of a pool's metadata that names the run and the market.
TAG = "replication"
MARK = "replay"

#: A dash begins no line.
_DASH = "\u00a0— "
_FIELDS = {"RPP": "psychology", "EERP": "economics"}
_ORIGINS = {
    "RPP": "The market was one of those on the Reproducibility Project: Psychology, run by Dreber et al. (2015), PNAS, "
    "https://doi.org/10.1073/pnas.1516179112.",
    "EERP": "The market was one of those on experimental economics, run by Camerer et al. (2016), Science, "
    "https://doi.org/10.1126/science.aaf0918.",
}


_ORIGINS_RU = {
    "RPP": "Этот рынок — один из рынков о проекте воспроизводимости в психологии (Dreber et al. 2015, PNAS, "
    "https://doi.org/10.1073/pnas.1516179112).",
    "EERP": "Этот рынок — один из рынков об экспериментальной экономике (Camerer et al. 2016, Science, "
    "https://doi.org/10.1126/science.aaf0918).",
}
#: The recorded traders are anonymous: they get names of two words.
_FIRST = (
    *("Amber", "Bold", "Calm", "Early", "Frank", "Gentle", "Hazel", "Keen"),
    *("Lucky", "Misty", "Noble", "Patient", "Quiet", "Rapid", "Silver", "Wise"),
)
_LAST = (
    *("Badger", "Crane", "Dolphin", "Falcon", "Heron", "Lynx"),
    *("Marten", "Otter", "Owl", "Plover", "Raven", "Swift"),
)


def trader_name(number: int) -> str:
    """Return the name of a file's trader with this number, from 1 on; no two are the same."""
    turn, index = divmod(number - 1, len(_FIRST) * len(_LAST))
    name = f"{_FIRST[index % len(_FIRST)]} {_LAST[(index + index // len(_FIRST)) % len(_LAST)]}"
    return f"{name} {turn + 1}" if turn else name


def event(
    history: History, *, run: str, b_kopecks: int, prior: float, finish_at_ms: int | None = None
) -> dict[str, Any]:
    """Return the body of POST /events/create-full for one market."""
    finding, project = history.finding, history.key[0]
    tags = [TAG, _FIELDS.get(project, project), finding.topic]
    return {
        "name": f"{finding.summary}{_DASH}will it replicate?" if finding.summary else f"Will {finding.cite} replicate?",
        "name_ru": f"{finding.summary_ru}{_DASH}подтвердится?"
        if finding.summary_ru
        else f"Подтвердится ли {finding.cite}?",
        "tags": [tag for tag in tags if tag],
        "pools": [
            {
                "name": "Does the finding replicate?",
                "name_ru": "Подтвердится ли результат?",
                "rules": _rules(history),
                "finish_at": iso_or_none(finish_at_ms),
                "metadata": {
                    "market_names": ["It replicates"],
                    "market_names_ru": ["Подтвердится"],
                    "rules_ru": _rules_ru(history),
                    "market_probabilities": [prior],
                    "lmsr_b_kopecks": b_kopecks,
                    MARK: {"run": run, "market": history.name},
                },
            }
        ],
    }


def _rules(history: History) -> str:
    finding = history.finding
    return " ".join(
        [
            f"YES wins if the replication of the central finding of {finding.cite} succeeds, NO if it fails.",
            f"The study: {finding.doi}.",
            *filter(None, [_ORIGINS.get(history.key[0])]),
            "The trades come from the data package pooledmaRket by Michael Gordon (CC0).",
        ]
    )


def _rules_ru(history: History) -> str:
    finding = history.finding
    return " ".join(
        [
            f"ДА, если повторное исследование подтвердит главный результат {finding.cite}, НЕТ, если не подтвердит.",
            f"Исследование: {finding.doi}.",
            *filter(None, [_ORIGINS_RU.get(history.key[0])]),
            "Сделки взяты из набора данных pooledmaRket Майкла Гордона (CC0).",
        ]
    )
