"""`foreknow upgrade`: a backup, the migration, and how to restart what runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from foreknow.commands.cli.again import again
from foreknow.commands.cli.copy_backup import back_up_into
from foreknow.commands.cli.database import settings
from foreknow.kernel.versions import full_version
from foreknow.platform.db.migrate import migrate

#: The folder of backups in the data folder, where none is named.
BACKUPS = "backups"


def upgrade(backups: Path | None) -> None:
    """Back up into a folder, the data folder's own if None, and migrate. Raises as `back_up_into` and `migrate`."""
    given = settings(opens_database=False)
    back_up_into(given, backups or given.data_dir / BACKUPS)
    done = migrate(given.resolved_database_url)
    print(f"The database {'is now' if done else 'was'} up to date for {full_version()}.")
    units = _running_units()
    if units:
        print(f"Restart what runs, as root: systemctl restart {' '.join(units)}")
    else:
        print(f"Restart what runs; start: {again(given)} serve")


def _running_units() -> list[str]:
    """Return the service's units of systemd that run on this machine."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return []
    asked = [systemctl, "list-units", "--plain", "--no-legend", "--state=running", "foreknow@*.service"]
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - the system's own program
    return [line.split()[0].removesuffix(".service") for line in ended.stdout.splitlines() if line.strip()]
