"""`foreknow init`: asks for what a site of one's own needs, and writes it into the data folder."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from foreknow.commands.cli.arguments import Switch, Whole


def init(
    *,
    site_name: Annotated[str | None, Parameter(help="What the site is called.")] = None,
    currency: Annotated[str | None, Parameter(help="points, a code such as EUR, or JSON (docs/settings.md).")] = None,
    sign_up: Annotated[str | None, Parameter(help="Who may make an account: on, invite or off.")] = None,
    sign_up_kopecks: Annotated[
        int | None, Whole, Parameter(help="What a newcomer begins with, hundredths of the currency.")
    ] = None,
    public_url: Annotated[str | None, Parameter(help="Its address, such as forecasts.example.org.")] = None,
    admin_email: Annotated[str | None, Parameter(help="E-mail address of the first admin.")] = None,
    admin_name: Annotated[str | None, Parameter(help="The first admin's name.")] = None,
    admin_password_stdin: Annotated[
        bool, Switch, Parameter(help="Read the first admin's password from standard input.")
    ] = False,
    smtp_url: Annotated[
        str | None, Parameter(help="Mail server; other users of this machine may see it: FOREKNOW_SMTP_URL is safer.")
    ] = None,
    email_from: Annotated[str | None, Parameter(help="Sender of mails.")] = None,
    sign_up_domains: Annotated[
        str | None, Parameter(help="Domains of e-mail addresses that accounts may have.")
    ] = None,
    yes: Annotated[
        bool, Switch, Parameter(help="Ask nothing: keep what is set, and take defaults for the rest.")
    ] = False,
) -> None:
    """Set up a site: ask for its settings, and write them where every command reads them.

    Run again, it shows what is set and changes what is asked. An option answers its question.
    """
    from foreknow.commands.cli.interview import set_up
    from foreknow.commands.cli.user_commands import password_from_stdin

    options = {
        "site_name": site_name,
        "currency": currency,
        "sign_up": sign_up,
        "sign_up_kopecks": None if sign_up_kopecks is None else str(sign_up_kopecks),
        "public_url": public_url,
        "admin_email": admin_email,
        "admin_name": admin_name,
        "admin_password": password_from_stdin() if admin_password_stdin else None,
        "smtp_url": smtp_url,
        "email_from": email_from,
        "sign_up_domains": sign_up_domains,
    }
    set_up({field: text for field, text in options.items() if text is not None}, asks=not yes)
