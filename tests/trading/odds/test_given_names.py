"""`metadata.odds` is checked when an event is created, and given back as it was sent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused


def created(service: Service, odds: Any, names: list[str] | None = None) -> Any:
    described = pool(names or ["Reds", "Blues"])
    described["metadata"]["odds"] = odds
    body = {"name": "Who wins?", "pools": [described]}
    return service.creator.client.post("/events/create-full", json=body)


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("odds", [{"names": {"Reds": "Team Red"}}, {"names": {}}, {"names": None}, {}, None])
def test_names_are_given_back_as_sent(service: Service, odds: Any) -> None:
    assert expect(created(service, odds), 201)["pools"][0]["metadata"]["odds"] == odds


def test_a_single_market_may_be_called_by_its_own_name_or_its_pools(service: Service) -> None:
    for name in ("Will it?", "Rain"):
        expect(created(service, {"names": {name: "Rain tomorrow"}}, ["Rain"]), 201)


@proves("decisions: and `odds` are strict, see lifecycle.md),")
@ONCE
@pytest.mark.parametrize(
    ("odds", "field"),
    [
        ("Reds", ""),
        ([], ""),
        ({"name": {}}, ".name"),
        ({"names": ["Reds"]}, ".names"),
        ({"names": {"Reds": 1}}, ".names[...]"),
        ({"names": {"Reds": None}}, ".names[...]"),
        ({"names": {"Reds": " "}}, ".names.Reds"),
        ({"names": {"Reds": "a" * 501}}, ".names.Reds"),
        ({"names": {"Greens": "Team Green"}}, ".names"),
        ({"names": {f"Team {number}": "x" for number in range(101)}}, ".names"),
    ],
)
def test_other_odds_are_named_by_their_path(service: Service, odds: Any, field: str) -> None:
    body = refused(created(service, odds), 400, "bad_request")
    assert list(body["details"]["fields"]) == [f"pools[0].metadata.odds{field}"]
