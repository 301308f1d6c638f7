"""What the service stands on: the database and its transactions, background jobs, requests to other sites, whether
anything is sent.

Imports: the kernel.
"""
