"""Commands of accounts of people."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts
from cyclopts import Parameter

from foreknow.commands.cli.arguments import AsJson, KopecksArgument, Switch, Whole

if TYPE_CHECKING:
    from foreknow.people.users.store import Role

users = cyclopts.App(name="user", help="Accounts of people.")

#: Where `serve` listens by default.
LOCAL_ORIGIN = "http://127.0.0.1:8000"
#: Users that `user list` shows, unless another number is given.
LISTED = 100
RoleName = Literal["creator", "admin", "stats-viewer", "operator"]
ROLES: Mapping[RoleName, Role] = {
    "creator": "creator",
    "admin": "admin",
    "stats-viewer": "stats_viewer",
    "operator": "operator",
}
Limit = Annotated[int, Whole, Parameter(help="The most users to show.")]


def _role_name(_type: Any, tokens: Sequence[cyclopts.Token]) -> str:
    # As the switches are spelled, and as `user list` shows it.
    name = tokens[0].value.replace("_", "-")
    if name not in ROLES:
        raise ValueError(f"{name!r} is no role: {', '.join(ROLES)}")
    return name


@users.command
def add(
    email: str,
    /,
    *,
    name: Annotated[str, Parameter(help="What others see.")],
    password_stdin: Annotated[bool, Switch, Parameter(help="Read the password from standard input; needed.")] = False,
    creator: Annotated[bool, Switch, Parameter(help="May create events.")] = False,
    admin: Annotated[bool, Switch, Parameter(help="May administer the service.")] = False,
    stats_viewer: Annotated[bool, Switch, Parameter(help="May see the statistics.")] = False,
    operator: Annotated[bool, Switch, Parameter(help="May answer the support chat.")] = False,
) -> None:
    """Make an account, with roles."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import add_user
    from foreknow.commands.cli.errors import WrongUsage

    if not password_stdin:
        raise WrongUsage("say --password-stdin and send the password to standard input")
    roles = {"is_creator": creator, "is_admin": admin, "is_stats_viewer": stats_viewer, "is_operator": operator}
    given = database.settings()
    password = password_from_stdin()
    user_id = database.write(
        given,
        lambda tx: add_user(tx, given, email=email, password=password, name=name, roles=roles),
    )
    print(f"User {user_id} is {email}.")


@users.command(name="credit")
def credit_command(email: str, kopecks: KopecksArgument, /) -> None:
    """Give a user money from outside, or take it back (a number below 0)."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import credit_user

    given = database.settings(opens_database=False)
    balance_kopecks = database.write(
        given, lambda tx: credit_user(tx, email=email, amount_kopecks=kopecks), makes=False
    )
    print(f"{email} now has {database.counting(given).currency.written(balance_kopecks)}.")


@users.command(name="list")
def list_command(
    *,
    role: Annotated[RoleName | None, Parameter(help="Only those with this role.", converter=_role_name)] = None,
    search: Annotated[str, Parameter(help="Only those with this text in name, e-mail or nickname.")] = "",
    limit: Limit = LISTED,
    as_json: AsJson = False,
) -> None:
    """List users, the newest first, with their roles and balances."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import list_users
    from foreknow.commands.cli.errors import WrongUsage
    from foreknow.commands.cli.output import show

    if limit < 1:
        raise WrongUsage("--limit is 1 or more")
    given, its_role = database.settings(opens_database=False), None if role is None else ROLES[role]
    found = database.read(given, lambda tx: list_users(tx, role=its_role, part=search or None, limit=limit))
    show("users", found, as_json=as_json)


@users.command(name="roles")
def roles_command(
    email: str,
    /,
    *,
    creator: Annotated[bool | None, Parameter(help="May create events.")] = None,
    admin: Annotated[bool | None, Parameter(help="May administer the service.")] = None,
    stats_viewer: Annotated[bool | None, Parameter(help="May see the statistics.")] = None,
    operator: Annotated[bool | None, Parameter(help="May answer the support chat.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give roles to a user or take them; without an option, show them."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import change_roles, show_roles
    from foreknow.commands.cli.output import show

    asked = {"is_creator": creator, "is_admin": admin, "is_stats_viewer": stats_viewer, "is_operator": operator}
    wanted = {role: value for role, value in asked.items() if value is not None}
    given = database.settings(opens_database=False)
    if wanted:
        row = database.write(given, lambda tx: change_roles(tx, email=email, roles=wanted), makes=False)
    else:
        row = database.read(given, lambda tx: show_roles(tx, email=email))
    show("users", [row], as_json=as_json)


@users.command(name="token")
def token_command(email: str, /, *, as_json: AsJson = False) -> None:
    """Open a session for a user. Its access token, valid for 20 minutes, is the last line, alone."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import access_token
    from foreknow.commands.cli.output import show_json

    given = database.settings(opens_database=False)
    token = database.write(given, lambda tx: access_token(tx, given, email=email), makes=False)
    if as_json:
        show_json({"access_token": token.text, "expires_in": token.expires_in_s})
        return
    print(f"Anyone with this token acts as {email} for {token.expires_in_s} seconds:")
    print(token.text)


@users.command(name="reset")
def reset_command(email: str, /, *, as_json: AsJson = False) -> None:
    """Make a link that sets a user's new password: the last line, alone. It works once, within an hour."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import reset_link
    from foreknow.commands.cli.output import show_json
    from foreknow.kernel.clock import iso

    given = database.settings(opens_database=False)
    link = database.write(given, lambda tx: reset_link(tx, given, email=email), makes=False)
    url = link.url(given.public_origin or LOCAL_ORIGIN)
    if as_json:
        show_json({"url": url, "expires_at": iso(link.expires_at_ms)})
        return
    if not given.public_origin:
        print(f"FOREKNOW_PUBLIC_URL is not set: put the site's own address in place of {LOCAL_ORIGIN}")
    print(f"Anyone who opens this link sets the password of {email}. It works once, within an hour:")
    print(url)


def password_from_stdin() -> str:
    """Return a password that is all of standard input, or typed at a terminal; `CommandFailed` for no UTF-8."""
    from foreknow.commands.cli.errors import CommandFailed

    if sys.stdin.isatty():
        return getpass.getpass()
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise CommandFailed("the password is not UTF-8") from None
    # `echo` and editors add one line break.
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
