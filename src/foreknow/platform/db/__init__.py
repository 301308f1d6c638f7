"""The database: transactions, table metadata, migrations. Only `commands/copying/` commits besides it.

engine          `Database`: lookups, reads and writes
transactions    `ReadTx` and `WriteTx`
clock           the time of a write
metadata        column types and `table`
bulk            statements for many rows
changes         inserts, updates and deletes of many rows, alone or in one exchange
ids             reserves ids; reads and sets the last one
loading         loads stored rows into empty tables
secrets         secrets shared by all servers
instrumented    a database that counts and times its transactions
notify          wake-ups between processes
public_reads    public reads, without a replica
replica_reads   public reads, on a replica
migrate         runs the migrations, and refuses a database that is too new or too old for this code
migrations      the migrations, and steps of theirs that do not block running servers
statements      how statements reach either database
sqlite          SQLite in one file
postgres        PostgreSQL through asyncpg
write_probe     whether anything can be written
"""
