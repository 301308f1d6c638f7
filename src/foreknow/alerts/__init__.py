"""Alerts to the support team: written in the transaction of what they tell of, sent once that has committed.

    tables    the outbox: one row an alert and channel; and when each channel is free again
    store     writing, claiming and settling rows
    channels  where alerts go, by the URLs of the settings (apprise knows some hundred services)
    sender    the background worker of each process

What waits for a channel goes out as one message, at most one in 30 s from all processes together: a crowd of callers is
told as a crowd. An alert is sent at least once. It is sent twice only where a process dies between the sending and the
note of it, or where a channel takes longer than the lease to answer.
"""

from foreknow.alerts.channels import Channel, WrongAlertUrl, read_channels
from foreknow.alerts.sender import AlertSender

__all__ = ["AlertSender", "Channel", "WrongAlertUrl", "read_channels"]
