"""The commands and their options. Each command parses, calls one function of a package, and prints the result."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from foreknow.commands.cli.alert_commands import alerts
from foreknow.commands.cli.arguments import AsJson, Host, Port, Switch, Whole
from foreknow.commands.cli.invite_commands import invitations
from foreknow.commands.cli.partner_commands import partners
from foreknow.commands.cli.settings_commands import site_settings
from foreknow.commands.cli.site_commands import mail, site
from foreknow.commands.cli.user_commands import users
from foreknow.kernel.versions import full_version

program = cyclopts.App(
    name="foreknow",
    help="A prediction-market service. `foreknow init` sets a site up; docs/settings.md lists all settings.",
    version=lambda: f"foreknow {full_version()}",
    version_flags=["--version"],
    help_flags=["--help", "-h"],
    exit_on_error=False,
    print_error=False,
)
program.command(users)
program.command(invitations)
program.command(partners)
program.command(site)
program.command(mail)
program.command(alerts)
program.command(site_settings)

PORT_MAX = 65_535
#: Exit code of a process that Ctrl-C ended, as shells report it.
INTERRUPTED = 130
WORKERS_MAX = 1_024


@program.command
def serve(
    *,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Annotated[int, Whole, Parameter(help="Processes; more than 1 need PostgreSQL.")] = 1,
) -> None:
    """Run the service until SIGTERM or Ctrl-C."""
    from foreknow.commands.cli.database import prepare, settings, setup_link
    from foreknow.commands.cli.errors import WrongUsage
    from foreknow.kernel.logging import configure_logging
    from foreknow.people.alerts import channels_of
    from foreknow.service.server import serve as serve_until_stopped
    from foreknow.service.worker_processes import serve_together
    from foreknow.site.looks import read_looks

    _check_address(port)
    if not 1 <= workers <= WORKERS_MAX:
        raise WrongUsage(f"--workers is from 1 to {WORKERS_MAX}")
    given = settings()
    _check_test_clock(loopback=given.test_clock is None or given.model_copy(update={"listen_host": host}).is_loopback)
    url = given.resolved_database_url
    if workers > 1 and url.startswith("sqlite:"):
        raise WrongUsage("--workers over 1 needs PostgreSQL: SQLite is written by one process (FOREKNOW_DATABASE_URL)")
    read_looks(given.site_dir)
    channels_of(given)
    configure_logging(level=given.log_level, form=given.log_format)
    prepare(given)
    on_serving = setup_link(given)
    if workers == 1:
        serve_until_stopped(given, host=host, port=port, on_serving=on_serving)
    else:
        serve_together(given, host=host, port=port, workers=workers, on_serving=on_serving)


@program.command
def demo(*, host: Host = "127.0.0.1", port: Port = 8000, open: bool = True) -> None:  # noqa: A002 - the option's name
    """Run the service with 58 real markets in it, ten of them still open, one that recurs, and a few live traders.

    Parameters
    ----------
    open
        Open a browser where there is a display.

    """
    from foreknow.commands.cli.database import settings
    from foreknow.commands.cli.demo import invite, load_demo, open_browser, open_shop, show_accounts
    from foreknow.commands.demo import exchange
    from foreknow.commands.demo.traders import DemoTraders
    from foreknow.commands.demo.welcome import as_served
    from foreknow.kernel.logging import configure_logging
    from foreknow.service.server import bind
    from foreknow.service.server import serve as serve_until_stopped

    _check_address(port)
    given = settings()
    is_loopback = given.model_copy(update={"listen_host": host}).is_loopback
    _check_test_clock(loopback=given.test_clock is None or is_loopback)
    # Fail on a port in use now, not after loading the demo.
    bind(host=host, port=port).close()
    run = load_demo(given)
    # Elsewhere than on this machine, passwords and the key would be everybody's.
    partner_key = open_shop(given, run) if is_loopback and given.takes_orders else None
    invitation = invite(given, run) if is_loopback else ""
    configure_logging(level=given.log_level, form=given.log_format)
    traders = DemoTraders(run, trade=given.takes_orders)

    def on_serving(url: str) -> None:
        traders.start(url)
        if is_loopback:
            show_accounts(run, url, partner_key, invitation)
        if open:
            open_browser(url)

    with exchange.serving() as provider:
        providers = [*given.asset_providers, provider]
        hosts = given.webhook_internal_hosts or ("127.0.0.1,localhost" if is_loopback else "")
        update = {"asset_providers": providers, "webhook_internal_hosts": hosts}
        demo_settings = as_served(given).model_copy(update=update)
        try:
            serve_until_stopped(demo_settings, host=host, port=port, on_serving=on_serving)
        finally:
            traders.stop()


@program.command(name="status")
def status_command(*, as_json: AsJson = False) -> None:
    """Show how the site is: what runs, whether it sends, its newest backup, what waits for a person."""
    from foreknow.commands.cli.status_command import show_status

    show_status(as_json=as_json)


@program.command
def upgrade(
    *, backups: Annotated[Path | None, Parameter(help="Where the backup goes; else into the data folder.")] = None
) -> None:
    """Back up, bring the database up to date for this release, audit it, and say how to restart what runs.

    Of a checkout after `git pull`, of a wheel after `pip install`.
    """
    from foreknow.commands.cli.upgrade_command import upgrade as upgrade_site

    upgrade_site(backups)


@program.command(name="migrate")
def migrate_command() -> None:
    """Bring the database up to date, as nearly every other command does first."""
    from foreknow.commands.cli.database import settings
    from foreknow.platform.db.migrate import migrate

    done = migrate(settings().resolved_database_url)
    print("The database is now up to date." if done else "The database was up to date.")


@program.command
def replay(
    trades: Path,
    /,
    *,
    url: Annotated[str, Parameter(help="A running service; FOREKNOW_TOKEN is an admin's access token there.")] = "",
) -> None:
    """Drive recorded trades through the public interface and compare every price.

    Without --url, the service is started for it on the configured database.
    """
    from foreknow.commands.cli.database import settings
    from foreknow.commands.cli.errors import CommandFailed, WrongUsage
    from foreknow.commands.cli.replay import replay_here, replay_there

    given = settings(opens_database=not url)
    if url and not url.startswith(("http://", "https://")):
        raise WrongUsage("--url begins with http:// or https://")
    if url and not given.token.get_secret_value():
        raise WrongUsage("with --url, FOREKNOW_TOKEN must be an admin's access token of that service")
    good = replay_there(given, trades, url) if url else replay_here(given, trades)
    if not good:
        raise CommandFailed("the replay is outside its bounds: the table says where")


@program.command(name="verify")
def verify_command(url: str, /, *, as_json: AsJson = False) -> None:
    """Work a site out again from what it shows everyone: prices, trades, matches, what the house paid, results, feed.

    Where only members read, FOREKNOW_TOKEN is an API key or an access token.
    """
    from foreknow.commands.cli.database import settings
    from foreknow.commands.cli.errors import CommandFailed, WrongUsage
    from foreknow.commands.cli.verify_command import verify_site

    if not url.startswith(("http://", "https://")):
        raise WrongUsage("URL begins with http:// or https://")
    wrong = verify_site(url, token=settings(opens_database=False).token.get_secret_value() or None, as_json=as_json)
    if wrong:
        raise CommandFailed(f"what {url} shows does not agree, in {wrong} places")


@program.command(name="copy")
def copy_command(
    *,
    to: Annotated[str, Parameter(help="postgresql://user[:password]@host:port/name or sqlite:///path, empty.")],
) -> None:
    """Copy the whole installation into another database, and prove that both are the same and right.

    It is copied as it is at one moment. To move, stop the service first.
    """
    from foreknow.commands.cli.copy_backup import copy_there
    from foreknow.commands.cli.database import check_url, settings

    source_url = settings(opens_database=False).resolved_database_url
    check_url(to, named="--to")
    copy_there(source_url, to)


@program.command
def backup(folder: Path, /) -> None:
    """Back up the site as it is at this moment into a new folder in FOLDER, beside a running service.

    The database, the settings, the looks and the images. Backups over FOREKNOW_BACKUP_DAYS days old are deleted there.
    """
    from foreknow.commands.cli.copy_backup import back_up_into
    from foreknow.commands.cli.database import settings

    back_up_into(settings(opens_database=False), folder)


@program.command(name="audit")
def audit_command() -> None:
    """Prove the books from the rows alone: a line a check."""
    from foreknow.commands.audit import CHECKS, Check, Finding, audit
    from foreknow.commands.cli.database import read_snapshot, require_database, settings
    from foreknow.commands.cli.errors import CommandFailed
    from foreknow.platform.db.engine import name_of
    from foreknow.platform.db.migrate import migrate

    def show(check: Check, findings: list[Finding]) -> None:
        print(f"{'WRONG' if findings else 'ok   '}  {check.invariant}", flush=True)
        for finding in findings:
            print(f"       {finding.text}", flush=True)

    url = require_database(settings(opens_database=False))
    migrate(url)
    found = read_snapshot(url, lambda tx: audit(tx, after_each=show))
    if found:
        wrong = len({finding.check for finding in found})
        raise CommandFailed(f"the books of {name_of(url)} are wrong: {wrong} of {len(CHECKS)} checks found something")
    print(f"Audited {name_of(url)}.", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process: exit 0, 1 for a failure, 2 for wrong usage, with one line for each failure."""
    try:
        program(arguments)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as failure:
        # Importing the expected errors loads half the packages; doing it only here keeps `--help` quick.
        from foreknow.commands.cli.errors import EXPECTED, explain

        if not isinstance(failure, EXPECTED):
            raise
        code, text = explain(failure)
        print(f"foreknow: {text}", file=sys.stderr)
        sys.exit(code)


def _check_address(port: int) -> None:
    from foreknow.commands.cli.errors import WrongUsage

    if not 0 <= port <= PORT_MAX:
        raise WrongUsage(f"--port is from 0 to {PORT_MAX}")


def _check_test_clock(*, loopback: bool) -> None:
    from foreknow.commands.cli.errors import WrongUsage

    if not loopback:
        raise WrongUsage("FOREKNOW_TEST_CLOCK needs a loopback --host: anyone who writes the file sets the time")


@program.command
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
