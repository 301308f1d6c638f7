"""Names, rules and metadata of the replayed markets."""

from __future__ import annotations

from typing import Any

from foreknow.replay.history import History

#: The tag of replayed events, and the key of a pool's metadata that names the run and the market.
TAG = "replication"
MARK = "replay"

_FIELDS = {"RPP": "psychology", "EERP": "economics"}
_ORIGINS = {
    "RPP": "The market was one of those on the Reproducibility Project: Psychology, run by Dreber et al. (2015), PNAS, "
    "https://doi.org/10.1073/pnas.1516179112.",
    "EERP": "The market was one of those on experimental economics, run by Camerer et al. (2016), Science, "
    "https://doi.org/10.1126/science.aaf0918.",
}


def event(history: History, *, run: str, b_kopecks: int, prior: float) -> dict[str, Any]:
    """Return the body of POST /events/create-full for one market."""
    finding, project = history.finding, history.key[0]
    rules = [
        f"YES wins if the replication of the central finding of {finding.cite} succeeds, NO if it fails.",
        f"The study: {finding.doi}.",
        _ORIGINS.get(project, ""),
        "The trades come from the data package pooledmaRket by Michael Gordon (CC0).",
    ]
    return {
        "name": f"Will {finding.cite} replicate?",
        "name_ru": f"Воспроизведётся ли {finding.cite}?",
        "tags": [TAG, _FIELDS.get(project, project)],
        "pools": [
            {
                "name": "Does the finding replicate?",
                "name_ru": "Воспроизведётся ли результат?",
                "rules": " ".join(filter(None, rules)),
                "metadata": {
                    "market_names": ["It replicates"],
                    "market_probabilities": [prior],
                    "lmsr_b_kopecks": b_kopecks,
                    MARK: {"run": run, "market": history.name},
                },
            }
        ],
    }
