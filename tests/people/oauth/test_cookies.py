"""The cookie of a sign-in under way, where the service is reached by https."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.kinds import ONCE
from tests.support.oidc import new_identity
from tests.support.scripted_provider import ScriptedProvider
from tests.support.service import Service, refused


@ONCE
def test_over_https_the_cookie_of_a_sign_in_under_way_is_this_hosts_alone(
    start_service: Callable[..., Service], oauth_settings: dict[str, Any], scripted: ScriptedProvider
) -> None:
    service = start_service(**oauth_settings, cookie_secure=True)
    sub, claims = new_identity()
    scripted.claims = {"sub": sub} | claims
    begun = service.client().get("/auth/oauth/scripted")
    (header,) = begun.headers.get_list("set-cookie")
    (pair, *attributes) = header.split("; ")
    assert pair.startswith("__Host-oauth_")
    # What a browser asks of such a name.
    assert {"Secure", "Path=/", "HttpOnly", "SameSite=Lax"} <= set(attributes)
    assert not [one for one in attributes if one.startswith("Domain")]

    back = scripted.approve(begun.headers["location"])
    planted = pair.removeprefix("__Host-")
    path = back.partition("/api/v1")[2]
    refused(service.client(headers={"Cookie": planted}).get(path), 400, "bad_request")
    done = service.client(headers={"Cookie": pair}).get(path)
    assert done.status_code == 303
    cleared = next(one for one in done.headers.get_list("set-cookie") if one.startswith("__Host-oauth_"))
    assert "Max-Age=0" in cleared
    assert "Secure" in cleared
