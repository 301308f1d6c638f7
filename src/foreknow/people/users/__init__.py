"""Accounts of people: sign-up, sessions, passwords, profiles; and the table of partners' sub-accounts beside them.

routes             sign-up, sign-in, refresh, sign-out
session_routes     passwords, sessions, reset links
service            what those routes do
accounts           create and change accounts
admission          who may make an account by themselves
first_admin        the link with which the first admin is made
sessions           rows of sessions
session_watch      tells when they have ended
active_days        on which days people were active
tokens             access and refresh tokens
authenticator      the caller of an access token
keys               users' own API keys
key_routes         endpoints of these keys
profiles           validation of profile fields; views
login_throttle     limits on failed sign-ins
devices            cookies of browsers that signed in before
cookies            cookies of a signed-in user
passwords          hashing, in a fair_queue
password_check     a signed-in user's password, before what needs it
password_change    a new password for the old one, another address
password_reset     a new password by a link
mailed_links       tokens of links in mails
account_mails      what an account's mails do
deletion           ends an account
visibility         whose profits and trades may be seen
sub_accounts       users of partners, created by their first bet
sub_account_pages  a partner's list of them
"""

from foreknow.people.users.accounts import add_user, create_user, ensure_first_admin
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.profiles import HIDDEN_NAME, own_view, public_user
from foreknow.people.users.service import SessionService
from foreknow.people.users.sessions import require_edited_by, require_live_session, require_run_by
from foreknow.people.users.store import UserRow

__all__ = [
    "HIDDEN_NAME",
    "SessionService",
    "UserAuthenticator",
    "UserRow",
    "add_user",
    "create_user",
    "ensure_first_admin",
    "own_view",
    "public_user",
    "require_edited_by",
    "require_live_session",
    "require_run_by",
]
