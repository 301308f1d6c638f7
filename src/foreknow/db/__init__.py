"""The database: engine, units of work, tables' metadata, migrations. The only place that commits, but `copying`."""
