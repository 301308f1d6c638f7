"""What every room may use and what uses no room: units, time, refusals, text, pages, rates, networks, distributions.

No I/O in here.
"""
