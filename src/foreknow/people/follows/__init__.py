"""Events, users and tags that people follow, and the news that waits to be sent to followers and holders.

store      who follows what
news       what happened to it, written in the transaction of its cause; `site/following` sends it
pool_news  what happened to a pool, for who holds shares of it; `trading/settlement/notifying.py` sends it
"""
