"""The log of admins' actions, append-only."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Json, Text, own_id, table

admin_log = table(
    "admin_log",
    own_id(),
    #: The admin's user id; NULL for partners and the command line.
    sa.Column("user_id", Int64),
    #: As in `LogEntry`; in rows of older releases the admin's e-mail address at that time.
    sa.Column("who", Text, nullable=False),
    sa.Column("action", Text, nullable=False),
    sa.Column("target", Text, nullable=False),
    sa.Column("details", Json, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Index("ix_admin_log_action", "action", "id"),
    sa.Index("ix_admin_log_target", "target", "id"),
)

#: Triggers make the table append-only. One statement each, since asyncpg runs one at a time; the migration that creates
#: the table runs those of its database.
APPEND_ONLY = {
    "sqlite": (
        """CREATE TRIGGER admin_log_never_changes BEFORE UPDATE ON admin_log
           BEGIN SELECT RAISE(ABORT, 'admin_log is append-only'); END""",
        """CREATE TRIGGER admin_log_never_shrinks BEFORE DELETE ON admin_log
           BEGIN SELECT RAISE(ABORT, 'admin_log is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION admin_log_is_append_only() RETURNS trigger LANGUAGE plpgsql
           AS 'BEGIN RAISE EXCEPTION ''admin_log is append-only''; END'""",
        """CREATE TRIGGER admin_log_never_changes BEFORE UPDATE OR DELETE OR TRUNCATE ON admin_log
           FOR EACH STATEMENT EXECUTE FUNCTION admin_log_is_append_only()""",
    ),
}
for _dialect, _statements in APPEND_ONLY.items():
    for _statement in _statements:
        _ddl = sa.DDL(" ".join(_statement.split()))  # type: ignore[no-untyped-call] # SQLAlchemy gives its constructor no types
        sa.event.listen(admin_log, "after_create", _ddl.execute_if(dialect=_dialect))
