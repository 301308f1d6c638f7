"""The attacks by name."""

from __future__ import annotations

from dataclasses import dataclass

from bench.attacks import connecting, sending
from bench.attacks.attacker import Attack


@dataclass(frozen=True, slots=True)
class Entry:
    """An attack, and the words for it in the table."""

    attack: Attack
    says: str


#: In the order of the table; the largest lists come last, since their events stay.
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
    "lists": Entry(sending.lists, "the largest lists of events and batches of pools; 4 connections, 50 a second"),
}
