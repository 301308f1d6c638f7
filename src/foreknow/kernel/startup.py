"""The error of a failed start, in a module of its own so that commands can catch it without importing the server."""


class CannotServe(Exception):
    """The service cannot start; the text says why."""
