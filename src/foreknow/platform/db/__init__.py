"""The database: transactions, table metadata, migrations. Only `commands/copying/` commits besides it.

engine          `Database`: lookups, reads and writes
transactions    `ReadTx` and `WriteTx`
clock           the time of a write
sqlite          SQLite in one file
kept            one SQLite connection from one transaction to the next
postgres        PostgreSQL through asyncpg
connections     PostgreSQL connections that detect a dead server
durability      detects commits that the synchronous standby lacks
file_version    whether anything was written to the SQLite file since
written_tables  which tables a connection to the SQLite file has written
file_failures   what SQLite's failures mean
file_watch      detects that SQLite's file was removed or replaced
disk_pace       where SQLite's commits wait for the disk
file_rewrite    writes SQLite's file again, without what was deleted
instrumented    a database that counts and times its transactions
notify          wake-ups between processes
public_reads    public reads, without a replica
replica_reads   public reads, on a replica
replica         the replica, and how far it has come
metadata        column types and `table`
bulk            statements for many rows
changes         inserts, updates and deletes of many rows, alone or in one exchange
driver          statements run by the driver itself
dialects        SQLAlchemy's dialects, with one cache of compiled statements
row_locks       locks of a batch of orders, in one exchange
ids             reserves ids; reads and sets the last one
loading         loads stored rows into empty tables
secrets         secrets shared by all servers
backup          online backup of SQLite
migrate         runs the migrations
migrations      the migrations
migration_ops   migration steps that do not block running servers
compatibility   the oldest code that a database works with
"""
