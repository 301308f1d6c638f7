"""Users, partners, sub-accounts, sessions."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass, field

from bench.history.books import HOUSE, Books, external_id
from bench.history.plan import COHORT_MS, Plan
from bench.history.sinks import columns
from foreknow.kernel.clock import DAY_MS, HOUR_MS

PARTNERS = 5
FLOAT_KOPECKS = 10**14
CREDIT_KOPECKS = 10**11
#: Users who trade in very many pools.
WHALES = 40
#: Percentage of users that are sub-accounts of partners; the first partner has half of them.
SUB_ACCOUNTS_PERCENT = 40
CREATORS = 50
_SESSIONS_A_PERSON = 2


def is_sub_account(user_id: int) -> bool:
    """Tell whether a user of the history is a partner's."""
    return user_id > WHALES // 2 and _draw(user_id) < SUB_ACCOUNTS_PERCENT


def _draw(user_id: int) -> int:
    return user_id * 37 % 100


def _user_row(**given: object) -> tuple[object, ...]:
    """Return a row of `users`; what is left out is as for a new user."""
    return tuple(given.get(name, _NEW_USER.get(name)) for name in columns("users"))


#: Of a new user, what is not NULL unless it is given.
_NEW_USER = {
    "email": "",
    "nickname": "",
    "avatar_url": "",
    "is_active": True,
    "show_holds": True,
    "show_forecast": True,
    **dict.fromkeys(
        ("email_verified", "profile_hidden", "is_creator", "is_admin", "is_stats_viewer", "is_operator"), False
    ),
}


@dataclass(slots=True)
class People:
    """Adds users as a history goes on."""

    plan: Plan
    books: Books
    rng: random.Random
    floats: dict[int, int] = field(default_factory=dict)
    #: User ids of people who make events.
    creators: list[int] = field(default_factory=list)
    people: list[int] = field(default_factory=list)

    def begin(self) -> None:
        """Write the partners, and the users who were there before any event."""
        at_ms = self.plan.begin_ms - 60 * DAY_MS
        for partner_id in range(1, PARTNERS + 1):
            account = self.floats[partner_id] = self.books.open_account("float", partner_id)
            name = f"Partner-{partner_id}"
            self.books.rows["partners"].append((partner_id, name, name.lower(), account, at_ms))
            # A random key, not stored anywhere.
            key_hash = hashlib.sha256(self.rng.randbytes(32)).hexdigest()
            self.books.rows["partner_keys"].append((partner_id, partner_id, key_hash, at_ms, None, None))
            self.books.move("deposit", HOUSE, account, FLOAT_KOPECKS, at_ms)
            self.books.state_line(partner_id, "deposit", at_ms, float_change=FLOAT_KOPECKS)
        self.grow_to(self.plan.people_first, since_ms=at_ms, within_ms=60 * DAY_MS)

    def grow(self, cohort: int) -> None:
        """Add those who come with a cohort."""
        since_ms = self.plan.begin_ms + (cohort - 1) * COHORT_MS
        self.grow_to(self.plan.users_at(cohort), since_ms=since_ms, within_ms=COHORT_MS)

    def grow_to(self, count: int, *, since_ms: int, within_ms: int) -> None:
        """Add users until there are `count`, evenly over a time."""
        first = len(self.books.account_of)
        for number in range(first, count + 1):
            self._add(since_ms + within_ms * (number - first) // max(1, count + 1 - first))
            if number % 10_000 == 0:
                self.books.flush()

    def _add(self, at_ms: int) -> None:
        books, user_id = self.books, len(self.books.account_of)
        if is_sub_account(user_id):
            partner_id = 1 if _draw(user_id) < SUB_ACCOUNTS_PERCENT // 2 else 2 + user_id % (PARTNERS - 1)
            _, account = books.add_user(partner_id=partner_id)
            # Its partner's name, as the service gives it.
            name = f"Partner-{partner_id}"
            books.rows["users"].append(
                _user_row(
                    id=user_id,
                    name=name,
                    partner_id=partner_id,
                    external_user_id=external_id(user_id),
                    account_id=account,
                    created_at_ms=at_ms,
                )
            )
            return
        _, account = books.add_user(partner_id=0)
        email, nickname = f"user{user_id}@example.com", f"trader-{user_id}"
        creates = len(self.creators) < CREATORS
        books.rows["users"].append(
            _user_row(
                id=user_id,
                email=email,
                email_key=email,
                name=f"Trader {user_id}",
                nickname=nickname,
                nickname_key=nickname,
                profile_hidden=user_id % 20 == 0,
                is_creator=creates,
                account_id=account,
                created_at_ms=at_ms,
            )
        )
        if creates:
            self.creators.append(user_id)
        self.people.append(user_id)
        books.days[at_ms // DAY_MS][0] += 1
        books.move("credit", HOUSE, account, CREDIT_KOPECKS, at_ms)
        details = json.dumps({"amount_kopecks": CREDIT_KOPECKS, "note": "welcome"}, separators=(",", ":"))
        books.rows["admin_log"].append((None, "command line", "user.credit", f"user:{user_id}", details, at_ms))
        for number in range(_SESSIONS_A_PERSON):
            begun_ms = at_ms + number * 40 * DAY_MS
            books.rows["sessions"].append((user_id, begun_ms, begun_ms + 72 * HOUR_MS, None, 0, begun_ms, None, None))
