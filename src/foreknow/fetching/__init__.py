"""HTTP requests to providers and other sites, bounded in time and size, and the reading of their JSON.

fetcher   sends GET requests
poster    sends POST requests
public    connects to names at public addresses only
decoding  JSON of an expected type
"""

from foreknow.fetching.decoding import BadResponse, decode_json
from foreknow.fetching.fetcher import Fetcher, FetchFailed
from foreknow.fetching.poster import Poster
from foreknow.fetching.public import PublicTransport

__all__ = ["BadResponse", "FetchFailed", "Fetcher", "Poster", "PublicTransport", "decode_json"]
