"""The attacks by name."""

from __future__ import annotations

from dataclasses import dataclass

from bench.attacks import asking, connecting, receiving, sending
from bench.attacks.attacker import Attack


@dataclass(frozen=True, slots=True)
class Entry:
    """An attack, and the words for it in the table."""

    attack: Attack
    says: str
    #: Whether it needs the service of many years.
    of_history: bool = False
    #: When it is measured, in seconds from its start: until then it has the budget of work that any caller may spend.
    warm_s: float = 2.0


#: By when reads that cost much have used up the budget.
_SPENT_S = 6.0
#: In the order of the table; the largest lists come last of those on a new service, since their events stay.
CATALOGUE = {
    "marks": Entry(sending.marks, "sign-ins with a login of 30,000 combining marks; 4 connections"),
    "marks-in-query": Entry(sending.marks_in_query, "searches for a run of combining marks; 4 connections"),
    "long-head": Entry(connecting.long_heads, "heads without end, 1 MiB a second on each of 8 connections"),
    "many-headers": Entry(connecting.many_headers, "heads of 20,000 headers; 8 connections"),
    "deep": Entry(sending.deep, "JSON of depth 330 around a NUL; 4 connections, 200 a second"),
    "connections": Entry(connecting.flood, "3,000 connections that say nothing"),
    "slow-heads": Entry(connecting.slow_heads, "500 heads of which a byte comes every second"),
    "slow-bodies": Entry(connecting.slow_bodies, "500 bodies of which a byte comes every second"),
    "takes-nothing": Entry(connecting.takes_nothing, "100 readers that ask for 1.4 MB over and over and take nothing"),
    "broken": Entry(connecting.broken, "what is no HTTP, 500 connections a second"),
    "uploads": Entry(
        sending.uploads, "5 MiB pictures of strangers and of those who may not; 8 connections, 20 a second"
    ),
    "pings": Entry(connecting.pings, "8 WebSockets that ping without end and read no pong"),
    "one-byte": Entry(connecting.one_byte, "8 WebSockets that say one byte without end"),
    "guessing": Entry(sending.guessing, "passwords guessed on 100 connections, each for another login"),
    "call-operator": Entry(sending.call_operator, "visitors that call an operator; 20 connections, 100 a second"),
    "keys": Entry(sending.keys, "an account that makes and deletes API keys; 8 connections, 200 a second"),
    "receivers-interim": Entry(receiving.interim, "5 webhooks answered with interim responses without end"),
    "receivers-headers": Entry(receiving.headers, "5 webhooks answered with headers without end"),
    "receivers-chunks": Entry(receiving.chunks, "5 webhooks answered with chunks of a byte without end"),
    "receivers-bodies": Entry(receiving.bodies, "5 webhooks answered with a body without end"),
    "receivers-slow": Entry(receiving.slow, "5 webhooks answered by the byte"),
    "lists": Entry(
        asking.lists, "the largest lists of events and batches of pools; 4 connections, 50 a second", warm_s=_SPENT_S
    ),
    "boards": Entry(
        asking.boards,
        "cards in every order, ever other filters; 4 connections, 50 a second",
        of_history=True,
        warm_s=_SPENT_S,
    ),
    "search": Entry(
        asking.search, "searches for parts of names; 4 connections, 50 a second", of_history=True, warm_s=_SPENT_S
    ),
    "leaderboard": Entry(
        asking.leaderboard, "the ranking to its end, again and again; 4 connections", of_history=True, warm_s=_SPENT_S
    ),
}
