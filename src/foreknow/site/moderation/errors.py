"""Errors of moderation."""

from foreknow.kernel.errors import DomainError


class ReportNotFound(DomainError):
    code = "report_not_found"
    status = 404
    message = "There is no report with this id."


class InvalidReportId(DomainError):
    code = "invalid_report_id"
    status = 400
    message = "A report id is a whole number from 1."
