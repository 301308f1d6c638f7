"""HTTP requests to providers and other sites, bounded in time and size, and the reading of their JSON.

fetcher  sends requests, and reads JSON of an expected type
public   connects to names at public addresses only
outside  connects, and reads in small pieces
pieces   cuts what comes, and refuses what has no end
"""

from foreknow.platform.fetching.fetcher import BadResponse, Fetcher, FetchFailed, decode_json
from foreknow.platform.fetching.outside import OutsideTransport, ProxiedTransport
from foreknow.platform.fetching.public import PublicTransport

__all__ = [
    "BadResponse",
    "FetchFailed",
    "Fetcher",
    "OutsideTransport",
    "ProxiedTransport",
    "PublicTransport",
    "decode_json",
]
