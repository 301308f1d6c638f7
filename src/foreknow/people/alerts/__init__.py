"""Alerts to the support team: written in the transaction of their cause, sent after it has committed.

    tables    the outbox: one row per alert and channel; and when each channel is free again
    store     writing, claiming and settling rows
    channels  destinations: apprise URLs of the settings
    sender    the background worker of each process

All alerts that wait for a channel go out as one message, at most one in 30 s from all processes together. An alert is
sent at least once: twice only where a process dies between sending it and noting that, or where a channel takes longer
than the lease to respond.
"""

from foreknow.people.alerts.channels import Channel, WrongAlertUrl, channels_of, read_channels
from foreknow.people.alerts.sender import AlertSender

__all__ = ["AlertSender", "Channel", "WrongAlertUrl", "channels_of", "read_channels"]
