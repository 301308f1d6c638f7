"""What every room may use and what uses no room. No I/O in here, but for the certificates that `tls` reads once.

Units, time, refusals, text, pages, rates, pauses after failures, networks, distributions, whom TLS trusts.
"""
