"""Partners' webhooks: each line of a statement and each resolved pool, posted to an address of the partner.

tables      addresses with their cursors, secrets, pools delivered last
store       rows; which webhooks are due, and what comes next for one
messages    bodies and signatures after the Standard Webhooks specification
addresses   which addresses are allowed
service     setting, removing and showing a webhook
sender      the worker that delivers
routes      /admin/partners/{partner_name}/webhook
own_routes  /partner/webhook

Nothing is written where money moves: a webhook is a cursor over the statement and over the pools in the order of their
results. One process at a time holds the lease of a webhook and posts what comes next, in order, until the other side
fails; then it waits, longer each time. The cursor moves once a message is taken, so a message comes twice where a
process dies between the two. A second cursor, over lines that a partner wants again, moves likewise, behind the first.
"""

from foreknow.site.webhooks.sender import WebhookMetrics, WebhookSender

__all__ = ["WebhookMetrics", "WebhookSender"]
