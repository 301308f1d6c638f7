"""The history of the tables, a file a step: `foreknow.platform.db.migrate` walks it, `bin/migration` adds to it."""
