"""Reports of comments, events and users; what operators do about them: close reports, mute members.

alerts  the worker that alerts operators of new cases

Hiding a comment is an endpoint of comments.
"""

from foreknow.site.moderation.alerts import ReportAlerts

__all__ = ["ReportAlerts"]
