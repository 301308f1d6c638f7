"""The running process: the server and its workers, the application that creates every part, metrics, all tables.

Imports: the site and every layer below.
"""
