"""Reading a service's metrics page."""

from __future__ import annotations

from typing import Protocol

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.support.http import NO_TLS

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


class Served(Protocol):
    """A service that answers at `url`."""

    @property
    def url(self) -> str: ...


def scrape(service: Served, **headers: str) -> Samples:
    answer = httpx.get(f"{service.url}/metrics", headers=headers, verify=NO_TLS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    return samples_of(answer.text)


def samples_of(text: str) -> Samples:
    families = text_string_to_metric_families(text)
    return {(one.name, frozenset(one.labels.items())): one.value for family in families for one in family.samples}


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, frozenset(labels.items())]
