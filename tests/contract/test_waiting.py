"""What waits for operators and admins, as a badge counts it."""

from __future__ import annotations

from collections.abc import Callable

from foreknow.people import attention
from foreknow.platform.db.transactions import WriteTx
from tests.site.chat.conversation import answer, begin, say
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

WAITS = (
    "administration: **What waits.** GET /admin/waiting (operator, admin) → `{attention (without suggestions), reports "
    "(open rows of GET /admin/reports), chats (with waiting_since), suggestions"
)
BOUND = "administration: each at most 100: for a badge."


@proves(WAITS)
def test_operators_see_how_much_waits_and_it_is_gone_when_it_is_done(start_service: Callable[..., Service]) -> None:
    service = start_service(creators="suggest")
    operator, ann, bob = service.user(operator=True), service.user(), service.user()

    def waits() -> dict[str, int]:
        found: dict[str, int] = expect(operator.client.get("/admin/waiting"), 200)
        assert expect(service.admin.get("/admin/waiting"), 200) == found
        return found

    none = {"attention": 0, "reports": 0, "chats": 0, "suggestions": 0, "objections": 0}
    assert waits() == none
    suggested = service.event(ann, publish=False)
    assert waits() == none | {"suggestions": 1}
    expect(service.admin.post(f"/events/{suggested['id']}/publish"), 200)
    assert waits() == none

    # Two reports of one person are one row of the list.
    report = {"kind": "user", "id": bob.id, "reason": "spam"}
    case = expect(ann.client.post("/reports", json=report), 201)["id"]
    assert expect(operator.client.post("/reports", json=report), 201)["id"] == case
    assert waits() == none | {"reports": 1}
    expect(operator.client.post(f"/admin/reports/{case}/close", json={}), 200)
    assert waits() == none

    # A visitor who writes has not called an operator; one who writes to an operator that answered waits again.
    session = begin(bob.client)
    say(bob.client, "Hello?")
    assert waits() == none
    expect(bob.client.post("/chat/session/call-operator"), 200)
    assert waits() == none | {"chats": 1}
    answer(service, session, "Yes?")
    assert waits() == none
    say(bob.client, "I cannot sign in.")
    assert waits() == none | {"chats": 1}


@proves(BOUND)
def test_no_number_goes_past_a_hundred(fresh_service: Service) -> None:
    def open_many(tx: WriteTx) -> None:
        for number in range(1, 102):
            attention.open_entry(tx, "payment", reason="failed", pool_id=number, at_ms=number)

    fresh_service.server.run(fresh_service.app.db.write(open_many))
    assert expect(fresh_service.admin.get("/admin/waiting"), 200)["attention"] == 100


@ONCE
@proves(WAITS)
def test_others_are_refused(service: Service) -> None:
    refused(service.client().get("/admin/waiting"), 401, "unauthorized")
    refused(service.user(creator=True, stats_viewer=True).client.get("/admin/waiting"), 403, "forbidden")
