"""HTTP: endpoints, the contract's order of checks, strict decoding, responses, the OpenAPI page.

Imports: money, the platform and the kernel. HTTP for every feature, and no feature by name.

endpoint           decorators that declare an endpoint at its handler
params             types of path and query parameters
context            what every feature's routes need: database, clock, cursors, cache
routing            finds the endpoint of a path
pipeline           the ASGI application: takes a request through the steps
direct             what our server and the pipeline have beside ASGI
steps              the steps, in the contract's order of checks
authentication     the first step: who calls
handling           the last step: the endpoint's own work
exchange           one request, and what the steps have found so far
bodies             receives bodies, up to the endpoint's limit
cookies            the cookies of a request, and who calls by them
origins            whose page a request comes from
cross_origin       CORS: whose pages may read answers
decoding           strict decoding of JSON, path segments and queries
responses          bodies, headers and cookies of responses
codings            gzip, and which codings a client accepts
shared_responses   responses that are the same for all callers: ETag, 304, gzip
downloads          CSV, sent in pieces
response_cache     public responses, kept until a commit invalidates them
repeated_reads     strangers' reads that were answered before, found by their target
pagination         pages of lists by id, newest first
event_streams      server-sent events, and a response of them
sockets            WebSockets that send the same bytes to thousands of clients
ingress            what every request passes before the pipeline
client_ip          the client's address, also behind proxies
connection_limits  open connections, in all and per address
socket_limits      WebSockets and streams per address
rate_limits        token buckets by account, partner or address, and by group of endpoints
pacing             budgets of work: a caller that has used it up waits
memory             memory use of the process against its limit
request_log        request ids, metrics, and one log line per request
openapi            the OpenAPI document, from the endpoints
components         its schemas of bodies
docs               serves the document and Swagger UI
members            a site that only members may read
health             health and readiness
site               GET /site: what a client shows before anyone signs in
"""
