"""What every room may use and what uses no room. No I/O in here.

Units, time, refusals, text, pages, rates, pauses after failures, networks, distributions.
"""
