"""Who takes part in the demo: accounts to sign in with, traders with money, and what they say to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foreknow.replay.accounts import Run
from foreknow.replay.client import ApiClient, Refused

#: A trader that has less is given as much as in the beginning.
LEAST_KOPECKS = 50_000
FUNDS_KOPECKS = 300_000
COMMENTED_EVENTS_MAX = 6


@dataclass(frozen=True, slots=True)
class Person:
    """An account of the demo."""

    local_part: str
    name: str
    #: The field of PATCH /admin/users/{id} that gives its role; "" for a trader.
    role: str = ""


#: To sign in with.
VISITORS = (
    Person("trader", "Tess Trader"),
    Person("organizer", "Olga Organizer", "is_creator"),
    Person("operator", "Otis Operator", "is_operator"),
    Person("admin", "Ada Admin", "is_admin"),
)
#: They trade by themselves: traders.py.
TRADERS = (
    Person("vera", "Vera Value"),
    Person("max", "Max Momentum"),
    Person("cora", "Cora Contrarian"),
    Person("rita", "Rita Random"),
    Person("pavel", "Павел П."),
    Person("nora", "N. Orlova"),
)
#: A remark, and what another trader answers; "" for no answer.
_REMARKS = (
    ("A small sample and a surprising effect: I lean towards No.", "Small, yes, but it was registered in advance."),
    ("Three studies in a row point the same way, so I hold Yes.", "Three by the same laboratory, though."),
    ("The price has run ahead of the evidence.", ""),
    (
        "Who has read the materials? The instructions look hard to repeat.",
        "I have. They are clearer than the paper.",
    ),
    ("Effects of this kind halve when they are measured again, and a half may still count.", ""),
    ("I sold half of mine. What is left pays for the wait.", "Sensible at this price."),
)


def password(run: Run, email: str) -> str:
    """Return an account's password: random for each database, the same after a restart, short enough to type."""
    return run.password(email)[:20]


async def settle_in(client: ApiClient, run: Run, admin: str) -> None:
    """Sign everyone up, give roles and money, and let the traders comment where no one has yet."""
    tokens = [await _prepare(client, run, admin, person) for person in (*VISITORS, *TRADERS)]
    await _comment(client, tokens[-len(TRADERS) :])


async def sign_in(client: ApiClient, run: Run, person: Person) -> Any:
    """Return what POST /auth/sign-in answers."""
    email = run.email(person.local_part)
    return await client.post("/auth/sign-in", body={"login": email, "password": password(run, email)})


async def _prepare(client: ApiClient, run: Run, admin: str, person: Person) -> str:
    email = run.email(person.local_part)
    body = {"email": email, "password": password(run, email), "name": person.name}
    try:
        answer = await client.post("/auth/sign-up", body=body)
    except Refused as refused:
        if refused.code != "email_taken":
            raise
        answer = await sign_in(client, run, person)
    user = answer["user"]
    if person.role and not user[person.role]:
        await client.call("PATCH", f"/admin/users/{user['id']}", admin, body={person.role: True})
    if user["balance_kopecks"] < LEAST_KOPECKS:
        credit = {"amount_kopecks": FUNDS_KOPECKS, "note": "to trade in the demo"}
        await client.post(f"/admin/users/{user['id']}/credit", admin, credit)
    return str(answer["access_token"])


async def _comment(client: ApiClient, tokens: Sequence[str]) -> None:
    cards = (await client.get("/cards", tag="replication", limit=COMMENTED_EVENTS_MAX))["cards"]
    for number, (card, (remark, reply)) in enumerate(zip(cards, _REMARKS, strict=False)):
        if card["comments"]:
            continue
        body = {"event_id": card["event_id"], "content": remark}
        made = await client.post("/comments", tokens[number % len(tokens)], body)
        if reply:
            answer = {**body, "content": reply, "parent_id": made["id"]}
            await client.post("/comments", tokens[(number + 1) % len(tokens)], answer)
