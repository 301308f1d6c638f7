"""The first steps of a new site, as its admins see them."""

from __future__ import annotations

from collections.abc import Callable

from foreknow.kernel.clock import DAY_MS
from tests.contract.site_setting import settle
from tests.support.kinds import ONCE
from tests.support.service import Service, expect, refused


def test_each_step_is_done_by_what_is_there(start_service: Callable[..., Service]) -> None:
    service = start_service()

    def shown() -> dict[str, bool]:
        found: dict[str, bool] = expect(service.admin.get("/admin/first-hour"), 200)
        return found

    assert shown() == {"market": False, "invitation": False, "looks": False, "over": False}
    expect(service.admin.post("/admin/invitations", json={"uses": 30}), 201)
    assert shown() == {"market": False, "invitation": True, "looks": False, "over": False}
    service.event(publish=False)
    assert shown() == {"market": True, "invitation": True, "looks": False, "over": False}
    # A site whose first event is a week old is no new one, such as one of an earlier release.
    service.clock.advance(7 * DAY_MS)
    service.sign_out_shared()
    assert shown()["over"]


def test_all_done_is_over(start_service: Callable[..., Service]) -> None:
    service = start_service(site_name="Class 9b")
    expect(service.admin.post("/admin/invitations", json={"uses": 1}), 201)
    service.event()
    # Its first admin has named it on the way.
    assert expect(service.admin.get("/admin/first-hour"), 200)["looks"] is False
    accents = {"accent_light": "#7a1f5c", "accent_dark": "#f3a6d4"}
    expect(service.admin.put("/admin/looks/theme", json=accents), 200)
    settle(service)
    assert expect(service.admin.get("/admin/first-hour"), 200) == {
        "market": True,
        "invitation": True,
        "looks": True,
        "over": True,
    }


def test_put_away_holds_for_all_admins_and_stands_in_the_log_once(start_service: Callable[..., Service]) -> None:
    service = start_service()
    other = service.user(admin=True)
    for _ in range(2):
        assert expect(service.admin.delete("/admin/first-hour"), 200) == {}
    service.restart()
    client = service.client(token=service.sign_in(other.email, other.password))
    assert expect(client.get("/admin/first-hour"), 200)["over"]
    entries = expect(client.get("/admin/log", params={"action": "first_hour.put_away"}), 200)["entries"]
    assert [entry["target"] for entry in entries] == ["site"]


@ONCE
def test_only_admins_see_and_end_it(service: Service) -> None:
    someone = service.user(creator=True, operator=True).client
    refused(someone.get("/admin/first-hour"), 403, "forbidden")
    refused(someone.delete("/admin/first-hour"), 403, "forbidden")
    refused(service.client().get("/admin/first-hour"), 401, "unauthorized")
