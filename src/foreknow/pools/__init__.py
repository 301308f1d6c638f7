"""Pools: one question each, priced as a whole, and the lock for every change of it.

service   visibility and pausing          store     rows, read or locked
creation  rows and accounts of new pools  charting  current prices for the charts
resolutions  who won, what a share is paid    resolution_view  both as responses show them
routes    pools, one or many in one response
market_routes  markets and order books    chart_routes  charts
"""
