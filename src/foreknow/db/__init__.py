"""The database: engine, transactions, table metadata, migrations. The only package that commits, besides `copying`."""
