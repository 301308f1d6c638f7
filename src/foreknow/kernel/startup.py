"""Errors of a failed start, in a module of their own: commands catch them without importing the server."""


class CannotServe(Exception):
    """The service cannot start; the text says why."""


class WrongSetting(CannotServe):
    """A setting names what cannot be used; the text begins with the setting and says why."""

    def __init__(self, setting: str, reason: str) -> None:
        """`setting` is a variable's name."""
        super().__init__(f"{setting} is wrong: {reason}")
