"""An admin sees when the newest backup was made, and says that a restored site is the site."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from foreknow.commands.cli.database import write
from foreknow.kernel.clock import iso
from foreknow.platform.sending.service import BY_OPERATOR
from foreknow.service.sending import guard_of
from foreknow.site.admin.backups import note_backup
from tests.support.kinds import ONCE
from tests.support.metrics import scrape, value
from tests.support.service import Service, expect, refused

AT_MS = 1_700_000_000_000


def test_a_held_site_goes_on_once_an_admin_says_that_it_is_the_site(start_service: Callable[..., Service]) -> None:
    service = start_service()
    assert expect(service.admin.get("/admin/upkeep"), 200) == {"newest_backup_at": None, "held": None}
    hold = write(service.settings, lambda tx: guard_of(service.settings).hold(tx))
    held = {"since": iso(hold.since_ms), "reason": BY_OPERATOR}
    assert expect(service.admin.get("/admin/upkeep"), 200)["held"] == held
    for _ in range(2):
        assert expect(service.admin.post("/admin/upkeep/confirm"), 200) == {}
    assert expect(service.admin.get("/admin/upkeep"), 200)["held"] is None
    assert expect(service.client().get("/ready"), 200) == {"status": "ready"}
    entries = expect(service.admin.get("/admin/log", params={"action": "site.confirm"}), 200)["entries"]
    assert [(entry["target"], entry["details"]) for entry in entries] == [("site", {"reason": BY_OPERATOR})]


def test_the_newest_backup_is_shown_and_measured(start_service: Callable[..., Service]) -> None:
    service = start_service()
    for at_ms in (AT_MS - 1, AT_MS):
        write(service.settings, partial(note_backup, at_ms=at_ms))
    assert expect(service.admin.get("/admin/upkeep"), 200)["newest_backup_at"] == iso(AT_MS)
    assert value(scrape(service), "foreknow_backup_timestamp_seconds") == AT_MS / 1000


def test_a_copy_for_a_trial_is_never_the_site(start_service: Callable[..., Service]) -> None:
    service = start_service(trial="on")
    assert expect(service.admin.get("/admin/upkeep"), 200)["held"]["reason"] == "FOREKNOW_TRIAL is on"
    refused(service.admin.post("/admin/upkeep/confirm"), 409, "invalid_state")


@ONCE
def test_only_admins_see_and_confirm_it(service: Service) -> None:
    someone = service.user(creator=True, operator=True).client
    refused(someone.get("/admin/upkeep"), 403, "forbidden")
    refused(someone.post("/admin/upkeep/confirm"), 403, "forbidden")
    refused(service.client().post("/admin/upkeep/confirm"), 401, "unauthorized")
