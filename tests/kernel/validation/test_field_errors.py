"""What the error of a wrong body says: which field, and what it must be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import to_type
from tests.support.service import Service, refused


class Leg(msgspec.Struct, forbid_unknown_fields=True):
    side: Literal["yes", "no"]
    kinds: dict[str, Literal["a", "b"]] = {}


class Order(msgspec.Struct, forbid_unknown_fields=True):
    legs: Annotated[list[Leg], msgspec.Meta(min_length=1)]
    way: Literal["buy", "sell"] | None = None
    won_side: Literal[0, 1] | None = None


@pytest.mark.parametrize(
    ("tree", "field", "fault"),
    [
        ({}, "legs", "is required"),
        ({"legs": [{"side": "yes"}, {}]}, "legs[1].side", "is required"),
        ({"legs": [{"side": "maybe"}]}, "legs[0].side", "must be one of no, yes"),
        ({"legs": [{"side": "yes", "kinds": {"k": "z"}}]}, "legs[0].kinds[...]", "must be one of a, b"),
        ({"legs": [{"side": "yes"}], "way": "hold"}, "way", "must be one of buy, sell"),
        ({"legs": [{"side": "yes"}], "won_side": 2}, "won_side", "must be one of 0, 1"),
        ({"legs": [{"side": "yes", "size": 1}]}, "legs[0].size", "is no field of this body"),
        ({"legs": [{"side": "yes"}], "speed": 1}, "speed", "is no field of this body"),
        ({"legs": [{"side": 1}]}, "legs[0].side", "Expected `str`, got `int`"),
        ({"legs": []}, "legs", "Expected `array` of length >= 1"),
        ([], "body", "Expected `object`, got `array`"),
    ],
)
def test_the_field_and_what_it_must_be_are_named(tree: Any, field: str, fault: str) -> None:
    with pytest.raises(BadRequest) as error:
        to_type(tree, Order)
    assert error.value.details == {"fields": {field: fault}}
    assert error.value.text == f"{field}: {fault}"


def test_the_error_of_an_order_names_the_sides(service: Service) -> None:
    person = service.user()
    order = {"market_id": 1, "token_type": "MAYBE", "amount_kopecks": 100}
    answer = refused(person.client.post("/market/bets", json=order), 400, "bad_request")
    assert answer["details"] == {"fields": {"token_type": "must be one of NO, YES"}}
    answer = refused(person.client.post("/market/bets", json={"market_id": 1}), 400, "bad_request")
    assert set(answer["details"]["fields"].values()) == {"is required"}
