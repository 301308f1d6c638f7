"""Helpers to comment over HTTP."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.service import Person, Service, expect


def comment(author: Person, event: dict[str, Any], content: str = "Well.", *, parent: Any = None) -> dict[str, Any]:
    """Comment on an event or reply to a comment; return the new comment."""
    body: dict[str, Any] = {"event_id": event["id"], "content": content}
    if parent is not None:
        body["parent_id"] = parent["id"]
    made: dict[str, Any] = expect(author.client.post("/comments", json=body), 201)
    return made


def react(person: Person, to: dict[str, Any], reaction: str | None) -> dict[str, Any]:
    """React to a comment; return it afterwards."""
    seen: dict[str, Any] = expect(person.client.put(f"/comments/{to['id']}/reaction", json={"type": reaction}), 200)
    return seen


def replies(client: httpx.Client, to: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
    """Read the replies to a comment."""
    body = expect(client.get(f"/comments/{to['id']}/replies", params=query), 200)
    assert body.keys() == {"comments"}
    found: list[dict[str, Any]] = body["comments"]
    return found


def top_level(client: httpx.Client, event: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
    """Read one page of an event's comments."""
    page = expect(client.get(f"/events/{event['id']}/comments", params={"limit": 100} | query), 200)
    assert page.keys() == {"comments", "next_cursor", "has_more"}
    found: list[dict[str, Any]] = page["comments"]
    return found


def seen(service: Service, event: dict[str, Any], comment: dict[str, Any]) -> dict[str, Any]:
    """Return the public view of a top-level comment."""
    return next(one for one in top_level(service.client(), event) if one["id"] == comment["id"])
