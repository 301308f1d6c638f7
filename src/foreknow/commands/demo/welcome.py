"""What the demo gives to newcomers: play money, unless the settings say otherwise, and an invitation with more."""

from __future__ import annotations

from typing import Any

from foreknow.kernel.currency import Currency
from foreknow.kernel.settings import Settings
from foreknow.people import invitations
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx

POINTS = Currency(sign="¤", name="points", name_ru="очки", decimals=0)
SIGN_UP_KOPECKS = 100_000
#: What an invitation brings besides.
INVITATION_KOPECKS = 50_000
_USES = 10_000
#: In which the demo's own people can sign up, get what the demo gives them alone, and trade.
OPEN = {
    "sign_up": "on",
    "sign_up_domains": "",
    "email_verification": "off",
    "passwords": "on",
    "sign_up_kopecks": 0,
    "trading": "on",
}


def as_served(settings: Settings) -> Settings:
    """Return the settings of a demo that is served: of play money and with a grant, where they do not say otherwise."""
    given: dict[str, Any] = {"currency": POINTS, "sign_up_kopecks": SIGN_UP_KOPECKS}
    return settings.model_copy(
        update={name: value for name, value in given.items() if name not in settings.model_fields_set}
    )


def invite(tx: WriteTx, token: str) -> None:
    """Make the invitation with this token where it is missing; one that was withdrawn stays so."""
    if not invitations.is_known(tx, token):
        invitations.insert(
            tx,
            uses=_USES,
            expires_at_ms=None,
            credit_kopecks=INVITATION_KOPECKS,
            creator=False,
            note="Demo",
            at_ms=now_ms(tx),
            token=token,
        )
