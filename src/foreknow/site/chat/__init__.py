"""Support chat: visitors, signed in or not, write to the support team and hear its answers as they come.

    service   who may see and write what; how a session goes from open to closed
    tokens    the value of an anonymous visitor's cookie, and its hash
    cookies   reads and sets that cookie
    store     rows of sessions and messages
    hub       one poll a process wakes all streams whose session has changed
    stream    one visitor's server-sent events
    signals   what a stream waits for
    operator_hub  the same for operators: every session that changes
    routes    the visitors' endpoints        operator_routes   the operators'

Whose session it is. Without a sign-in it belongs to the browser that has its cookie. Signing in binds it to the user:
from then on it is found by the user alone, on any device, and no cookie opens it any more, neither the old one (which
anyone who planted it in the browser knows) nor the new one. Who is signed in never reads or writes a session that
only a cookie leads to; POST /chat/session binds it first.

Order. The writer of a message holds the lock of its session, so ids within a session grow in the order of commits: a
reader who asks for what comes after an id misses nothing.
"""
