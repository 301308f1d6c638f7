"""Client: Russian names and rules of pools by convention."""

from __future__ import annotations

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool

pytestmark = ONCE


@proves(
    "client: `metadata.market_names_ru` (one a market) and `metadata.rules_ru` of a pool are its Russian names and "
    "rules by convention; the service gives them back as sent."
)
def test_russian_names_and_rules_are_given_back_as_sent(service: Service) -> None:
    described = pool(["Reds", "Blues"])
    described["metadata"] |= {"market_names_ru": ["Красные", "Синие"], "rules_ru": "  По счёту <b>матча</b>.\n"}
    event = service.event(pools=[described])
    assert event["pools"][0]["metadata"] == described["metadata"]
    for path in (f"/events/{event['id']}", f"/pools/batch?ids={event['pools'][0]['id']}"):
        answer = expect(service.client().get(path), 200)
        shown = answer[0] if isinstance(answer, list) else answer["pools"][0]
        assert shown["metadata"] == described["metadata"]
