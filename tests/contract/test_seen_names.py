"""Names and comments show something, and turn no text round."""

from __future__ import annotations

import pytest

from tests.contract.made_events import create, refuse
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

SEEN = (
    "decisions: What must not be empty, and each name, shows at least one letter, digit, symbol or mark of punctuation "
    "(U+2800 and U+3164 are none); U+202A … U+202E and U+2066 … U+2069 are 400 (taken out of what a provider says)."
)


@proves(SEEN)
@ONCE
@pytest.mark.parametrize("wrong", ["\u2800\u3164", "\u0301", "Will \u202eon\u2069?"])
def test_each_name_of_an_event_is_seen(service: Service, wrong: str) -> None:
    refuse(service, name=wrong)
    refuse(service, name_ru=wrong)
    refuse(service, tags=[wrong])
    refuse(service, versus_names=[wrong])
    refuse(service, pools=[{"name": wrong}])
    refuse(service, pools=[{"name_ru": wrong}])
    refuse(service, pools=[{"metadata": {"market_names": ["A", wrong]}}])
    refuse(service, pools=[{"metadata": {"market_names": ["A", "B"], "market_names_ru": ["", wrong]}}])
    event = create(service, name="👩\u200d🚀", pools=[{"name": "می\u200cخواهم"}])
    edit = service.creator.client.patch
    refused(edit(f"/events/{event['id']}", json={"name": wrong}), 400, "bad_request")
    refused(edit(f"/pools/{event['pools'][0]['id']}", json={"name": wrong}), 400, "bad_request")
    refused(edit(f"/pools/{event['pools'][0]['id']}", json={"name_ru": wrong}), 400, "bad_request")


@proves(SEEN)
@ONCE
@pytest.mark.parametrize("wrong", ["\u2800\u3164", "\u0301", "A\u202en\u2069"])
def test_so_is_each_name_of_a_person_and_each_comment(service: Service, wrong: str) -> None:
    person = service.user()
    refused(person.client.patch("/users/me", json={"name": wrong}), 400, "bad_request")
    refused(person.client.post("/users/me/keys", json={"name": wrong, "scope": "read"}), 400, "bad_request")
    comment = {"event_id": service.event()["id"], "content": wrong}
    refused(person.client.post("/comments", json=comment), 400, "bad_request")
    expect(person.client.post("/comments", json=comment | {"content": "👩\u200d🚀"}), 201)
    expect(person.client.patch("/users/me", json={"name": "👩\u200d🚀 می\u200cخواهم"}), 200)
