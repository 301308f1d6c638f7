"""The settings of a site as they count now: those of its environment, and those that its database keeps.

    tables  one row, with a version
    store   the row
    live    what a process knows of it, and looks for changes

What may stand there: `kernel/site_settings.py`. Changing it: `site/settings/` (ADR 0029).
"""

from foreknow.platform.settings.live import LiveSettings, SettingsWatch

__all__ = ["LiveSettings", "SettingsWatch"]
