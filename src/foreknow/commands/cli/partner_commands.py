"""Commands of partners, their keys and floats."""

from __future__ import annotations

from typing import Annotated

import cyclopts

from foreknow.commands.cli.arguments import AsJson, KopecksArgument, Whole

partners = cyclopts.App(name="partner", help="Partners, their keys and floats.")


@partners.command(name="add")
def add_partner_command(name: str, /) -> None:
    """Make a partner. Its API key is the last line, alone; it cannot be shown again."""
    from foreknow.commands.cli import database
    from foreknow.platform.db.clock import now_ms
    from foreknow.site.admin.service import add_partner

    given = database.settings()
    added = database.write(given, lambda tx: add_partner(tx, None, name=name, at_ms=now_ms(tx)))
    print(f"Partner {added.name}, key {added.key.id}. Send it as X-Partner-Key; it is not shown again:")
    print(added.key.key)


@partners.command(name="deposit")
def deposit_command(name: str, kopecks: KopecksArgument, /) -> None:
    """Put money from outside on a partner's float."""
    from foreknow.commands.cli import database
    from foreknow.platform.db.clock import now_ms
    from foreknow.site.admin.service import deposit

    given = database.settings(opens_database=False)
    done = database.write(
        given, lambda tx: deposit(tx, None, name=name, amount_kopecks=kopecks, at_ms=now_ms(tx)), makes=False
    )
    print(
        f"The float of {done.partner} is now {database.counting(given).currency.written(done.float_balance_kopecks)}."
    )


@partners.command(name="list")
def list_command(*, as_json: AsJson = False) -> None:
    """List all partners, the newest first, with their floats and what their users hold."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import list_partners
    from foreknow.commands.cli.output import show

    show("partners", database.read(database.settings(opens_database=False), list_partners), as_json=as_json)


@partners.command(name="keys")
def keys_command(name: str, /, *, as_json: AsJson = False) -> None:
    """List a partner's live keys, without the keys themselves."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.accounts import list_keys
    from foreknow.commands.cli.output import show

    given = database.settings(opens_database=False)
    show("keys", database.read(given, lambda tx: list_keys(tx, name=name)), as_json=as_json)


@partners.command(name="rotate")
def rotate_command(name: str, /, *, as_json: AsJson = False) -> None:
    """Issue a further key: the last line, alone. The older one works until `partner revoke` ends it."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.output import show_json
    from foreknow.platform.db.clock import now_ms
    from foreknow.site.admin.service import issue_partner_key

    given = database.settings(opens_database=False)
    issued = database.write(given, lambda tx: issue_partner_key(tx, None, name=name, at_ms=now_ms(tx)), makes=False)
    if as_json:
        show_json({"id": issued.id, "key": issued.key})
        return
    print(f"Key {issued.id} of {name}. Send it as X-Partner-Key; it is not shown again:")
    print(issued.key)


@partners.command(name="revoke")
def revoke_command(name: str, key_id: Annotated[int, Whole], /, *, as_json: AsJson = False) -> None:
    """End a key permanently; running servers refuse it within a second."""
    from foreknow.commands.cli import database
    from foreknow.commands.cli.output import show_json
    from foreknow.platform.db.clock import now_ms
    from foreknow.site.admin.service import revoke_partner_key

    given = database.settings(opens_database=False)
    database.write(
        given, lambda tx: revoke_partner_key(tx, None, name=name, key_id=key_id, at_ms=now_ms(tx)), makes=False
    )
    if as_json:
        show_json({"id": key_id, "revoked": True})
        return
    print(f"Key {key_id} of {name} is revoked.")
