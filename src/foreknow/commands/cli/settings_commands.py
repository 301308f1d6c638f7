"""Commands of the settings: what holds, and setting what the site keeps in its database."""

from __future__ import annotations

import cyclopts

from foreknow.commands.cli.arguments import AsJson

site_settings = cyclopts.App(name="settings", help="The settings: what holds, and what the site sets by itself.")


@site_settings.default
def show_command(*, as_json: AsJson = False) -> None:
    """Show every setting as it holds, and where it comes from. Secrets are hidden."""
    import os

    from foreknow.commands.cli.database import check_url, stored_settings
    from foreknow.commands.cli.environment import configuration, describe
    from foreknow.commands.cli.output import show

    holding = configuration(os.environ)
    check_url(holding.settings.resolved_database_url, named="FOREKNOW_DATABASE_URL")
    found = describe(holding, stored_settings(holding.settings.resolved_database_url))
    rows = [{"name": each.variable, "value": each.value, "source": each.source} for each in found]
    show("settings", rows, as_json=as_json)


@site_settings.command(name="set")
def set_command(name: str, value: str, /) -> None:
    """Set what the site keeps in its database, as its admins do in the browser.

    Parameters
    ----------
    name
        A variable's name in lower case, without its prefix: site_name.
    value
        JSON of its type: '"Club"', 100000, '["example.org"]'.

    """
    import json

    from foreknow.commands.cli.errors import WrongUsage

    try:
        wanted = json.loads(value)
    except ValueError:
        raise WrongUsage(f"{value!r} is no JSON; a text stands in quotes: '\"Club\"'") from None
    if wanted is None:
        raise WrongUsage(f"null sets nothing: foreknow settings unset {name}")
    _change(name, wanted)


@site_settings.command(name="unset")
def unset_command(name: str, /) -> None:
    """Let the site set this no more.

    Parameters
    ----------
    name
        A variable's name in lower case, without its prefix: site_name.

    """
    _change(name, None)


def _change(name: str, value: object) -> None:
    from foreknow.commands.cli import database
    from foreknow.commands.cli.errors import WrongUsage
    from foreknow.kernel.errors import BadRequest
    from foreknow.platform.db.clock import now_ms
    from foreknow.platform.db.engine import name_of
    from foreknow.site.settings.service import change

    given = database.settings()
    try:
        changed = database.write(
            given, lambda tx: change(tx, given, {name: value}, None, version=None, at_ms=now_ms(tx))
        )
    except BadRequest as error:
        raise WrongUsage(error.text) from None
    print(f"{name_of(given.resolved_database_url)} has version {changed.version} of its settings.")
