"""HTTP on a connection: parsing with limits on size and time, before `web` gets the request.

http_protocol     uvicorn's protocol with limits
request_protocol  the same with less work for each request
cycle             a request and its response
upgrades          which Upgrade headers count
last_transport    the transport as the last request of a connection sees it
head_buffer       heads that come in pieces
responses         what is sent before the pipeline
order_door        orders that are turned away unread, while too many wait
body_meter        limits of bodies
phase             what the parser is reading
timeouts          timeouts of one connection
sweep             checks those of all, once a second
state             what the connections of a server share
"""
