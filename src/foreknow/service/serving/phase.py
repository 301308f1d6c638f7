"""What the parser of a connection is reading: nothing yet, a head, a body, or bytes to be dropped."""

from enum import Enum


class Phase(Enum):
    """The state of the parser."""

    BETWEEN = 0
    HEAD = 1
    BODY = 2
    #: Over the connection limits: gets an error response to its first bytes.
    REFUSED = 3
    #: Received bytes are dropped.
    IGNORING = 4
