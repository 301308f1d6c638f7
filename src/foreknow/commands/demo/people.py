"""Who takes part in the demo: accounts to sign in with, traders with money, and people who forecast."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.commands.replay.accounts import ReplayUser, Run
from foreknow.commands.replay.client import ApiClient

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
#: They quote both sides of every market: traders.py.
MAKERS = (Person("mira", "Mira Maker"), Person("quinn", "Quinn Quotes"))
#: They have no money, and forecast: forecasts.py.
FORECASTERS = (
    Person("fay", "Fay Foresight"),
    Person("igor", "Игорь И."),
    Person("bea", "Bea Brier"),
    Person("sol", "Sol Sure"),
)


def password(run: Run, email: str) -> str:
    """Return an account's password: random for each database, the same after a restart, short enough to type."""
    return run.password(email)[:20]


def account_of(client: ApiClient, run: Run, person: Person) -> ReplayUser:
    """Return a person's account."""
    email = run.email(person.local_part)
    return ReplayUser(client, person.name, email, password(run, email))


async def settle_in(client: ApiClient, run: Run, admin: str) -> dict[str, ReplayUser]:
    """Sign everyone up (or in), give roles and money; return the accounts by the local part of their address."""
    accounts: dict[str, ReplayUser] = {}
    for person in (*VISITORS, *TRADERS, *MAKERS):
        account = accounts[person.local_part] = account_of(client, run, person)
        await settle(account, admin, role=person.role, credit_key=run.key("funds", person.local_part))
    for person in FORECASTERS:
        account = accounts[person.local_part] = account_of(client, run, person)
        await settle(account, admin, role="", credit_key="")
    return accounts


async def settle(account: ReplayUser, admin: str, *, role: str, credit_key: str) -> None:
    """Sign an account up (or in), give it a role, and money once for a key; "" for none."""
    user = await account.sign_up()
    if role and not user[role]:
        await account.client.call("PATCH", f"/admin/users/{account.id}", admin, body={role: True})
    if credit_key:
        credit = {"amount_kopecks": FUNDS_KOPECKS, "note": "to trade in the demo"}
        await account.client.post(f"/admin/users/{account.id}/credit", admin, credit, key=credit_key)
