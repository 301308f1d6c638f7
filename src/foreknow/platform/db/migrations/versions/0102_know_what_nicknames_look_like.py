"""Know what nicknames look like. Of those that stand and look alike, the oldest keeps others away."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from foreknow.kernel.look_alikes import skeleton

revision = "0102"
down_revision = "0101"

#: Rows that are read at a time.
_CHUNK = 5_000


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.add_column("users", sa.Column("nickname_skeleton", sa.Text(), nullable=True))
    connection = op.get_bind()
    users = sa.table("users", sa.column("id"), sa.column("nickname"), sa.column("nickname_skeleton"))
    seen: set[str] = set()
    last_id = 0
    while True:
        query = sa.select(users.c.id, users.c.nickname).where(users.c.id > last_id, users.c.nickname != "")
        rows = connection.execute(query.order_by(users.c.id).limit(_CHUNK)).all()
        if not rows:
            break
        last_id = rows[-1].id
        for user_id, nickname in rows:
            key = skeleton(nickname)
            if key not in seen:
                seen.add(key)
                connection.execute(users.update().where(users.c.id == user_id).values(nickname_skeleton=key))
