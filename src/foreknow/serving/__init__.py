"""HTTP on a connection: parsing with limits on size and time."""
