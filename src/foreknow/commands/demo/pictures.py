"""Gives the demo's events their cover images, as their creators would: through the interface."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from foreknow.commands.demo import covers, growing, loader, people, polls
from foreknow.commands.replay.accounts import ReplayUser, Run
from foreknow.commands.replay.client import ApiClient, RequestFailed
from foreknow.commands.replay.history import History
from foreknow.commands.replay.replayer import find_events

#: The local part of the address of the replayed markets' creator.
_REPLAY_CREATOR = "creator"
#: The demo's own events: their creator, tag, and the topic of their cover.
_OWN = (
    (loader.CREATOR, loader.TAG, "coin"),
    (loader.CREATOR, loader.DISPUTED_TAG, "ruler"),
    (people.OLGA.local_part, polls.TAG, "count"),
    (people.OLGA.local_part, growing.TAG, "choice"),
)


async def put_covers(client: ApiClient, run: Run, histories: Sequence[History]) -> None:
    """Draw and upload the covers that are still missing; an interrupted run goes on."""
    events = await find_events(client, run)
    missing = [
        (events[history.name], history.finding.topic, number)
        for number, history in enumerate(histories, start=1)
        if history.name in events
    ]
    await _put(client, run, _REPLAY_CREATOR, missing)
    for creator, tag, topic in _OWN:
        for status in ("active", "closed"):
            found = await client.get("/events", tag=tag, status=status, limit=1)
            # Where the database held others' events before, these may be theirs.
            with contextlib.suppress(RequestFailed):
                await _put(client, run, creator, [(event, topic, 1) for event in found["events"]])


async def _put(client: ApiClient, run: Run, creator: str, events: Sequence[tuple[Mapping[str, Any], str, int]]) -> None:
    missing = [one for one in events if not one[0]["image_url"]]
    if not missing:
        return
    email = run.email(creator)
    is_visitor = creator in {person.local_part for person in people.VISITORS}
    account = ReplayUser(client, "", email, people.password(run, email) if is_visitor else run.password(email))
    await account.sign_in()
    # One after the other: an account uploads one image at a time.
    for event, topic, number in missing:
        await account.call("PUT", f"/events/{event['id']}/image", content=covers.draw(topic, number))
