"""Pools: one question each, its markets' prices, and the lock under which all of it changes.

    service   who may see and run a pool; pausing       store     rows, read or locked
    creation  the rows and accounts of new pools        charting  a pool as the charts want it
    routes    pools     market_routes  single markets and their books     chart_routes  the charts

Settling a pool stands in `settlement`.
"""
