"""What counts of the site's settings when looks at them end in another order than they began."""

from __future__ import annotations

from foreknow.kernel.settings import Settings
from foreknow.platform.settings import LiveSettings
from foreknow.platform.settings.store import StoredSettings


def found(version: int, name: str) -> StoredSettings:
    return StoredSettings(version, {"site_name": name}, None)


def test_what_began_before_a_change_does_not_take_it_back() -> None:
    at_s = [0.0]
    live = LiveSettings(Settings(), timer=lambda: at_s[0])
    assert live.take(found(1, "Before"))
    at_s[0] = 100.0
    assert live.take(found(2, "After"))
    at_s[0] = 104.0
    assert not live.take(found(1, "Before"))
    assert (live.now.site_name, live.version) == ("After", 2)
    # It was a look for all that.
    at_s[0] = 108.0
    assert not live.is_blind
