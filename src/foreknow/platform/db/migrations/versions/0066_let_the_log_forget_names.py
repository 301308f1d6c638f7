"""Let the log forget names."""

from __future__ import annotations

from alembic import op

revision = "0066"
down_revision = "0065"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    triggers: dict[str, tuple[str, ...]] = {
        "sqlite": (
            "DROP TRIGGER admin_log_never_changes",
            (
                "CREATE TRIGGER admin_log_never_changes BEFORE UPDATE ON admin_log WHEN NOT COALESCE( NEW.id = "
                "OLD.id AND NEW.user_id IS OLD.user_id AND NEW.action = OLD.action AND NEW.target = OLD.target "
                "AND NEW.created_at_ms = OLD.created_at_ms AND (NEW.who = OLD.who OR COALESCE(NEW.who = 'user:' "
                "|| OLD.user_id, FALSE)) AND (NEW.details = OLD.details OR ( json_extract(NEW.details, '$.note') "
                "= '' AND json_type(OLD.details, '$.note') = 'text' AND json_remove(NEW.details, '$.note') = "
                "json_remove(OLD.details, '$.note') )), FALSE ) BEGIN SELECT RAISE(ABORT, 'admin_log is "
                "append-only'); END"
            ),
        ),
        "postgresql": (
            "DROP TRIGGER admin_log_never_changes ON admin_log",
            (
                "CREATE TRIGGER admin_log_never_changes BEFORE UPDATE ON admin_log FOR EACH ROW WHEN (NOT "
                "COALESCE( NEW.id = OLD.id AND NEW.user_id IS NOT DISTINCT FROM OLD.user_id AND NEW.action = "
                "OLD.action AND NEW.target = OLD.target AND NEW.created_at_ms = OLD.created_at_ms AND (NEW.who = "
                "OLD.who OR COALESCE(NEW.who = 'user:' || OLD.user_id, FALSE)) AND (NEW.details = OLD.details OR "
                "( NEW.details::jsonb ->> 'note' = '' AND jsonb_typeof(OLD.details::jsonb -> 'note') = 'string' "
                "AND NEW.details::jsonb - 'note' = OLD.details::jsonb - 'note' )), FALSE )) EXECUTE FUNCTION "
                "admin_log_is_append_only()"
            ),
            (
                "CREATE TRIGGER admin_log_never_shrinks BEFORE DELETE OR TRUNCATE ON admin_log FOR EACH STATEMENT "
                "EXECUTE FUNCTION admin_log_is_append_only()"
            ),
        ),
    }
    for statement in triggers[op.get_bind().dialect.name]:
        op.get_bind().exec_driver_sql(statement)
