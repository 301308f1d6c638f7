"""Who trades and who is notified: accounts, sign-in, notifications, alerts and attention of the team, the admin log.

No mail is sent to users yet; a package for it would stand beside `people/notifications/`, not in `people/alerts/`.

Imports: `web`, money, the platform and the kernel.
"""
