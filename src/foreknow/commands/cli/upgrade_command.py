"""`foreknow upgrade`: a backup, the migration, the audit, and how to restart what runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from foreknow.commands.audit import CHECKS, audit
from foreknow.commands.cli.again import again
from foreknow.commands.cli.copy_backup import back_up_into
from foreknow.commands.cli.database import read_snapshot, require_database, settings
from foreknow.commands.cli.errors import CommandFailed
from foreknow.kernel.versions import full_version
from foreknow.platform.db.migrate import find_missing, migrate

#: The folder of backups in the data folder, where none is named.
BACKUPS = "backups"


def upgrade(backups: Path | None) -> None:
    """Back up into a folder, the data folder's own if None, migrate, and audit.

    Nothing is done to a database that this release does not know. After a kill, the next run goes on.

    Raises as `find_missing`, `back_up_into` and `migrate`; `CommandFailed` where the audit finds an error.
    """
    given = settings(opens_database=False)
    url = require_database(given)
    missing = find_missing(url)
    folder = back_up_into(given, backups or given.data_dir / BACKUPS)
    done = migrate(url)
    print(f"The database {'is now' if done else 'was'} up to date for {full_version()}.")
    if done and missing:
        print(f"Migrations that ran: {', '.join(missing)}.")
    _audit(url, folder)
    units = _running_units()
    if units:
        print(f"Restart what runs, as root: systemctl restart {' '.join(units)}")
    else:
        print(f"Restart what runs; start: {again(given)} serve")


def _audit(url: str, folder: Path) -> None:
    """Prove the books as they are now; `CommandFailed`."""
    found = read_snapshot(url, audit)
    if found:
        wrong = len({finding.check for finding in found})
        raise CommandFailed(
            f"the books are wrong: {wrong} of {len(CHECKS)} checks found something (foreknow audit says what); the "
            f"backup from before is in {folder}"
        )
    print(f"The books are right ({len(CHECKS)} checks).")


def _running_units() -> list[str]:
    """Return the service's units of systemd that run on this machine."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return []
    asked = [systemctl, "list-units", "--plain", "--no-legend", "--state=running", "foreknow@*.service"]
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - the system's own program
    return [line.split()[0].removesuffix(".service") for line in ended.stdout.splitlines() if line.strip()]
