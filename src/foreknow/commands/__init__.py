"""What an operator types: the command line, and what only commands do (the audit, the copy, the demo, replays).

Imports: every layer below; nothing imports it.
"""
