"""What newcomers are granted: once an account and an e-mail address, for ever, and some a network address and day."""

from foreknow.people.newcomers.service import Newcomer, Newcomers

__all__ = ["Newcomer", "Newcomers"]
