"""The units of systemd in deploy/: the backup is confined at least as the service is."""

from __future__ import annotations

from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"
#: Settings that confine a process begin so.
CONFINES = (
    "NoNew",
    "Capability",
    "Protect",
    "Private",
    "Restrict",
    "Lock",
    "SystemCall",
    "UMask",
)


def settings(name: str) -> dict[str, str]:
    lines = (DEPLOY / name).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_the_backup_is_confined_as_the_service_is() -> None:
    service, backup = settings("foreknow@.service"), settings("foreknow-backup.service")
    confining = {name: value for name, value in service.items() if name.startswith(CONFINES)}

    assert len(confining) > 15
    assert {name: backup.get(name) for name in confining} == confining


def test_both_read_the_same_settings_and_are_of_the_same_user() -> None:
    service, backup = settings("foreknow@.service"), settings("foreknow-backup.service")

    for name in ("User", "Group", "EnvironmentFile", "WorkingDirectory"):
        assert backup[name] == service[name]
