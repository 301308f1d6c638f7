"""Events: creation, life cycle, lists and search.

routes   the endpoints
schemas  request and response bodies
drafts   validates a new event and fills in its defaults
service  creates, reads and publishes
listing  lists: filters, sort orders, pages
search   search by a part of a name
store    rows of events
tables   events, their tags, their search index
errors   errors of events
"""
