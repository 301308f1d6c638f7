"""SQLite in one file.

database      the transactions, one write at a time
connections   an engine's settings, and a connection kept from one transaction to the next
files         failures, loss and rewriting of the files
file_version  whether anything was written to the file since
backup        online backup
"""
