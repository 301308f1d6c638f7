"""Accounts of people: sign-up, sessions, profiles. And the table in which partners' sub-accounts stand beside them.

routes    thin: bodies in, cookies out          service   signing up, in, on and out
accounts  making and changing accounts          sessions  beginning, rotating, revoking; `confirm` for transactions
gate      who calls with an access token        tokens    making and reading access and refresh tokens
profiles  checking names and addresses; views   failures  how often an account's password may be guessed
devices   browsers that signed in before        passwords hashing, household by household (turns)
common    the commonest passwords               cookies   what is set in the browser of who signed in
"""

from foreknow.users.accounts import add_user, create_user, ensure_first_admin
from foreknow.users.gate import UserGate
from foreknow.users.profiles import HIDDEN_NAME, own_view, public_user
from foreknow.users.service import SessionService
from foreknow.users.sessions import confirm, confirm_runs
from foreknow.users.store import UserRow

__all__ = [
    "HIDDEN_NAME",
    "SessionService",
    "UserGate",
    "UserRow",
    "add_user",
    "confirm",
    "confirm_runs",
    "create_user",
    "ensure_first_admin",
    "own_view",
    "public_user",
]
