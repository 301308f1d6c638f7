"""Count addresses in whose local part a mail server may read another one as unverified."""

from __future__ import annotations

from alembic import op

revision = "0101"
down_revision = "0100"


def upgrade() -> None:
    """Lead there. No way leads back."""
    # No domain has either character.
    op.execute(
        "UPDATE users SET email_verified = false "
        "WHERE email_verified AND (email LIKE '%!%' OR email LIKE '%#%%' ESCAPE '#')"
    )
    op.execute(
        "UPDATE users SET email_pending = NULL WHERE email_pending LIKE '%!%' OR email_pending LIKE '%#%%' ESCAPE '#'"
    )
