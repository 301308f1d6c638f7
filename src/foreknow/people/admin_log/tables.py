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
    sa.Index("ix_admin_log_user_id", "user_id", "id"),
)

#: Triggers make the table append-only, but for what a deletion of an account takes: the e-mail address of `who` in
#: rows of older releases becomes the id, and a note becomes "". One statement each, since asyncpg runs one at a time;
#: the migrations run those of their database.
APPEND_ONLY = {
    "sqlite": (
        """CREATE TRIGGER admin_log_never_changes BEFORE UPDATE ON admin_log
           WHEN NOT COALESCE(
               NEW.id = OLD.id AND NEW.user_id IS OLD.user_id AND NEW.action = OLD.action AND NEW.target = OLD.target
               AND NEW.created_at_ms = OLD.created_at_ms
               AND (NEW.who = OLD.who OR COALESCE(NEW.who = 'user:' || OLD.user_id, FALSE))
               AND (NEW.details = OLD.details OR (
                   json_extract(NEW.details, '$.note') = '' AND json_type(OLD.details, '$.note') = 'text'
                   AND json_remove(NEW.details, '$.note') = json_remove(OLD.details, '$.note')
               )),
               FALSE
           )
           BEGIN SELECT RAISE(ABORT, 'admin_log is append-only'); END""",
        """CREATE TRIGGER admin_log_never_shrinks BEFORE DELETE ON admin_log
           BEGIN SELECT RAISE(ABORT, 'admin_log is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION admin_log_is_append_only() RETURNS trigger LANGUAGE plpgsql
           AS 'BEGIN RAISE EXCEPTION ''admin_log is append-only''; END'""",
        """CREATE TRIGGER admin_log_never_changes BEFORE UPDATE ON admin_log
           FOR EACH ROW WHEN (NOT COALESCE(
               NEW.id = OLD.id AND NEW.user_id IS NOT DISTINCT FROM OLD.user_id AND NEW.action = OLD.action
               AND NEW.target = OLD.target AND NEW.created_at_ms = OLD.created_at_ms
               AND (NEW.who = OLD.who OR COALESCE(NEW.who = 'user:' || OLD.user_id, FALSE))
               AND (NEW.details = OLD.details OR (
                   NEW.details::jsonb ->> 'note' = '' AND jsonb_typeof(OLD.details::jsonb -> 'note') = 'string'
                   AND NEW.details::jsonb - 'note' = OLD.details::jsonb - 'note'
               )),
               FALSE
           )) EXECUTE FUNCTION admin_log_is_append_only()""",
        """CREATE TRIGGER admin_log_never_shrinks BEFORE DELETE OR TRUNCATE ON admin_log
           FOR EACH STATEMENT EXECUTE FUNCTION admin_log_is_append_only()""",
    ),
}
for _dialect, _statements in APPEND_ONLY.items():
    for _statement in _statements:
        _ddl = sa.DDL(" ".join(_statement.split()))  # type: ignore[no-untyped-call] # SQLAlchemy gives its constructor no types
        sa.event.listen(admin_log, "after_create", _ddl.execute_if(dialect=_dialect))
