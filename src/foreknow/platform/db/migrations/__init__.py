"""The steps of the tables, a file each: `foreknow.platform.db.migrate` walks them, `bin/migration` adds to them."""
