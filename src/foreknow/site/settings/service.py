"""Changing what the site has set: what refuses a change, in the contract's sequence, and the change itself."""

from __future__ import annotations

from pydantic import ValidationError

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import BadRequest, InvalidState
from foreknow.kernel.setting_errors import variable_of
from foreknow.kernel.settings import Settings
from foreknow.kernel.site_settings import SiteValues, faults, is_fixed, overlaid, values_of
from foreknow.kernel.startup import WrongSetting
from foreknow.money.ledger import transfer_ids
from foreknow.people import admin_log, notifications
from foreknow.people.notifications.kinds.run import SettingsChanged
from foreknow.people.users import store as users
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.settings import store
from foreknow.platform.settings.store import StoredSettings
from foreknow.site.settings.errors import SetByEnvironment, WouldNotCount


def change(
    tx: WriteTx, given: Settings, changes: SiteValues, by: UserCaller | None, *, version: int | None, at_ms: int
) -> StoredSettings:
    """Change what is stored, and return it; `given` are the environment's settings, `by` is None on the command line.

    `version`: the one that was seen; None: whichever. Raises `BadRequest`, `SetByEnvironment`, `InvalidState`,
    `WouldNotCount`.
    """
    found = store.lock(tx, currency_code=_code(_together(given, store.find(tx).values) or given))
    wrong = {f"changes.{name}": text for name, text in faults(given, found.values, changes).items()}
    if wrong:
        raise BadRequest("; ".join(wrong.values()), fields=wrong)
    fixed = [name for name, value in changes.items() if value is not None and is_fixed(given, name)]
    if fixed:
        variables = ", ".join(map(variable_of, fixed))
        raise SetByEnvironment(f"The server's environment, or its foreknow.env, sets {variables}.", names=fixed)
    merged = {name: value for name, value in {**found.values, **changes}.items() if value is not None}
    # None while others of a site that cannot start are still wrong.
    after = _together(given, merged)
    counts = {} if after is None else values_of(after)
    wanted = {name: value if is_fixed(given, name) else counts.get(name, value) for name, value in merged.items()}
    if wanted == found.values:
        return found
    if version is not None and version != found.version:
        raise InvalidState("The settings were changed meanwhile: look at them again.", version=found.version)
    code = found.currency_code if after is None else _code(after)
    if code != found.currency_code and has_entries(tx):
        raise InvalidState("Amounts were written in this currency already: it keeps its code.")
    before = _together(given, found.values)
    if by is not None and before is not None and after is not None:
        email_verified = users.person(tx, by.user_id).email_verified
        counted, counts_on = (each.counts_as_verified(email_verified=email_verified) for each in (before, after))
        if counted and not counts_on:
            raise WouldNotCount
    changed = found._replace(version=found.version + 1, values=wanted, currency_code=code)
    store.store(tx, changed)
    _tell(tx, by, found.values, wanted, at_ms=at_ms)
    return changed


def _together(given: Settings, stored: SiteValues) -> Settings | None:
    """Return the settings with these stored; None where they are wrong."""
    try:
        return overlaid(given, stored)
    except ValidationError:
        return None


def _code(settings: Settings) -> str:
    return settings.currency.code or ""


def _tell(tx: WriteTx, by: UserCaller | None, old: SiteValues, new: SiteValues, *, at_ms: int) -> None:
    """Log a change, and notify all other admins."""
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    details = {"old": {name: old.get(name) for name in names}, "new": {name: new.get(name) for name in names}}
    admin_log.record(tx, by, action="settings_changed", target="site", details=details, at_ms=at_ms)
    notices = notifications.NewNotifications(None, at_ms=at_ms)
    for user_id in users.admin_ids(tx):
        if by is None or user_id != by.user_id:
            notices.add(user_id, SettingsChanged())
    notifications.record(tx, notices)


def note_start(tx: WriteTx, given: Settings) -> None:
    """Check what is stored beside the environment's settings, at a start; `WrongSetting` names all that is wrong."""
    found = store.find(tx)
    wrong = faults(given, {}, {name: value for name, value in found.values.items() if not is_fixed(given, name)})
    if wrong:
        raise WrongSetting("What the site has set", "; ".join(wrong.values()))
    code = _code(overlaid(given, found.values))
    if found.currency_code is None:
        store.lock(tx, currency_code=code)
    elif found.currency_code != code:
        if has_entries(tx):
            raise WrongSetting("FOREKNOW_CURRENCY", f"the ledger is in {found.currency_code or 'play money'} already")
        store.store(tx, found._replace(currency_code=code))


def has_entries(tx: WriteTx) -> bool:
    """Return whether the ledger has an entry."""
    newest, _ = transfer_ids(tx)
    return newest > 0
