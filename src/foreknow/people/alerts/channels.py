"""Where alerts go: Telegram, Slack, e-mail, a webhook or whatever else apprise has a URL for."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from foreknow.kernel.settings import Settings
from foreknow.kernel.startup import WrongSetting

#: A comma may stand inside a URL; what ends one is white space, a comma or a semicolon before the next scheme.
_BETWEEN = re.compile(r"[\s,;]+(?=[A-Za-z][A-Za-z0-9+.-]*://)")


class WrongAlertUrl(WrongSetting):
    """One of the settings' URLs means nothing to apprise; the text says which, and nothing of what is in it."""


class Channel:
    """One URL of the settings."""

    def __init__(self, url: str) -> None:
        """Understand `url`, or raise `ValueError`."""
        # Half a second and 25 MB that only those shall pay who set a URL.
        from apprise import Apprise, AppriseAsset  # noqa: PLC0415

        # It names us in messages and in the User-Agent, and writes nothing secret into the log.
        asset = AppriseAsset(app_id="Foreknow", app_desc="Foreknow", app_url="", secure_logging=True)
        self._apprise = Apprise(asset=asset)
        with _without_apprise_log():
            understood = self._apprise.add(url)
        if not understood:
            raise ValueError("apprise does not understand this URL")
        self.kind = url.partition("://")[0]
        self.fingerprint = _fingerprint(url)

    def send(self, title: str, text: str) -> bool:
        """Send, and return whether the service accepted it. Blocks for some seconds; never raises."""
        return bool(self._apprise.notify(title=title, body=text))


@contextmanager
def _without_apprise_log() -> Iterator[None]:
    """Silence apprise: what it logs about a URL that it cannot read quotes the URL, secure logging or not."""
    logger = logging.getLogger("apprise")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _fingerprint(url: str) -> str:
    """Return what stands for a URL in the database, the same in every process that has it in its settings.

    Slow on purpose: a thief of the database must not find the URL's password by trying.
    """
    return hashlib.scrypt(url.encode(), salt=b"foreknow support alerts", n=2**14, r=8, p=1, dklen=16).hex()


def channels_of(settings: Settings) -> tuple[Sequence[Channel], Sequence[Channel]]:
    """Return the channels of the support team and of the operators, as set; `WrongAlertUrl`."""
    return (
        read_channels(settings.support_alert_urls.get_secret_value()),
        read_channels(settings.operator_alert_urls.get_secret_value(), setting="FOREKNOW_OPERATOR_ALERT_URLS"),
    )


def read_channels(urls: str, *, setting: str = "FOREKNOW_SUPPORT_ALERT_URLS") -> Sequence[Channel]:
    """Read apprise URLs of `setting`, separated by commas or white space; `WrongAlertUrl`.

    One that stands twice counts once.
    """
    found: dict[str, Channel] = {}
    for number, url in enumerate(filter(None, _BETWEEN.split(urls.strip(" \t\r\n,;"))), start=1):
        try:
            channel = Channel(url)
        except ValueError as wrong:
            raise WrongAlertUrl(setting, f"URL number {number} is not one of apprise's") from wrong
        found[channel.fingerprint] = channel
    return list(found.values())
