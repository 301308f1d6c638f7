"""HTTP on a connection: where a request begins and ends, how long it may take, how much of it there may be."""
