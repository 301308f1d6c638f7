"""Which tests PostgreSQL need not see in each run: others send it the same statements (`python -m tests.repeats`)."""
