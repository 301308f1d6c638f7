"""Who takes part in the demo: accounts to sign in with, and traders with money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from foreknow.replay.accounts import Account, Run, sign_up
from foreknow.replay.client import ApiClient

#: A trader that has less is given as much as in the beginning.
LEAST_KOPECKS = 100_000
FUNDS_KOPECKS = 1_000_000


@dataclass(frozen=True, slots=True)
class Person:
    """An account of the demo."""

    local_part: str
    name: str
    #: The field of PATCH /admin/users/{id} that gives its role; "" for a trader.
    role: str = ""


TESS = Person("trader", "Tess Trader")
OLGA = Person("organizer", "Olga Organizer", "is_creator")
#: To sign in with.
VISITORS = (TESS, OLGA, Person("operator", "Otis Operator", "is_operator"), Person("admin", "Ada Admin", "is_admin"))
#: They trade by themselves: traders.py.
TRADERS = (
    Person("vera", "Vera Value"),
    Person("max", "Max Momentum"),
    Person("cora", "Cora Contrarian"),
    Person("rita", "Rita Random"),
    Person("pavel", "Павел П."),
    Person("nora", "N. Orlova"),
)


def password(run: Run, email: str) -> str:
    """Return an account's password: random for each database, the same after a restart, short enough to type."""
    return run.password(email)[:20]


async def sign_in(client: ApiClient, run: Run, person: Person) -> Any:
    """Return what POST /auth/sign-in answers."""
    email = run.email(person.local_part)
    return await client.post("/auth/sign-in", body={"login": email, "password": password(run, email)})


async def settle_in(client: ApiClient, run: Run, admin: str) -> dict[str, Account]:
    """Sign everyone up (or in), give roles and money; return the accounts by the local part of their address."""
    return {person.local_part: await _prepare(client, run, admin, person) for person in (*VISITORS, *TRADERS)}


async def _prepare(client: ApiClient, run: Run, admin: str, person: Person) -> Account:
    email = run.email(person.local_part)
    account = Account(person.name, email, password(run, email))
    user = await sign_up(client, account)
    if person.role and not user[person.role]:
        await client.call("PATCH", f"/admin/users/{account.id}", admin, body={person.role: True})
    credit = {"amount_kopecks": FUNDS_KOPECKS, "note": "to trade in the demo"}
    await client.post(f"/admin/users/{account.id}/credit", admin, credit, key=run.key("funds", person.local_part))
    return account
