"""Pools: one question each, priced as a whole, and the lock for every change of it.

service           visibility and pausing
rows              what prices and orders need of a pool, and all of it
store             rows, read or locked
deadlines         when a pool needs work next
creation          rows and accounts of new pools
crowd_news        pools whose crowd may have changed
splits            outcomes taken out of a list's Other, as stored
failing           pools that workers fail at, for operators
liquidity         a pool's liquidity over time
past              when it was paused, and its priors before
texts             the texts of a pool
charting          current prices for the charts
shapes            what its outcomes are together (`metadata.shape`), a class for each kind
shape_view        a shape as stored, and as responses show it
resolutions       who won, what a share is paid
verdicts          all results a pool was given, with their reasons
standing          what may follow a result, and when: objected to, held, confirmed, final
resolution_view   all of it, as responses show them
rules             what resolves a pool (`metadata.resolution`), a class for each kind
rule_view         a rule as stored, and as responses show it
price_intervals   intervals of numbers, for price rules
external_events   the source and id that an address of another site names
hiding            from whom forecasts are hidden (`metadata.forecasts`)
odds_names        what the source of a pool's odds calls its outcomes
routes            pools, one or many in one response
market_routes     markets and order books
chart_routes      charts
"""
