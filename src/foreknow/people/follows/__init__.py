"""Events, users and tags that people follow, and the news that waits to be sent to followers.

store  who follows what
news   what happened to it, written in the transaction of its cause; `site/following` sends it
"""
