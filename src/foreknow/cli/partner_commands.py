"""Commands of partners, their keys and floats."""

from __future__ import annotations

from typing import Annotated

import cyclopts

from foreknow.cli.arguments import AsJson, Kopecks, Whole

partners = cyclopts.App(name="partner", help="Partners, their keys and floats.")


@partners.command(name="add")
def add_partner_command(name: str, /) -> None:
    """Make a partner. Its API key is the last line, alone; it cannot be shown again."""
    from foreknow.admin.service import add_partner
    from foreknow.cli import database
    from foreknow.db.clock import now_ms

    url = database.settings().resolved_database_url
    added = database.write(url, lambda tx: add_partner(tx, None, name=name, at_ms=now_ms(tx)))
    print(f"Partner {added.name}, key {added.key.id}. Send it as X-Partner-Key; it is not shown again:")
    print(added.key.key)


@partners.command(name="deposit")
def deposit_command(name: str, kopecks: Kopecks, /) -> None:
    """Put money from outside on a partner's float."""
    from foreknow.admin.service import deposit
    from foreknow.cli import database
    from foreknow.db.clock import now_ms

    url = database.settings().resolved_database_url
    done = database.write(url, lambda tx: deposit(tx, None, name=name, amount_kopecks=kopecks, at_ms=now_ms(tx)))
    print(f"The float of {done.partner} is now {done.float_balance_kopecks} kopecks.")


@partners.command(name="list")
def list_command(*, as_json: AsJson = False) -> None:
    """List all partners, the newest first, with their floats and what their users hold."""
    from foreknow.cli import database
    from foreknow.cli.accounts import list_partners
    from foreknow.cli.output import show

    show("partners", database.read(database.settings().resolved_database_url, list_partners), as_json=as_json)


@partners.command(name="keys")
def keys_command(name: str, /, *, as_json: AsJson = False) -> None:
    """List a partner's live keys, without the keys themselves."""
    from foreknow.cli import database
    from foreknow.cli.accounts import list_keys
    from foreknow.cli.output import show

    url = database.settings().resolved_database_url
    show("keys", database.read(url, lambda tx: list_keys(tx, name=name)), as_json=as_json)


@partners.command(name="rotate")
def rotate_command(name: str, /, *, as_json: AsJson = False) -> None:
    """Issue a further key: the last line, alone. The older one works until `partner revoke` ends it."""
    from foreknow.admin.service import issue_partner_key
    from foreknow.cli import database
    from foreknow.cli.output import show_json
    from foreknow.db.clock import now_ms

    url = database.settings().resolved_database_url
    issued = database.write(url, lambda tx: issue_partner_key(tx, None, name=name, at_ms=now_ms(tx)))
    if as_json:
        show_json({"id": issued.id, "key": issued.key})
        return
    print(f"Key {issued.id} of {name}. Send it as X-Partner-Key; it is not shown again:")
    print(issued.key)


@partners.command(name="revoke")
def revoke_command(name: str, key_id: Annotated[int, Whole], /, *, as_json: AsJson = False) -> None:
    """End a key permanently; running servers refuse it within a second."""
    from foreknow.admin.service import revoke_partner_key
    from foreknow.cli import database
    from foreknow.cli.output import show_json
    from foreknow.db.clock import now_ms

    url = database.settings().resolved_database_url
    database.write(url, lambda tx: revoke_partner_key(tx, None, name=name, key_id=key_id, at_ms=now_ms(tx)))
    if as_json:
        show_json({"id": key_id, "revoked": True})
        return
    print(f"Key {key_id} of {name} is revoked.")
