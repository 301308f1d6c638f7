"""Further sessions, reset links, API keys, and the fields of one's own user, over HTTP."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.service import Person, Service, expect

#: A password other than those that users begin with.
NEW = "another horse battery"
#: The fields of the user object's own view.
OWN_VIEW = {
    *("id", "email", "name", "nickname", "avatar_url", "profile_hidden", "is_creator", "is_admin", "is_stats_viewer"),
    *(
        "is_operator",
        "balance_kopecks",
        "held_kopecks",
        "created_at",
        "email_verified",
        "email_refused",
        "email_pending",
        "language",
    ),
    *("time_zone", "muted_until", "show_holds", "show_forecast"),
}


def try_sign_in(service: Service, login: str, password: str, **headers: str) -> httpx.Response:
    return service.client(headers=headers).post("/auth/sign-in", json={"login": login, "password": password})


def elsewhere(service: Service, person: Person, **headers: str) -> httpx.Client:
    """A further session of a user."""
    answer = try_sign_in(service, person.email, person.password, **headers)
    return service.client(token=expect(answer, 200)["access_token"])


def make_key(client: httpx.Client, *, name: str = "Price bot", scope: str = "trade") -> dict[str, Any]:
    """Make an API key of a user."""
    made: dict[str, Any] = expect(client.post("/users/me/keys", json={"name": name, "scope": scope}), 201)
    return made


def with_key(service: Service, person: Person, scope: str = "trade") -> httpx.Client:
    """A client that sends a new API key of a user."""
    return service.client(make_key(person.client, scope=scope)["key"])


def new_link(service: Service, user_id: int) -> str:
    """Create a reset link and return its token."""
    url: str = expect(service.admin.post(f"/admin/users/{user_id}/reset-link"), 200)["url"]
    return url.rpartition("/")[2]


def reset(service: Service, token: object, password: object = NEW) -> httpx.Response:
    return service.client().post("/auth/reset", json={"token": token, "password": password})
