"""Commands of what the site sends: whether it sends at all, and a mail that shows whether mails arrive."""

from __future__ import annotations

import cyclopts

from foreknow.commands.cli.arguments import AsJson
from foreknow.kernel.settings import Settings
from foreknow.people import admin_log
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.sending import Hold
from foreknow.service.sending import guard_of

site = cyclopts.App(
    name="site",
    help="Whether this database is the site, and so sends to partners and alert channels. One that was restored or "
    "copied is not, until an operator says so.",
)
mail = cyclopts.App(name="mail", help="Mails to users.")


@site.default
def status_command(*, as_json: AsJson = False) -> None:
    """Show whether sending is held, since when and why."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.output import show_json
    from foreknow.kernel.clock import iso
    from foreknow.service.sending import guard_of

    given = database.settings(opens_database=False)
    found = database.read(given, guard_of(given).look)
    # What was restored a moment ago is held from its first start on.
    reason = found.change or (found.hold.reason if found.hold else "")
    since = iso(found.hold.since_ms) if found.hold and not found.change else None
    if as_json:
        show_json({"held": {"since": since, "reason": reason} if reason else None})
    elif reason:
        print(f"It sends nothing{f' since {since}' if since else ''}: {reason}.")
        print("If this is the site: foreknow site confirm")
    else:
        print("It is the site: it sends.")


@site.command(name="confirm")
def confirm_command() -> None:
    """Say that this database is the site: what waits for partners and alert channels goes out."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.errors import WrongUsage
    from foreknow.commands.cli.site_commands import confirm
    from foreknow.platform.db.engine import name_of

    given = database.settings(opens_database=False)
    if given.trial == "on":
        raise WrongUsage("FOREKNOW_TRIAL is on: this database is a copy for a trial")
    ended = database.write(given, lambda tx: confirm(tx, given), makes=False)
    name = name_of(given.resolved_database_url)
    print(f"{name} is the site{', as it was' if ended is None else ': it sends from now on'}.")


@site.command(name="hold")
def hold_command() -> None:
    """Say that this database was restored or is a copy, where it cannot tell: it sends nothing, and its ids leap."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.site_commands import hold
    from foreknow.platform.db.engine import name_of

    given = database.settings(opens_database=False)
    held = database.write(given, lambda tx: hold(tx, given), makes=False)
    print(f"{name_of(given.resolved_database_url)} sends nothing: {held.reason}.")


def confirm(tx: WriteTx, settings: Settings) -> Hold | None:
    """Let the database send; return the hold that ends, None for none."""
    ended = guard_of(settings).confirm(tx)
    _log(tx, "site.confirm", ended)
    return ended


def hold(tx: WriteTx, settings: Settings) -> Hold:
    """Hold sending; return the hold, which may be an earlier one."""
    held = guard_of(settings).hold(tx)
    _log(tx, "site.hold", held)
    return held


def _log(tx: WriteTx, action: str, found: Hold | None) -> None:
    details = {} if found is None else {"reason": found.reason}
    admin_log.record(tx, None, action=action, target="site", details=details, at_ms=now_ms(tx))


@mail.command(name="test")
def test_command(address: str, /) -> None:
    """Send a mail to ADDRESS as the service would, and say what the mail server answers."""
    import asyncio

    from foreknow.commands.cli import database
    from foreknow.commands.cli.errors import CommandFailed, WrongUsage
    from foreknow.people.mail.opening import NotSent, send_test_mail

    given = database.settings(opens_database=False)
    if not given.sends_mail:
        raise WrongUsage("FOREKNOW_SMTP_URL is not set: this site sends no mail (docs/mail.md)")
    try:
        asyncio.run(send_test_mail(database.counting(given), address))
    except NotSent as failure:
        raise CommandFailed(str(failure)) from None
    print(f"The mail server has taken a mail to {address}: look whether it arrives, and where.")
