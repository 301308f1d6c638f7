"""What people say: comments with replies and reactions, chats with support."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

from bench.history.books import Books
from bench.history.names import EventName
from foreknow.people import notifications
from foreknow.people.notifications.kinds.own import CommentReply

_WORDS = (
    "this",
    "will",
    "never",
    "happen",
    "again",
    "before",
    "spring",
    "I",
    "doubt",
    "it",
    "and",
    "so",
    "should",
    "you",
)
_REPLIES = 0.4


def talk_about(
    books: Books, rng: random.Random, *, events: Sequence[tuple[int, str, int]], people: Sequence[int], count: int
) -> None:
    """Write `count` comments on events (id, name, publication), their replies and reactions among them, in turn."""
    written: dict[int, list[tuple[int, int]]] = {}
    replies: dict[int, int] = {}
    rows = []
    for number in range(count):
        event_id, event_name, since_ms = rng.choice(events)
        author, at_ms = rng.choice(people), since_ms + number * 1000
        earlier = written.setdefault(event_id, [])
        parent, place = None, None
        comment_id = books.next_id("comments")
        if earlier and rng.random() < _REPLIES:
            parent, parent_author = earlier[int(len(earlier) * rng.random() ** 2)]
            place = replies[parent] = replies.get(parent, 0) + 1
            event = EventName(event_id, event_name)
            (notice,) = notifications.NewNotifications(event, at_ms=at_ms).add(parent_author, CommentReply())
            books.notify(notice, read_at_ms=at_ms if number % 10 else None)
        earlier.append((comment_id, author))
        likes, dislikes = _react(books, rng, comment_id, people)
        content = " ".join(rng.choices(_WORDS, k=rng.randint(3, 30)))
        rows.append((comment_id, event_id, author, parent, place, content, likes, dislikes, at_ms))
    books.rows["comments"].extend((*row[:8], replies.get(row[0], 0), row[8], None) for row in rows)
    books.rows["event_comments"].extend(
        (event_id, len(of_event), of_event[-1][0]) for event_id, of_event in written.items()
    )


def _react(books: Books, rng: random.Random, comment_id: int, people: Sequence[int]) -> tuple[int, int]:
    counts = [0, 0]
    for user_id in set(rng.choices(people, k=rng.randint(0, 4))):
        dislikes = rng.random() < 0.3
        counts[dislikes] += 1
        books.rows["comment_reactions"].append((comment_id, user_id, "dislike" if dislikes else "like"))
    return counts[0], counts[1]


def chat_with_support(
    books: Books,
    rng: random.Random,
    *,
    people: Sequence[int],
    count: int,
    waiting: int,
    since_ms: int,
    operator: int,
) -> None:
    """Write chats of four messages each; all are closed but the first `waiting`, which wait for an operator."""
    for number, user_id in enumerate(rng.sample(people, min(count, len(people)))):
        session_id = books.next_id("chat_sessions")
        at_ms = since_ms + number * 1000
        message_id = 0
        for place in range(4):
            message_id = books.next_id("chat_messages")
            sender, author = (("user", user_id), ("operator", operator))[place % 2]
            message = (message_id, session_id, sender, author, "Where is my money?", at_ms + place)
            books.rows["chat_messages"].append(message)
        cookie_hash = hashlib.sha256(b"%d" % session_id).hexdigest()
        status = "waiting" if number < waiting else "closed"
        waiting_since_ms = at_ms + 3 if number < waiting else None
        session = (session_id, user_id, cookie_hash, status, at_ms, message_id, at_ms + 3, waiting_since_ms, at_ms + 3)
        books.rows["chat_sessions"].append(session)
