"""Commands of alerts to the team."""

from __future__ import annotations

import cyclopts

alerts = cyclopts.App(name="alerts", help="Alerts to operators and the support team.")


@alerts.command(name="test")
def test_command() -> None:
    """Send an alert to every channel, and say which has taken it."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.errors import CommandFailed, WrongUsage
    from foreknow.people.alerts import channels_of

    given = database.settings(opens_database=False)
    support, operators = channels_of(given)
    if not support and not operators:
        raise WrongUsage(
            "neither FOREKNOW_OPERATOR_ALERT_URLS nor FOREKNOW_SUPPORT_ALERT_URLS is set (docs/settings.md)"
        )
    title, text = f"Alerts of {database.counting(given).site_name} arrive", "Someone who runs it tries whether they do."
    refused = 0
    for setting, channels in (("FOREKNOW_SUPPORT_ALERT_URLS", support), ("FOREKNOW_OPERATOR_ALERT_URLS", operators)):
        for number, channel in enumerate(channels, start=1):
            is_taken = channel.send(title, text)
            refused += not is_taken
            print(f"{setting}, URL {number} ({channel.kind}): {'taken' if is_taken else 'not taken'}")
    if refused:
        raise CommandFailed(f"{refused} of {len(support) + len(operators)} channels did not take the alert")
