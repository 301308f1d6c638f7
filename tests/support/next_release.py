"""Migrations as a release to come might have them."""

from __future__ import annotations

from pathlib import Path

from foreknow.platform.db import migrate as migrations

_TEXT = '''"""A step of a release to come."""
import sqlalchemy as sa
from alembic import op
from foreknow.platform.db.migrations.operations import add_index
revision = "{revision}"
down_revision = "{before}"
def upgrade():
    {body}
'''
ADD_COLUMN = 'op.add_column("trades", sa.Column("mood", sa.Text(), nullable=False, server_default="calm"))'
ADD_INDEX = 'add_index("ix_trades_mood", "trades", ["mood", "id"])'


def add_migrations(folder: Path, *bodies: str) -> tuple[Path, ...]:
    """Write migrations from 9001 on, each after the one before, into a folder; return all folders of migrations."""
    before = find_newest(migrations.VERSIONS)
    for number, body in enumerate(bodies, 9001):
        text = _TEXT.format(revision=number, before=before, body=body)
        (folder / f"{number}_next.py").write_text(text)
        before = str(number)
    return (*migrations.VERSIONS, folder)


def find_newest(folders: tuple[Path, ...]) -> str:
    """Return the newest migration of folders."""
    return max(path.name[:4] for folder in folders for path in folder.glob("[0-9]*.py"))
