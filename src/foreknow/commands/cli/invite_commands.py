"""Commands of invitations."""

from __future__ import annotations

from typing import Annotated

import cyclopts
from cyclopts import Parameter

from foreknow.commands.cli.arguments import AsJson, Switch, Whole
from foreknow.commands.cli.user_commands import LOCAL_ORIGIN

#: Longest time for which an invitation is good, unless it never expires.
DAYS_MAX = 3650

invitations = cyclopts.App(name="invite", help="Invitations to make accounts.")


@invitations.command(name="add")
def add_command(
    *,
    uses: Annotated[int, Whole, Parameter(help="How many accounts may be made with it.")] = 1,
    days: Annotated[int | None, Whole, Parameter(help="Days until it expires; without it, it does not.")] = None,
    credit: Annotated[int, Whole, Parameter(help="What each new account gets, kopecks.")] = 0,
    creator: Annotated[bool, Switch, Parameter(help="Each new account may create events.")] = False,
    note: Annotated[str, Parameter(help="What it is for; only admins see it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make an invitation. Its link is the last line, alone; it cannot be shown again."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import add_invitation
    from foreknow.commands.cli.errors import WrongUsage
    from foreknow.commands.cli.output import show_json

    if days is not None and not 1 <= days <= DAYS_MAX:
        raise WrongUsage(f"--days is from 1 to {DAYS_MAX}")
    given = database.settings()
    made = database.write(
        given,
        lambda tx: add_invitation(tx, uses=uses, days=days, credit_kopecks=credit, creator=creator, note=note),
    )
    url = made.url(given.public_origin or LOCAL_ORIGIN)
    if as_json:
        show_json({"id": made.row.id, "url": url})
        return
    if not given.public_origin:
        print(f"FOREKNOW_PUBLIC_URL is not set: put the site's own address in place of {LOCAL_ORIGIN}")
    print(f"Invitation {made.row.id}, for {uses} new accounts by anyone who opens this link; it is not shown again:")
    print(url)


@invitations.command(name="list")
def list_command(*, as_json: AsJson = False) -> None:
    """List all invitations, the newest first, without their links."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import list_invitations
    from foreknow.commands.cli.output import show

    given = database.settings(opens_database=False)
    show("invitations", database.read(given, list_invitations), as_json=as_json)


@invitations.command(name="withdraw")
def withdraw_command(invitation_id: Annotated[int, Whole], /, *, as_json: AsJson = False) -> None:
    """Let no one use an invitation any more; accounts that were made with it stay."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import withdraw_invitation
    from foreknow.commands.cli.output import show

    given = database.settings(opens_database=False)
    row = database.write(given, lambda tx: withdraw_invitation(tx, invitation_id), makes=False)
    show("invitations", [row], as_json=as_json)
