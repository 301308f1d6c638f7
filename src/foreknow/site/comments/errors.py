"""Errors of comments."""

from foreknow.kernel.errors import DomainError, NotFound


class CommentNotFound(DomainError):
    code = "comment_not_found"
    status = 404
    message = "There is no comment with this id."


class ParentNotFound(NotFound):
    """The replies of a comment that is not there: the interface gives this one the plain code."""

    message = "There is no comment with this id."


class InvalidCommentId(DomainError):
    code = "invalid_comment_id"
    status = 400
    message = "A comment id is a whole number from 1."
