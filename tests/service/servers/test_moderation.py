"""Several processes: what one hides, and whom it mutes, all others hide and mute within a second."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import httpx

from tests.support.cluster import CLUSTER_MARKS, Cluster
from tests.support.proofs import proves
from tests.support.service import expect, refused

pytestmark = list(CLUSTER_MARKS)

#: The contract's "within 1 s from every other".
FRESH_S = 1.0


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@proves("decisions: at once from the process that made the change, within 1 s from every other")
def test_what_one_process_hides_and_mutes_is_soon_hidden_and_mute_at_all(cluster_service: Cluster) -> None:
    event, ann = cluster_service.event(), cluster_service.user()
    auth = {"Authorization": str(cluster_service.admin.headers["authorization"])}
    said = {"event_id": event["id"], "content": "A secret."}
    here, *others = cluster_service.workers_clients()
    made = expect(here.post("/comments", json=said, headers=bearer(ann.token)), 201)

    def shown(client: httpx.Client) -> set[str]:
        listed = expect(client.get(f"/events/{event['id']}/comments"), 200)["comments"]
        one = expect(client.get(f"/comments/{made['id']}"), 200)["comment"]
        return {each["content"] for each in (*listed, one)}

    def react(client: httpx.Client) -> httpx.Response:
        return client.put(f"/comments/{made['id']}/reaction", json={"type": "like"}, headers=bearer(ann.token))

    time.sleep(FRESH_S)
    for client in (here, *others):
        # So that each process has it, and its author, in its memory.
        assert shown(client) == {"A secret."}
        expect(react(client), 200)

    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    expect(here.put(f"/admin/comments/{made['id']}/hidden", json={"hidden": True}, headers=auth), 200)
    expect(here.put(f"/admin/users/{ann.id}/muted", json={"until": until}, headers=auth), 200)
    assert shown(here) == {""}
    refused(react(here), 403, "muted")
    time.sleep(FRESH_S)
    for client in others:
        assert shown(client) == {""}
        refused(react(client), 403, "muted")
