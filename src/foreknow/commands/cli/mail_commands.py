"""Commands of mails to users."""

from __future__ import annotations

import cyclopts

mail = cyclopts.App(name="mail", help="Mails to users.")


@mail.command(name="test")
def test_command(address: str, /) -> None:
    """Send a mail to ADDRESS as the service would, and say what the mail server answers."""
    import asyncio

    from foreknow.commands.cli import database
    from foreknow.commands.cli.errors import CommandFailed, WrongUsage
    from foreknow.people.mail.trial import NotSent, send_test_mail

    given = database.settings(opens_database=False)
    if not given.sends_mail:
        raise WrongUsage("FOREKNOW_SMTP_URL is not set: this site sends no mail (docs/mail.md)")
    try:
        asyncio.run(send_test_mail(given, address))
    except NotSent as failure:
        raise CommandFailed(str(failure)) from None
    print(f"The mail server has taken a mail to {address}: look whether it arrives, and where.")
