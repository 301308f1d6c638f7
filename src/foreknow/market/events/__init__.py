"""Events: creation, life cycle, lists and search.

routes            the endpoints
schemas           request and response bodies
drafts            validates a new event and fills in its defaults
changes           requested changes of an event and its pools
templates         a few fields that a new event is made of
template_bodies   the fields of each template
date_steps        days, months and other steps of a calendar
texts             texts with placeholders
placeholders      parses placeholders and writes their values
filling           fills the texts in at publication
service           creates, reads and publishes
publication       opens an event for trading: texts, money of the house, due times of pools
times             when an event closes and is resolved, from its pools
liquidity         adds liquidity to a pool that trades
liquidity_routes  its endpoint
listing           lists: filters, pages
sorting           their orders
search            search by a part of a name
main_pool         which pool of an event is its main one
store             rows of events
odds_events       rows of events that follow a source of odds
erasing           empties an event that was never published, once its creator is deleted
series_store      rows of series
series_plans      what later instances of a series are made of, and their times
tables            events, their tags, their search index
errors            errors of events
"""
