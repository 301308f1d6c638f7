"""PUT /comments/{id}/reaction: counters always equal the reactions."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.site.comments.tables import comment_reactions, comments
from tests.site.comments.conversation import comment, react, seen
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused


def counts(one: dict[str, Any]) -> tuple[int, int]:
    return one["likes_count"], one["dislikes_count"]


def reactions(service: Service, to: dict[str, Any]) -> Counter[str]:
    """Count the rows of reactions."""
    query = sa.select(comment_reactions.c.type).where(comment_reactions.c.comment_id == to["id"])
    return Counter(service.look(lambda tx: tx.execute(query).scalars().all()))


@proves(
    'decisions: PUT /comments/{id}/reaction `{"type": "like"|"dislike"|null}` → 200 Comment',
    'decisions: `user_reaction`: `"like"`, `"dislike"` or null.',
)
def test_a_reaction_is_set_changed_and_taken_back(service: Service) -> None:
    ann, bob, event = service.user(), service.user(), service.event()
    made = comment(ann, event)
    assert react(bob, made, "like") == made | {"likes_count": 1, "user_reaction": "like"}
    assert react(bob, made, "dislike") == made | {"dislikes_count": 1, "user_reaction": "dislike"}
    assert counts(react(ann, made, "dislike")) == (0, 2)
    assert counts(react(bob, made, None)) == (0, 1)
    assert counts(react(ann, made, None)) == (0, 0)
    assert seen(service, event, made) == made


def test_every_step_between_reactions_counts_right(service: Service) -> None:
    person, event = service.user(), service.event()
    made = comment(person, event)
    kinds = ["like", "dislike", None]
    for old, new in itertools.product(kinds, kinds):
        react(person, made, old)
        after = react(person, made, new)
        assert (after["user_reaction"], *counts(after)) == (new, int(new == "like"), int(new == "dislike"))


@ONCE
@pytest.mark.parametrize(
    "body", [{}, {"type": "love"}, {"type": ""}, {"type": True}, {"type": 1}, {"type": ["like"]}, {"kind": "like"}]
)
def test_another_reaction_is_refused(service: Service, body: dict[str, Any]) -> None:
    event = service.event()
    made = comment(service.creator, event)
    refused(service.creator.client.put(f"/comments/{made['id']}/reaction", json=body), 400, "bad_request")
    assert seen(service, event, made) == made


def test_a_comment_that_is_not_there_cannot_be_rated(service: Service) -> None:
    refused(
        service.creator.client.put(f"/comments/{2**63 - 1}/reaction", json={"type": "like"}), 404, "comment_not_found"
    )


def test_fifty_people_who_like_it_at_once_are_exactly_fifty(service: Service) -> None:
    people, event = [service.user() for _ in range(50)], service.event()
    made = comment(people[0], event)
    shots = [("PUT", f"/comments/{made['id']}/reaction", {"json": {"type": "like"}})] * 50
    answers = service.together(shots, tokens=[person.token for person in people])
    after = [expect(answer, 200) for answer in answers]
    assert sorted(one["likes_count"] for one in after) == list(range(1, 51))
    assert all(one["user_reaction"] == "like" for one in after)
    assert counts(seen(service, event, made)) == (50, 0)
    assert reactions(service, made) == {"like": 50}


def test_fifty_changes_of_mind_at_once_leave_one_reaction_or_none(service: Service) -> None:
    people, event = [service.user() for _ in range(3)], service.event()
    made = comment(people[0], event)
    kinds = itertools.cycle(["like", "dislike", None, "like", None, "dislike", "dislike"])
    shots = [("PUT", f"/comments/{made['id']}/reaction", {"json": {"type": next(kinds)}}) for _ in range(50)]
    # First by one person, then by three concurrently.
    for tokens in ([people[0].token], [person.token for person in people]):
        for answer in service.together(shots, tokens=tokens):
            expect(answer, 200)
        left = reactions(service, made)
        assert counts(seen(service, event, made)) == (left["like"], left["dislike"])
        assert left.total() <= len(tokens)


def test_likes_replies_and_a_deletion_at_once_lose_nothing(service: Service) -> None:
    people, event = [service.user() for _ in range(10)], service.event()
    made = comment(people[0], event)
    reply = {"event_id": event["id"], "parent_id": made["id"], "content": "So?"}
    shots: list[Any] = [("PUT", f"/comments/{made['id']}/reaction", {"json": {"type": "dislike"}})] * 10
    shots += [("POST", "/comments", {"json": reply})] * 10
    shots += [("DELETE", f"/comments/{made['id']}", {})]
    for answer in service.together(shots, tokens=[person.token for person in people]):
        assert answer.status_code in {200, 201}, answer.text
    after = seen(service, event, made)
    assert (after["content"], after["dislikes_count"], after["replies_count"]) == ("", 10, 10)
    in_truth = sa.select(sa.func.count()).where(comments.c.parent_id == made["id"])
    assert service.look(lambda tx: tx.execute(in_truth).scalar_one()) == 10
