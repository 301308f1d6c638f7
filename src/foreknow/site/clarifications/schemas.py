"""Request and response bodies of the clarifications' endpoints."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import CreatedAt, HasMore, Id, NextCursor
from foreknow.kernel.validation.fields import optional_text, required_text, required_text_schema
from foreknow.site.clarifications.store import Author, ClarificationRow
from foreknow.site.comments.schemas import CommentHidden

TEXT_MAX = 5_000

_TEXT = Meta(
    description='What makes the rules clearer, plain text, 1–5000 characters; "" to others than its author, operators '
    "and admins where it is hidden.",
    examples=["A match that is broken off counts as played."],
)
_TEXT_RU = Meta(
    description='The same in Russian, up to 5000 characters; "" where none is set, and where it is hidden.',
    examples=["Прерванный матч считается сыгранным."],
)


class Clarification(msgspec.Struct, frozen=True):
    """What makes a pool's rules clearer. It changes no rule, and nothing edits it."""

    id: Id
    text: Annotated[str, _TEXT]
    text_ru: Annotated[str, _TEXT_RU]
    by: Annotated[Author, Meta(description="As what its author wrote it.", examples=["creator"])]
    hidden: CommentHidden
    created_at: CreatedAt


class ClarificationPage(msgspec.Struct, frozen=True):
    """A page of a pool's clarifications, oldest first."""

    clarifications: Annotated[list[Clarification], Meta(description="Clarifications, oldest first.")]
    next_cursor: NextCursor
    has_more: HasMore


class ClarificationBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new clarification of a pool's rules."""

    # For the API page only: the bounds hold after NFC, where `texts` checks them.
    text: Annotated[str, _TEXT, Meta(extra_json_schema=required_text_schema(TEXT_MAX))]
    text_ru: Annotated[str, _TEXT_RU, Meta(extra_json_schema={"maxLength": TEXT_MAX})] | None = None

    def texts(self) -> tuple[str, str]:
        """Return both texts as stored; `BadRequest` names the first wrong field."""
        text = required_text("text", self.text, most=TEXT_MAX)
        return text, optional_text("text_ru", self.text_ru, most=TEXT_MAX)


def clarification_view(row: ClarificationRow, *, shows_text: bool, is_hidden: bool) -> Clarification:
    """Show a clarification; `shows_text`: though it may be hidden."""
    return Clarification(
        id=row.id,
        text=row.text if shows_text else "",
        text_ru=row.text_ru if shows_text else "",
        by=row.author,
        hidden=is_hidden,
        created_at=iso(row.created_at_ms),
    )
