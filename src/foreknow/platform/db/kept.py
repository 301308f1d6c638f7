"""A connection that is kept from one transaction to the next."""

from __future__ import annotations

import sqlalchemy as sa


class KeptConnection:
    """One connection of an engine, for one transaction at a time.

    Taking a connection from the pool and giving it back costs more than BEGIN and COMMIT.
    """

    def __init__(self, engine: sa.Engine) -> None:
        """Connect on first use."""
        self._engine = engine
        self._connection: sa.Connection | None = None

    def begin(self) -> sa.Connection:
        """Begin a transaction, which `end` ends."""
        if self._connection is None:
            self._connection = self._engine.connect()
        self._connection.begin()
        return self._connection

    def holds(self, connection: sa.Connection) -> bool:
        """Return whether this is the kept connection."""
        return connection is self._connection

    def end(self) -> None:
        """Roll back what is not committed."""
        connection = self._connection
        transaction = None if connection is None else connection.get_transaction()
        if connection is None or transaction is None:
            return
        try:
            transaction.close()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the connection back; the next transaction takes another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
