"""Reports, gathered into a case for each reported thing."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, partial_index, table

#: What members have reported: the reports of one comment, event, user or objection since its last case was closed.
report_cases = table(
    "report_cases",
    own_id(),
    #: comment, event, user or objection
    sa.Column("kind", Text, nullable=False),
    sa.Column("target_id", Int64, nullable=False),
    #: What an open case is about, such as `comment:7`: at most one case a thing is open. NULL once closed.
    sa.Column("open_subject", Text, unique=True),
    #: How many reports it has. Changed under the row's lock.
    sa.Column("reports", Int64, nullable=False, server_default="0"),
    sa.Column("opened_at_ms", Int64, nullable=False),
    sa.Column("closed_at_ms", Int64),
    #: Who has closed it said why; "" where they did not.
    sa.Column("note", Text, nullable=False, server_default=""),
    #: When the operators' alert was written; NULL: it is still to be.
    sa.Column("alerted_at_ms", Int64),
    sa.Index("ix_report_cases_target", "kind", "target_id"),
)
OPEN = report_cases.c.closed_at_ms.is_(None)
CLOSED = report_cases.c.closed_at_ms.is_not(None)
partial_index("ix_report_cases_open", report_cases.c.id, where=OPEN)
partial_index("ix_report_cases_closed", report_cases.c.id, where=CLOSED)
UNALERTED = sa.and_(OPEN, report_cases.c.alerted_at_ms.is_(None))
# Looked at every second by every process.
partial_index("ix_report_cases_unalerted", report_cases.c.id, where=UNALERTED)

#: Who has reported, and why. Personal data: `text` is what a member has written.
reports = table(
    "reports",
    sa.Column("case_id", Int64, sa.ForeignKey("report_cases.id"), primary_key=True, autoincrement=False),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    #: Its number among the case's reports, from 1 in order of time.
    sa.Column("place", Int64, nullable=False),
    #: spam, abuse, rules or other
    sa.Column("reason", Text, nullable=False),
    #: "" where none was written.
    sa.Column("text", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Index("uq_reports_case_id_place", "case_id", "place", unique=True),
    # To count a member's reports of the last day.
    sa.Index("ix_reports_user_id_created_at_ms", "user_id", "created_at_ms"),
)

#: When operators may be alerted of reports again: one row, shared by all processes.
report_alerts = table(
    "report_alerts",
    sa.Column("name", Text, primary_key=True),
    sa.Column("due_at_ms", Int64, nullable=False),
)
