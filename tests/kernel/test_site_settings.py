"""Changes of what a site has set, whatever a former release has stored."""

from __future__ import annotations

from foreknow.kernel.settings import Settings
from foreknow.kernel.site_settings import faults


def test_a_stored_name_that_is_none_now_can_be_unset_and_not_set() -> None:
    given = Settings()
    assert faults(given, {"of_later": 1}, {"of_later": None}) == {}
    for stored, changes in (({}, {"of_later": None}), ({"of_later": 1}, {"of_later": 2})):
        assert faults(given, stored, changes)["of_later"].startswith("FOREKNOW_OF_LATER is no setting of a site")
