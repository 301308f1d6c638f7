"""What people read and say beside trading: cards, live updates, the feed, activity, portfolios, comments, the
chat, moderation, administration, webhooks, the files of the web client, the looks of the site, previews of links.

Imports: trading and every layer below.
"""
