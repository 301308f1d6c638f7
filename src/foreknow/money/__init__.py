"""Money and prices: the ledger, the exact LMSR, partners' statement lines, daily statistics.

Imports: the platform and the kernel; `pricing` no I/O at all.
"""
