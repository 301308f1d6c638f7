"""Pools: one question each, priced as a whole, and the lock for every change of it.

service   visibility and pausing          store     rows, read or locked
creation  rows and accounts of new pools  charting  current prices for the charts
batches   many pools in one response
routes    pools     market_routes  markets and their order books     chart_routes  charts
"""
